import type { Answer } from './api.ts';
import { compare, type Difference, Near } from './coverage.ts';
import { evaluated, type Input } from './formulas.ts';

type Receipt = { value: unknown; formula: string; inputs: Input[] };

/** Roots, powers and logarithms of both sides. */
const BOUND = 1e-9;

/** A figure is a text of digits or a number, as the answer has it. */
function shown(value: bigint | number | string, like: unknown): unknown {
  if (typeof value === 'bigint') return typeof like === 'string' ? `${value}` : Number(value);
  return typeof value === 'number' && !Number.isInteger(value) ? new Near(value, BOUND) : value;
}

/** Applies the printed formulas to the printed inputs, and the receipts' values to the figures they belong to. */
export function wrongReceipts(answer: Answer) {
  const unknown = new Map<string, number>();
  const differences: Difference[] = [];
  let count = 0;
  for (const [path, receipt] of Object.entries((answer.receipts ?? {}) as Record<string, Receipt>)) {
    const figure = path.split('.').reduce<unknown>((tree, key) => (tree as Answer | null)?.[key], answer);
    differences.push(...compare(receipt.value, figure, undefined, `receipt of ${path}`).differences);
    if (receipt.value === null) continue;
    try {
      const expected = shown(evaluated(receipt.formula, receipt.inputs), receipt.value);
      count += 1;
      differences.push(...compare(receipt.value, expected, undefined, `formula of ${path}`).differences);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const text = `formula: ${receipt.formula}`;
      unknown.set(text, (unknown.get(text) ?? 0) + 1);
    }
  }
  return { evaluated: count, unknown, differences };
}
