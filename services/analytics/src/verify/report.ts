import type { Receipt } from '@castellan/contracts';
import type { Verdict } from './verdict.ts';

const shownValue = (value: unknown): string =>
  value === undefined ? 'nothing' : typeof value === 'bigint' ? value.toString() : String(value);

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const outcomes = {
  equal: 'EQUAL',
  unequal: 'NOT EQUAL',
  no_value: 'NO VALUE SHOWN',
  unchecked: 'CANNOT BE CHECKED',
} as const;

/** One verdict on a line of its own. */
export const verdictLine = ({ outcome, shown, found, reason }: Verdict): string =>
  `${outcomes[outcome]}: shown ${shownValue(shown)}, computed ${shownValue(found)}${reason === null ? '' : ` (${reason})`}`;

/** The receipt as a person reads it. */
export function receiptText(figure: string, receipt: Receipt): string {
  const { window, gaps } = receipt;
  const inputs = receipt.inputs.map(({ name, value, unit, t, block, tx_hash, source }) => [
    name,
    shownValue(value),
    unit,
    t ?? '-',
    block === null ? '-' : String(block),
    tx_hash ?? '-',
    source,
  ]);
  return [
    figure,
    `  ${receipt.method}: ${receipt.formula}`,
    `  unit ${receipt.unit}; status ${receipt.status}; sample of ${receipt.sample_size}; rests on ${receipt.rests_on.replaceAll('_', ' ')}`,
    ...(window ? [`  from ${window.from} to ${window.to}, ${window.actual_seconds} s`] : []),
    ...gaps.map(({ from, to, reason }) => `  gap from ${from} to ${to}: ${reason}`),
    '',
    table([['input', 'value', 'unit', 'time', 'block', 'transaction', 'source'], ...inputs]),
    '',
  ].join('\n');
}

const countOf = (verdicts: readonly Verdict[], ...outcome: Verdict['outcome'][]): number =>
  verdicts.filter((verdict) => outcome.includes(verdict.outcome)).length;

/** A share as a person reads it; never 100 % while one is missing. */
const shareText = (part: number, whole: number): string => `${Math.floor((part / whole) * 1_000) / 10} %`;

/** Each figure that is not equal on a line of its own, and together those that cannot be checked for the same reason. */
export function verdictLines(how: string, verdicts: readonly Verdict[]): string[] {
  const unequal = verdicts.filter(({ outcome }) => outcome === 'unequal');
  const unchecked = Map.groupBy(
    verdicts.filter(({ outcome }) => outcome === 'unchecked'),
    ({ reason }) => reason,
  );
  return [
    ...unequal.map((verdict) => `${how}, ${verdict.figure}: ${verdictLine(verdict)}`),
    ...[...unchecked].map(
      ([reason, list]) => `${how}, not checked: ${list.map(({ figure }) => figure).join(', ')}: ${reason}`,
    ),
  ];
}

/** How many figures were computed and how many of them were the shown ones. */
export function summaryLine(verdicts: readonly Verdict[]): string {
  const recomputed = countOf(verdicts, 'equal', 'unequal');
  const parts = [`${recomputed} figures recomputed, ${countOf(verdicts, 'equal')} equal`];
  const without = countOf(verdicts, 'no_value');
  const unchecked = countOf(verdicts, 'unchecked');
  if (recomputed + unchecked > 0) parts.push(`${shareText(recomputed, recomputed + unchecked)} of those with a value`);
  if (without > 0) parts.push(`${without} show no value`);
  if (unchecked > 0) parts.push(`${unchecked} cannot be checked`);
  return parts.join(', ');
}
