import type { Facts } from './facts.ts';

const DAY = 86_400;

/** Updates that count for the pace, since which moment, and over how many seconds. */
type Pace = {
  readonly reports: number;
  readonly from: number;
  readonly seconds: number;
  readonly basis: 'last_24h' | 'since_interval_change' | 'since_creation';
};

type Known = Pick<Facts, 'reports' | 'pricedSince' | 'intervalChangedAt'>;

const reportsBetween = ({ reports }: Known, from: number, to: number): number =>
  reports.filter((time) => time > from && time <= to).length;

function paceOf(facts: Known, time: number): Pace {
  const { intervalChangedAt: changed, pricedSince } = facts;
  const dayAgo = time - DAY;
  if (changed !== null && changed > dayAgo) {
    const reports = reportsBetween(facts, changed, time);
    if (reports >= 2) return { reports, from: changed, seconds: time - changed, basis: 'since_interval_change' };
  }
  const from = Math.max(dayAgo, pricedSince ?? time);
  const basis = from > dayAgo ? 'since_creation' : 'last_24h';
  return { reports: reportsBetween(facts, from, time), from, seconds: time - from, basis };
}

/** How long the upkeep lasts, and the pace of price updates by which it was computed. */
export type Runway = { readonly seconds: number; readonly basis: Pace['basis'] };

/**
 * How long the upkeep lasts at the pace of the last 24 hours, or since the least interval between updates changed within them
 * once two came since: the runway that analytics publishes. Null while the pace is not known, or updates cost nothing.
 */
export function upkeepRunway(facts: Facts, time: number): Runway | null {
  const { state } = facts;
  if (!state?.upkeep_enabled || state.upkeep_cost === null) return null;
  const { reports, seconds, basis } = paceOf(facts, time);
  const cost = BigInt(state.upkeep_cost);
  if (cost === 0n || seconds <= 0 || reports < (basis === 'last_24h' ? 1 : 2)) return null;
  return { seconds: Number((BigInt(state.upkeep_balance) * BigInt(seconds)) / (cost * BigInt(reports))), basis };
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
