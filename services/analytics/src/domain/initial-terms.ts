import { addressOf, type Fact, STATE_OBSERVED } from './facts.ts';
import { observationOf } from './observation.ts';

/**
 * What a vault began with and no event tells: its fee, its managers, its fee recipient. Found by undoing, from the first
 * observation backwards, what events changed before it. Null where an event hides what was before.
 */
export type InitialTerms = {
  readonly performanceFeeBps: bigint | null;
  readonly feeRecipient: string | null;
  readonly primaryManager: string;
  readonly secondaryManagers: readonly string[];
};

function undo(managers: { primary: string; secondary: Set<string> }, fact: Fact): void {
  if (fact.contract !== 'aggregator') return;
  if (fact.name === 'SecondaryManagerAdded') managers.secondary.delete(addressOf(fact, 'manager'));
  if (fact.name === 'SecondaryManagerRemoved') managers.secondary.add(addressOf(fact, 'manager'));
  if (fact.name === 'PrimaryManagerChanged') {
    managers.primary = addressOf(fact, 'oldManager');
    // The change clears the secondaries, mostly without an event: who they were is not known.
    managers.secondary.clear();
  }
}

/** @returns undefined before the first observation. */
export function initialTerms(facts: readonly Fact[]): InitialTerms | undefined {
  const at = facts.findIndex(({ name, contract }) => contract === null && name === STATE_OBSERVED);
  const first = facts[at];
  if (!first) return undefined;
  const seen = observationOf(first);
  const before = facts.slice(0, at);
  const managers = { primary: seen.primaryManager, secondary: new Set(seen.secondaryManagers) };
  for (const fact of before.toReversed()) undo(managers, fact);
  const strategyNames = new Set(before.filter(({ contract }) => contract === 'strategy').map(({ name }) => name));
  const feeChanged = strategyNames.has('VaultFeeConfigUpdated');
  return {
    performanceFeeBps: feeChanged ? null : seen.performanceFeeBps,
    feeRecipient: feeChanged || strategyNames.has('FeeRecipientChanged') ? null : seen.feeRecipient,
    primaryManager: managers.primary,
    secondaryManagers: [...managers.secondary],
  };
}
