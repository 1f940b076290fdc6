import { addressOf, amountOf, type Fact } from '../facts.ts';
import type { UpkeepMove, VaultHistory } from '../history.ts';
import type { Recorder } from './recorder.ts';

const role =
  (wallet: string): Recorder =>
  (history, fact) => {
    history.managers.apply(fact);
    history.happened(fact, 'role', { wallet: addressOf(fact, wallet) });
  };
const settings: Recorder = (history, fact) => history.happened(fact, 'settings', {});

function upkeepMoved(history: VaultHistory, fact: Fact, kind: UpkeepMove['kind']): bigint {
  const amount = amountOf(fact, 'amount');
  const moves = history.upkeep[kind];
  const toAmount = (moves.at(-1)?.toAmount ?? 0n) + amount;
  moves.push({ block: fact.block, time: fact.time, tx: fact.tx, index: fact.index ?? 0, kind, amount, toAmount });
  return amount;
}

/** What changes of managers and settings add to a history. */
export const governanceRecorders: Readonly<Record<string, Recorder>> = {
  'aggregator.SecondaryManagerAdded': role('manager'),
  'aggregator.SecondaryManagerRemoved': role('manager'),
  'aggregator.PrimaryManagerChanged': role('newManager'),
  'aggregator.PrimaryManagerChangeProposed': (history, fact) =>
    history.happened(fact, 'role', { wallet: addressOf(fact, 'newManager') }),
  'aggregator.PrimaryManagerChangeCancelled': (history, fact) =>
    history.happened(fact, 'role', { wallet: addressOf(fact, 'cancelledManager') }),
  'aggregator.DeviationThresholdUpdated': settings,
  'aggregator.MinUpdateIntervalChangeProposed': settings,
  'aggregator.MinUpdateIntervalChanged': (history, fact) => {
    const { block, time, tx, index } = fact;
    history.intervals.push({
      block,
      time,
      tx,
      index: index ?? 0,
      seconds: Number(amountOf(fact, 'newMinUpdateInterval')),
    });
    settings(history, fact);
  },
  'aggregator.MinUpdateIntervalChangeCancelled': settings,
  'strategy.PPSExpirationProposed': settings,
  'strategy.PPSExpiryThresholdProposalCanceled': settings,
  'strategy.PPSExpiryThresholdUpdated': settings,
  'strategy.YieldSourceAdded': (history, fact) => {
    history.sources.note(fact, 'added', addressOf(fact, 'source'));
    settings(history, fact);
  },
  'strategy.YieldSourceOracleUpdated': settings,
  'strategy.YieldSourceRemoved': (history, fact) => {
    history.sources.note(fact, 'removed', addressOf(fact, 'source'));
    settings(history, fact);
  },
  'strategy.HookExecuted': (history, fact) => {
    history.sources.note(fact, 'used', addressOf(fact, 'targetedYieldSource'));
    history.hooksExecuted.push({ block: fact.block, time: fact.time, hook: addressOf(fact, 'hook') });
  },
  'aggregator.UpkeepDeposited': (history, fact) => {
    upkeepMoved(history, fact, 'deposited');
    history.happened(fact, 'upkeep_deposit', { wallet: addressOf(fact, 'depositor') });
  },
  'aggregator.UpkeepSpent': (history, fact) => {
    upkeepMoved(history, fact, 'spent');
  },
  'aggregator.UpkeepWithdrawn': (history, fact) => {
    upkeepMoved(history, fact, 'withdrawn');
    history.happened(fact, 'upkeep_withdrawal', { wallet: addressOf(fact, 'withdrawer') });
  },
};
