import { known, knownOf } from './known-differences.ts';
import type { Finding, Report } from './run.ts';

/** Of one kind of difference, as many are printed. */
const SHOWN = 5;

const textOf = (value: unknown): string => {
  const text = JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)) ?? 'nothing';
  return text.length > 120 ? `${text.slice(0, 120)}...` : text;
};

const lineOf = ({ read, vault, block, path, actual, expected }: Finding): string =>
  `    ${read} of ${vault} at block ${block}, ${path}: answers ${textOf(actual)}, the chain gives ${textOf(expected)}\n`;

function knownCounts(findings: readonly Finding[]): string {
  return known
    .map((entry) => {
      const count = findings.filter((finding) => knownOf(finding) === entry).length;
      return `  ${count || 'not seen'}: ${entry.why}\n`;
    })
    .join('');
}

/** The share that was compared, every difference with what both sides say, and what no rule is for. */
export function summaryOf(report: Report): { text: string; differences: number } {
  const all = [...report.values()];
  const sum = (of: (tally: (typeof all)[number]) => number) => all.reduce((total, tally) => total + of(tally), 0);
  const without = (tally: (typeof all)[number]) =>
    [...tally.unruled.values()].reduce((total, count) => total + count, 0);
  const findings = all.flatMap((tally) => tally.findings);
  const open = findings.filter((finding) => !knownOf(finding));
  let text = '';
  for (const [read, tally] of report) {
    const mine = tally.findings.filter((finding) => !knownOf(finding));
    text += `${read}: ${tally.compared} compared, ${mine.length} different, ${tally.findings.length - mine.length} known, ${tally.receipts} formulas evaluated\n`;
    text += mine.slice(0, SHOWN).map(lineOf).join('');
    if (mine.length > SHOWN) text += `    and ${mine.length - SHOWN} more\n`;
    for (const [path, count] of tally.unruled) if (count) text += `    not compared: ${path} (${count})\n`;
  }
  const compared = sum(({ compared: count }) => count);
  const left = sum(without);
  const share = ((100 * compared) / Math.max(1, compared + left)).toFixed(2);
  text += `In all ${compared} figures compared, ${share} % of ${compared + left}; ${open.length} different, ${findings.length - open.length} known\n`;
  text += `Known differences:\n${knownCounts(findings)}`;
  return { text, differences: open.length };
}
