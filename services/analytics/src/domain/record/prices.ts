import { amountOf } from '../facts.ts';
import type { Recorder } from './recorder.ts';

type Recorders = Readonly<Record<string, Recorder>>;

/** What prices and their guards add to a history. */
export const priceRecorders: Recorders = {
  'aggregator.PPSUpdated': (history, fact) => {
    history.prices.reported(fact);
    history.valued(fact);
    if (history.prices.points.length > 1) history.happened(fact, 'pps_update', {});
  },
  'aggregator.PPSUpdatedAfterSkim': (history, fact) => {
    const before = history.prices.hwm ?? 0n;
    history.prices.skimmed(fact);
    history.valued(fact);
    history.fees.markMoved(fact.tx, before, amountOf(fact, 'newPPS'));
    history.marked(fact, 'skim', 'Performance fee skimmed');
  },
  'aggregator.StrategyPaused': (history, fact) => {
    history.marked(fact, 'pause', 'Paused');
    history.happened(fact, 'pause', {});
  },
  'aggregator.StrategyUnpaused': (history, fact) => {
    history.marked(fact, 'unpause', 'Unpaused');
    history.happened(fact, 'unpause', {});
  },
  'aggregator.StrategyPPSStale': (history, fact) => history.marked(fact, 'stale', 'Price marked stale'),
  'aggregator.StrategyCheckFailed': (history, fact) =>
    history.marked(fact, 'check_failed', `Report refused: ${String(fact.args.reason)}`),
};
