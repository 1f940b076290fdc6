import type { Receipt } from '@castellan/contracts';
import { evaluate } from '../domain/formula/evaluate.ts';
import { formulaOf } from '../domain/published-formulas.ts';

/** Ratios go through logarithms and roots, whose last digits depend on the machine. Integers are exact. */
const RELATIVE_TOLERANCE = 1e-12;

export type Outcome = 'equal' | 'unequal' | 'no_value' | 'unchecked';
export type Verdict = { readonly figure: string; readonly shown: unknown; readonly found: unknown } & {
  readonly outcome: Outcome;
  readonly reason: string | null;
};

/** Whether a computed value is the shown one: text and amounts to the last digit, numbers to 1e-12 of the larger. */
export function sameValue(shown: unknown, found: unknown): boolean {
  if (typeof shown !== 'number') return shown === (typeof found === 'bigint' ? found.toString() : found);
  if (typeof found === 'bigint') return Number.isSafeInteger(shown) && BigInt(shown) === found;
  if (typeof found !== 'number') return false;
  if (Number.isInteger(shown) && Number.isInteger(found)) return shown === found;
  return Math.abs(shown - found) <= RELATIVE_TOLERANCE * Math.max(Math.abs(shown), Math.abs(found));
}

const noValue = (figure: string, receipt: Receipt, found: unknown): Verdict => ({
  figure,
  shown: null,
  found,
  outcome: 'no_value',
  reason: `no value is shown (${receipt.status})`,
});

/** Evaluates the printed formula over the receipt's own inputs; it has to be the one that is published for the method. */
export function checkInputs(figure: string, receipt: Receipt): Verdict {
  const { value: shown, method, formula, inputs } = receipt;
  if (shown === null) return noValue(figure, receipt, null);
  try {
    if (formula !== formulaOf(method)) throw new SyntaxError(`The formula is not the published one of ${method}.`);
    const found = evaluate(formula, inputs);
    const outcome = sameValue(shown, found) ? 'equal' : 'unequal';
    return { figure, shown, found, outcome, reason: null };
  } catch (error) {
    return { figure, shown, found: null, outcome: 'unequal', reason: (error as Error).message };
  }
}

/** Transactions' receipts are observations of the log, but a node returns them for any block, as it does logs. */
export const needsState = ({ rests_on, inputs }: Receipt): boolean =>
  rests_on === 'logs_and_observations' && !inputs.some(({ source }) => source.startsWith('receipt:'));

/** The block at which the state that figures rest on was observed; undefined when no receipt names it. */
export function observedBlock(receipts: Readonly<Record<string, Receipt>>): number | undefined {
  const blocks = Object.values(receipts)
    .flatMap(({ inputs }) => inputs)
    .flatMap(({ source, block }) => (source.startsWith('state_observed') && block !== null ? [block] : []));
  return blocks.length === 0 ? undefined : Math.max(...blocks);
}

export type FromChain = {
  readonly receipts: Readonly<Record<string, Receipt>>;
  /** Why the observed state is not to be had; null when it is. */
  readonly stateMissing: string | null;
  /** Why the fee and its recipient before their first change are not to be had; null when they are known. */
  readonly termsMissing: string | null;
};

const earlierState = 'it rests on observations of earlier blocks, which only the log holds';

/** Only the state in force is read from the chain again; a series shows the states before it too. */
const isOfEarlierState = (receipt: Receipt, observedAt: number | undefined): boolean =>
  observedAt !== undefined &&
  needsState(receipt) &&
  receipt.inputs.some(
    ({ source, block }) => source.startsWith('state_observed') && block !== null && block !== observedAt,
  );

type GivenInput = Receipt['inputs'][number];

const isElsewhere = (shown: GivenInput, found: GivenInput): boolean =>
  shown.block !== found.block || shown.tx_hash !== found.tx_hash || shown.log_index !== found.log_index;

/** The first input that is not the one which the chain gives; null when all are. */
function differingInput({ inputs: shown }: Receipt, { inputs: found }: Receipt): string | null {
  if (shown.length !== found.length) return `it lists ${shown.length} inputs, the chain gives ${found.length}`;
  for (const [at, input] of shown.entries()) {
    const other = found[at] as GivenInput;
    const name = `its input ${input.name} (${at + 1} of ${shown.length})`;
    if (input.name !== other.name) return `${name} is ${other.name} on the chain`;
    if (!sameValue(input.value, other.value)) return `${name} is ${input.value}, the chain gives ${other.value}`;
    if (isElsewhere(input, other)) return `${name} is written at another place of the chain`;
  }
  return null;
}

/**
 * Compares what is shown with what the chain alone gives: the figure, and each input of its receipt.
 * @param observedAt - Block of the observation in force.
 */
export function checkChain(figure: string, receipt: Receipt, chain: FromChain, observedAt?: number): Verdict {
  const computed = chain.receipts[figure];
  const shown = receipt.value;
  const found = computed?.value;
  const verdict = (outcome: Outcome, reason: string | null): Verdict => ({ figure, shown, found, outcome, reason });
  if (shown === null) return noValue(figure, receipt, found ?? null);
  if (needsState(receipt) && chain.stateMissing !== null) return verdict('unchecked', chain.stateMissing);
  const input = computed && sameValue(shown, found) ? differingInput(receipt, computed) : undefined;
  if (input === null) return verdict('equal', null);
  const isInSeries = needsState(receipt) && computed === undefined;
  if (isInSeries || isOfEarlierState(receipt, observedAt)) return verdict('unchecked', earlierState);
  // Who received fees and how much decides on net prices and holders: without it a difference proves nothing.
  if (chain.termsMissing !== null) return verdict('unchecked', chain.termsMissing);
  return verdict('unequal', computed === undefined ? 'the chain gives no such figure' : (input ?? null));
}
