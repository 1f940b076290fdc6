import type { ChainRecord } from './chain-record.ts';
import { maxDrawdown } from './drawdown.ts';
import { feeTotals, feeTotalsUsd } from './fees.ts';
import { flowFigures } from './flows.ts';
import { gasFigures } from './gas.ts';
import { holderFigures } from './holders.ts';
import { apy, observationsOf, periodReturn } from './prices.ts';
import { redemptionFigures } from './redemptions.ts';
import { DAY, windows } from './time.ts';
import { tvlOfWindows } from './tvl.ts';

const perWindow = <T>(figure: (seconds: bigint) => T) => ({
  h24: figure(windows.h24),
  d7: figure(windows.d7),
  d30: figure(windows.d30),
});

/** The window of the current APY: twice the oldest report that is accepted, at least a day. */
export const currentWindow = ({ terms }: ChainRecord): bigint =>
  terms.maxStaleness * 2n > DAY ? terms.maxStaleness * 2n : DAY;

/** The figures that most is built on, true at the record's block. Names follow the API's. */
export function recompute(record: ChainRecord) {
  const { time } = record;
  const observations = observationsOf(record);
  const rate = (window: bigint | null) => apy(observations, time, window);
  const gain = (window: bigint | null) => periodReturn(observations, time, window);
  return {
    apy: {
      current: rate(currentWindow(record)),
      d7: rate(windows.d7),
      d30: rate(windows.d30),
      since_inception: rate(null),
    },
    period_return: { ...perWindow(gain), since_inception: gain(null) },
    max_drawdown_30d: maxDrawdown(observations, time, windows.d30),
    holders: holderFigures(record),
    flow: perWindow((seconds) => flowFigures(record, time - seconds, time)),
    tvl: tvlOfWindows(record),
    fees: { ...feeTotals(record), ...feeTotalsUsd(record) },
    gas: perWindow((seconds) => gasFigures(record, time - seconds, time)),
    redemptions: perWindow((seconds) => redemptionFigures(record, time - seconds)),
  };
}
