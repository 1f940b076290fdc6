import { deviationThresholdBps, exceedsDeviation, netPpsNumerator, pendingPerformanceFee } from '@castellan/chain';
import { type Moment, observationAt, ppsNow } from '../moment.ts';
import { ratio } from '../ratio.ts';
import { tvlAt } from './tvl.ts';

const percents = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 2 });

/** A check of the contract, and whether it would refuse the price. */
export type Guard = {
  name: 'paused' | 'min_update_interval' | 'deviation' | 'upkeep';
  tripped: boolean;
  detail: string;
};

/** What the chain would do with a report, in the contract's own order of checks. Null while nothing was observed. */
export type WhatIf = {
  currentPps: bigint;
  nextPps: bigint;
  changeBps: number;
  guards: Guard[];
  accepted: boolean;
  wouldPause: boolean;
  fee: { total: bigint; profit: bigint };
  /** The exact net PPS after it, over the denominator of all net prices. */
  nextNetNumerator: bigint;
  upkeepBefore: bigint;
  upkeepAfter: bigint;
  /** What the fee is reckoned by. */
  terms: { hwm: bigint; supply: bigint; precision: bigint; feeBps: bigint };
};

/**
 * "If this price were reported now". A paused vault and a report that comes too soon are refused without effect; a price beyond
 * the deviation guard, and upkeep that does not pay for the update, are refused and pause the vault.
 * @param asked - Raw PPS; the calculated one of the last observation when undefined.
 */
export function whatIf(moment: Moment, asked: bigint | undefined): WhatIf | null {
  const seen = observationAt(moment);
  const point = ppsNow(moment);
  const { precision } = moment.history;
  const next = asked ?? seen?.calculatedPps ?? null;
  if (!seen || !point || next === null || precision === undefined) return null;
  const sinceUpdate = moment.time - point.t;
  const threshold = deviationThresholdBps(seen.deviationThreshold);
  const cost = seen.upkeepEnabled ? (seen.upkeepCost ?? 0n) : 0n;
  const changeBps = ratio(next - point.pps, point.pps) * 10_000;
  const guards: Guard[] = [
    { name: 'paused', tripped: seen.isPaused, detail: 'A paused vault accepts no price.' },
    {
      name: 'min_update_interval',
      tripped: sinceUpdate < seen.minUpdateIntervalSeconds,
      detail: `The last price was ${sinceUpdate} s ago; the chain asks for at least ${seen.minUpdateIntervalSeconds} s.`,
    },
    {
      name: 'deviation',
      tripped: exceedsDeviation({
        current: point.pps,
        next,
        threshold: seen.deviationThreshold,
        isStale: seen.isStale,
      }),
      detail:
        threshold === null
          ? 'The guard is switched off.'
          : `A price can change by at most ${percents.format(threshold / 10_000)}.`,
    },
    {
      name: 'upkeep',
      tripped: seen.upkeepBalance < cost,
      detail: 'The upkeep balance has to cover the update.',
    },
  ];
  const refusedQuietly = guards[0]?.tripped === true || guards[1]?.tripped === true;
  const isZero = next === 0n;
  const tripped = isZero || guards.some((guard) => guard.tripped);
  const supply = tvlAt(moment, moment.time)?.supply ?? 0n;
  const { profit, total } = pendingPerformanceFee({
    pps: next,
    hwm: seen.hwm,
    totalSupply: supply,
    precision,
    performanceFeeBps: seen.performanceFeeBps,
    protocolShareBps: 0n,
  });
  return {
    currentPps: point.pps,
    nextPps: next,
    changeBps,
    guards,
    accepted: !tripped,
    wouldPause: tripped && !refusedQuietly,
    fee: { profit, total },
    terms: { hwm: seen.hwm, supply, precision, feeBps: seen.performanceFeeBps },
    nextNetNumerator: netPpsNumerator({ pps: next, hwm: seen.hwm, performanceFeeBps: seen.performanceFeeBps }),
    upkeepBefore: seen.upkeepBalance,
    // A report beyond the deviation guard is paid for all the same.
    upkeepAfter: refusedQuietly || seen.upkeepBalance < cost ? seen.upkeepBalance : seen.upkeepBalance - cost,
  };
}
