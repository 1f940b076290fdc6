import { addressOf, amountOf, type Fact, STATE_OBSERVED } from './facts.ts';
import { observationOf } from './observation.ts';

/**
 * What a vault began with and no event holds: its fee, its managers, its fee recipient, its least update interval. Found by
 * undoing, from the first observation backwards, what events changed before it. Null where an event hides what was before.
 */
export type InitialTerms = {
  readonly performanceFeeBps: bigint | null;
  readonly feeRecipient: string | null;
  readonly primaryManager: string;
  readonly secondaryManagers: readonly string[];
  readonly minUpdateIntervalSeconds: number;
};

type Undone = { primary: string; secondary: Set<string>; intervalSeconds: number };

function undo(terms: Undone, fact: Fact): void {
  if (fact.contract !== 'aggregator') return;
  if (fact.name === 'SecondaryManagerAdded') terms.secondary.delete(addressOf(fact, 'manager'));
  if (fact.name === 'SecondaryManagerRemoved') terms.secondary.add(addressOf(fact, 'manager'));
  if (fact.name === 'PrimaryManagerChanged') {
    terms.primary = addressOf(fact, 'oldManager');
    // The change clears the secondaries, mostly without an event: who they were is not known.
    terms.secondary.clear();
  }
  if (fact.name === 'MinUpdateIntervalChanged') terms.intervalSeconds = Number(amountOf(fact, 'oldMinUpdateInterval'));
}

/** @returns undefined before the first observation. */
export function initialTerms(facts: readonly Fact[]): InitialTerms | undefined {
  const at = facts.findIndex(({ name, contract }) => contract === null && name === STATE_OBSERVED);
  const first = facts[at];
  if (!first) return undefined;
  const seen = observationOf(first);
  const before = facts.slice(0, at);
  const undone = {
    primary: seen.primaryManager,
    secondary: new Set(seen.secondaryManagers),
    intervalSeconds: seen.minUpdateIntervalSeconds,
  };
  for (const fact of before.toReversed()) undo(undone, fact);
  const strategyNames = new Set(before.filter(({ contract }) => contract === 'strategy').map(({ name }) => name));
  const feeChanged = strategyNames.has('VaultFeeConfigUpdated');
  return {
    performanceFeeBps: feeChanged ? null : seen.performanceFeeBps,
    feeRecipient: feeChanged || strategyNames.has('FeeRecipientChanged') ? null : seen.feeRecipient,
    primaryManager: undone.primary,
    secondaryManagers: [...undone.secondary],
    minUpdateIntervalSeconds: undone.intervalSeconds,
  };
}
