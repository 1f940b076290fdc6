import type { Fact } from '../domain/facts.ts';
import { type StateReader, stateFact } from './chain-state.ts';
import { Refusal } from './refusal.ts';

/** Events of the strategy behind which the terms that a vault began with disappear. */
const hidesTerms = new Set(['VaultFeeConfigUpdated', 'FeeRecipientChanged']);

/** Puts a fact behind everything of its block and of earlier ones. */
function placed(facts: readonly Fact[], fact: Fact): Fact[] {
  const end = facts.findIndex(({ block }) => block > fact.block);
  return end === -1 ? [...facts, fact] : [...facts.slice(0, end), fact, ...facts.slice(end)];
}

export type FactsWithState = { facts: readonly Fact[]; stateMissing: string | null; termsMissing: string | null };
type Places = { created: number; head: bigint; observedAt: number | undefined };

/**
 * The facts with the readings of state that no log holds: the one that figures rest on, at the block where the service observed
 * it, and what the vault began with. The last state serves for the latter where the node has no older one: events hold what was
 * before.
 */
export async function withState(
  logs: readonly Fact[],
  readState: StateReader,
  { created, head, observedAt }: Places,
): Promise<FactsWithState> {
  const seen = observedAt === undefined ? undefined : await readState(BigInt(observedAt));
  const state = seen ?? (await readState(head));
  if (!state) throw new Refusal(`The node gives no state of the vault at block ${head}.`);
  const stateMissing = seen
    ? null
    : observedAt === undefined
      ? 'it rests on observed state, and no receipt names the block of the observation'
      : `it rests on the state of block ${observedAt}, which the node no longer has`;
  const facts = placed(logs, stateFact(state, 0));
  const isHidden = logs.some(
    ({ contract, name, block }) =>
      contract === 'strategy' && hidesTerms.has(name) && block <= Number(state.blockNumber),
  );
  if (!isHidden) return { facts, stateMissing, termsMissing: null };
  const first = await readState(BigInt(created));
  const termsMissing = `the fee and its recipient before their first change are in the state of block ${created} only, which the node no longer has`;
  if (!first) return { facts, stateMissing, termsMissing };
  // Its price would count as one the service had observed.
  return { facts: placed(facts, stateFact({ ...first, price: null }, 0)), stateMissing, termsMissing: null };
}
