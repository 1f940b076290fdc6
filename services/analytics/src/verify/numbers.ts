import type { Receipt } from '@castellan/contracts';
import type { Verdict } from './verdict.ts';

/** Numbers that say where or what was asked, and are no figures: places on the chain, labels of rows, settings of the answer. */
const echoes = [
  /^(chain_id|block_number|interval_seconds|window_seconds|hours|venue_shock)$/,
  /(^|\.)(block|log_index|rank|age|version)$/,
  /^table\.\d+\.(chain_id|block_number)$/,
];

const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));

/** Every number of an answer by its path; what says how far figures can be trusted, and receipts, are no figures themselves. */
function numbersOf(node: unknown, path = ''): [path: string, value: unknown][] {
  if (isNumber(node)) return [[path, node]];
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, item]) =>
    key === 'quality' || key === 'receipts' ? [] : numbersOf(item, path === '' ? key : `${path}.${key}`),
  );
}

/** The numbers of an answer that somebody has to account for, and how many repeat the question or name a place. */
export function figuresIn(answer: unknown): { figures: ReadonlyMap<string, unknown>; echoed: number } {
  const all = numbersOf(answer);
  const figures = all.filter(([path]) => !echoes.some((pattern) => pattern.test(path)));
  return { figures: new Map(figures), echoed: all.length - figures.length };
}

/** Numbers that no receipt is for, and such that are not what their receipt says. */
export function checkShown(answer: { receipts: Readonly<Record<string, Receipt>> }): {
  without: Verdict[];
  altered: Verdict[];
  echoed: number;
} {
  const { figures, echoed } = figuresIn(answer);
  const without: Verdict[] = [];
  const altered: Verdict[] = [];
  for (const [figure, shown] of figures) {
    const receipt = answer.receipts[figure];
    const verdict = { figure, shown, found: receipt?.value } as const;
    if (!receipt) without.push({ ...verdict, outcome: 'unchecked', reason: 'it has no receipt' });
    else if (receipt.value !== shown) altered.push({ ...verdict, outcome: 'unequal', reason: 'its receipt differs' });
  }
  for (const [figure, { value }] of Object.entries(answer.receipts))
    if (value !== null && !figures.has(figure) && isNumber(value))
      altered.push({ figure, shown: undefined, found: value, outcome: 'unequal', reason: 'its receipt differs' });
  return { without, altered, echoed };
}
