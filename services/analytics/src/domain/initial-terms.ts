import { addressOf, amountOf, type Fact, STATE_OBSERVED } from './facts.ts';
import { observationOf } from './observation.ts';

/**
 * What a vault began with and no event holds: its fees, its managers, its fee recipient, its settings of prices. Found by
 * undoing, from the first observation backwards, what events changed before it. Null where an event hides what was before.
 */
export type InitialTerms = {
  readonly performanceFeeBps: bigint | null;
  readonly entryFeeBps: bigint | null;
  readonly feeRecipient: string | null;
  readonly primaryManager: string;
  readonly secondaryManagers: readonly string[];
  /** Whether these are all there were: a change of the primary manager hides who was there before. */
  readonly areSecondaryManagersKnown: boolean;
  readonly minUpdateIntervalSeconds: number;
  readonly expirationSeconds: number | null;
  readonly deviationThreshold: bigint | null;
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
  const happened = new Set(before.map(({ contract, name }) => `${contract}.${name}`));
  const feeChanged = happened.has('strategy.VaultFeeConfigUpdated');
  return {
    performanceFeeBps: feeChanged ? null : seen.performanceFeeBps,
    entryFeeBps: feeChanged ? null : seen.entryFeeBps,
    feeRecipient: feeChanged || happened.has('strategy.FeeRecipientChanged') ? null : seen.feeRecipient,
    areSecondaryManagersKnown: !happened.has('aggregator.PrimaryManagerChanged'),
    expirationSeconds: happened.has('strategy.PPSExpiryThresholdUpdated') ? null : seen.expirationSeconds,
    deviationThreshold: happened.has('aggregator.DeviationThresholdUpdated') ? null : seen.deviationThreshold,
    primaryManager: undone.primary,
    secondaryManagers: [...undone.secondary],
    minUpdateIntervalSeconds: undone.intervalSeconds,
  };
}
