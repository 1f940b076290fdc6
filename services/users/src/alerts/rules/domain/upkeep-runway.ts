import { recentUpdatePace, type UpdatePace, upkeepRunwaySeconds } from '@castellan/chain';
import type { Facts } from './facts.ts';

const DAY = 86_400;

const paceOf = ({ reports, pricedSince, intervalChangedAt }: Facts, time: number): UpdatePace =>
  recentUpdatePace({
    time,
    pricedSince,
    intervalChangedAt,
    reportsSince: (from) => reports.filter((report) => report > from && report <= time).length,
  });

/** How long the upkeep lasts, and the pace of price updates by which it was computed. */
export type Runway = { readonly seconds: number; readonly basis: UpdatePace['basis'] };

/** How long the upkeep lasts, as analytics publishes it. Null while the pace is not known, or updates cost nothing. */
export function upkeepRunway(facts: Facts, time: number): Runway | null {
  const { state } = facts;
  if (!state?.upkeep_enabled || state.upkeep_cost === null) return null;
  const { reports, seconds, basis, isKnown } = paceOf(facts, time);
  if (!isKnown) return null;
  const funds = { balance: BigInt(state.upkeep_balance), costPerUpdate: BigInt(state.upkeep_cost) };
  const lasts = upkeepRunwaySeconds({ ...funds, reports, seconds });
  return lasts === null ? null : { seconds: lasts, basis };
}

/** In how many seconds since its beginning a stretch that grows brings the runway to `limit`; Infinity with an empty balance. */
function secondsTo(limit: number, { state }: Facts, reports: number): number {
  if (!state || state.upkeep_cost === null || BigInt(state.upkeep_balance) === 0n) return Number.POSITIVE_INFINITY;
  const balance = BigInt(state.upkeep_balance);
  return Number((BigInt(Math.ceil(limit)) * BigInt(state.upkeep_cost) * BigInt(reports) + balance - 1n) / balance);
}

/**
 * When next, after `time`, the clock alone brings the runway to `limit` or changes what is counted: an update is more than 24 hours
 * ago, or the stretch has grown enough. Undefined while the runway is not below `limit`, because the clock only lengthens it.
 */
export function nextRunway(facts: Facts, time: number, limit: number): number | undefined {
  const runway = upkeepRunway(facts, time);
  const wholeDay = facts.pricedSince === null ? undefined : facts.pricedSince + DAY;
  if (runway === null) return wholeDay;
  if (runway.seconds >= limit) return undefined;
  if (runway.basis !== 'last_24h') {
    const { from, reports } = paceOf(facts, time);
    return Math.min(from + secondsTo(limit, facts, reports), from + DAY);
  }
  const oldest = facts.reports.find((report) => report > time - DAY);
  return oldest === undefined ? undefined : oldest + DAY;
}
