import type { Answer } from './api.ts';
import { compare, type Difference, Near } from './coverage.ts';
import { formulas, type Inputs, readings } from './formulas.ts';

type Receipt = { value: unknown; formula: string; inputs: { name: string; value: unknown }[] };

/** Roots, powers and logarithms of both sides. */
const BOUND = 1e-9;

/** Inputs as they are printed: whole numbers exact, others as doubles. */
function inputsOf({ inputs }: Receipt): Inputs {
  const of = (name: string) => inputs.filter((input) => input.name === name).map(({ value }) => value);
  return {
    // Items of a count are names, not numbers: only how many there are matters.
    whole: (name) => of(name).map((value) => (/^-?\d+$/.test(String(value)) ? BigInt(String(value)) : 0n)),
    real: (name) => of(name).map(Number),
  };
}

/** A figure is a text of digits or a number, as the answer has it. */
function shown(value: bigint | number | null, like: unknown): unknown {
  if (typeof value === 'bigint') return typeof like === 'string' ? `${value}` : Number(value);
  return typeof value === 'number' && !Number.isInteger(value) ? new Near(value, BOUND) : value;
}

/** Applies the printed formulas to the printed inputs, and the receipts' values to the figures they belong to. */
export function wrongReceipts(answer: Answer) {
  const unknown = new Map<string, number>();
  const differences: Difference[] = [];
  let evaluated = 0;
  for (const [path, receipt] of Object.entries((answer.receipts ?? {}) as Record<string, Receipt>)) {
    const figure = path.split('.').reduce<unknown>((tree, key) => (tree as Answer | null)?.[key], answer);
    differences.push(...compare(receipt.value, figure, undefined, `receipt of ${path}`).differences);
    if (receipt.value === null || receipt.inputs.length === 0 || readings.has(receipt.formula)) continue;
    const formula = formulas[receipt.formula];
    if (!formula) {
      const text = `formula: ${receipt.formula}`;
      unknown.set(text, (unknown.get(text) ?? 0) + 1);
      continue;
    }
    evaluated += 1;
    const expected = shown(formula(inputsOf(receipt)), receipt.value);
    differences.push(...compare(receipt.value, expected, undefined, `formula of ${path}`).differences);
  }
  return { evaluated, unknown, differences };
}
