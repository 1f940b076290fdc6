import type { ChainRecord } from './chain-record.ts';
import { feeTotals, flowFigures, priceAt, tvlFigures } from './flows.ts';
import { gasFigures } from './gas.ts';
import { holderFigures } from './holders.ts';
import { apy, DAY, HOUR, maxDrawdown, observationsOf, periodReturn } from './net-pps.ts';
import { redemptionFigures } from './redemptions.ts';

/** The windows of the headline figures, seconds. */
export const windows = { h24: 24n * HOUR, d7: 7n * DAY, d30: 30n * DAY } as const;

const perWindow = <T>(figure: (seconds: bigint) => T) => ({
  h24: figure(windows.h24),
  d7: figure(windows.d7),
  d30: figure(windows.d30),
});

/** Every figure that logs and receipts alone give, true at the record's block. Names follow the API's. */
export function recompute(record: ChainRecord) {
  const { time, terms } = record;
  const observations = observationsOf(record);
  const last = observations.at(-1);
  if (!last) throw new Error('A vault without a price was never created.');
  const current = terms.maxStaleness * 2n > DAY ? terms.maxStaleness * 2n : DAY;
  return {
    apy: {
      current: apy(observations, time, current),
      d7: apy(observations, time, windows.d7),
      d30: apy(observations, time, windows.d30),
      since_inception: apy(observations, time, null),
    },
    period_return: {
      ...perWindow((seconds) => periodReturn(observations, time, seconds)),
      since_inception: periodReturn(observations, time, null),
    },
    max_drawdown_30d: maxDrawdown(observations, time, windows.d30),
    holders: holderFigures(record, last.pps, priceAt(record, time)),
    flow: perWindow((seconds) => flowFigures(record, time - seconds, time)),
    tvl: perWindow((seconds) => tvlFigures(record, seconds)),
    fees: feeTotals(record),
    gas: perWindow((seconds) => gasFigures(record, time - seconds, time)),
    redemptions: perWindow((seconds) => redemptionFigures(record, time - seconds)),
  };
}
