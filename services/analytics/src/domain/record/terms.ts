import { addressOf, amountOf, type Fact } from '../facts.ts';
import { sortedManagers, type Terms, type TermsLedger } from '../ledgers/terms-ledger.ts';

type TermRecorder = (terms: TermsLedger, fact: Fact) => void;

const setBy =
  <K extends keyof Terms>(name: K, value: (fact: Fact, terms: TermsLedger) => Terms[K] | undefined): TermRecorder =>
  (terms, fact) => {
    const next = value(fact, terms);
    if (next === undefined) return;
    const { block, time, tx, index } = fact;
    terms.set({ block, time, tx, index: index ?? 0 }, fact.name, name, next);
  };

const all =
  (...recorders: readonly TermRecorder[]): TermRecorder =>
  (terms, fact) => {
    for (const record of recorders) record(terms, fact);
  };

/** Who is in a list of managers that somebody joined or left; undefined while the rest of it is not known. */
const joined = (fact: Fact, terms: TermsLedger) => {
  const before = terms.now('secondaryManagers');
  return before && sortedManagers(new Set([...before, addressOf(fact, 'manager')]));
};
const left = (fact: Fact, terms: TermsLedger) => {
  const manager = addressOf(fact, 'manager');
  return terms.now('secondaryManagers')?.filter((each) => each !== manager);
};

/** By `contract.event`: what it puts into force. */
export const termRecorders: Readonly<Record<string, TermRecorder>> = {
  'aggregator.StrategyPaused': setBy('isPaused', () => true),
  'aggregator.StrategyUnpaused': setBy('isPaused', () => false),
  'strategy.VaultFeeConfigUpdated': all(
    setBy('performanceFeeBps', (fact) => amountOf(fact, 'performanceFeeBps')),
    setBy('entryFeeBps', (fact) => amountOf(fact, 'managementFeeBps')),
    setBy('feeRecipient', (fact) => addressOf(fact, 'recipient')),
  ),
  'strategy.FeeRecipientChanged': setBy('feeRecipient', (fact) => addressOf(fact, 'newRecipient')),
  'aggregator.MinUpdateIntervalChanged': setBy('minUpdateIntervalSeconds', (fact) =>
    Number(amountOf(fact, 'newMinUpdateInterval')),
  ),
  'strategy.PPSExpiryThresholdUpdated': setBy('expirationSeconds', (fact) => Number(amountOf(fact, 'ppsExpiration'))),
  'aggregator.DeviationThresholdUpdated': setBy('deviationThreshold', (fact) => amountOf(fact, 'deviationThreshold')),
  'aggregator.StrategyHooksRootUpdated': setBy('hooksRoot', (fact) => String(fact.args.newRoot)),
  'aggregator.SecondaryManagerAdded': setBy('secondaryManagers', joined),
  'aggregator.SecondaryManagerRemoved': setBy('secondaryManagers', left),
  // A new primary manager begins without secondary ones.
  'aggregator.PrimaryManagerChanged': all(
    setBy('primaryManager', (fact) => addressOf(fact, 'newManager')),
    setBy('secondaryManagers', () => []),
  ),
};
