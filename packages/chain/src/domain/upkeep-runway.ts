const DAY = 86_400;

/** The price updates that are counted: so many within `seconds` after `from`, and why since then. Chain time in seconds. */
export type UpdatePace = {
  readonly reports: number;
  readonly from: number;
  readonly seconds: number;
  readonly basis: 'last_24h' | 'since_interval_change' | 'since_creation';
  readonly isKnown: boolean;
};

/**
 * The recent pace of a vault's price updates: of the last 24 hours; since the least interval between two changed within them, once two
 * came since; or since the vault's first price, if that is later. Chain time in seconds.
 * @param history.reportsSince - Counts updates after a time, up to `time`.
 * @returns `isKnown` is false without an update, and with a single one in a vault that is younger than a day.
 */
export function recentUpdatePace(history: {
  time: number;
  /** Of the first price; null before it. */
  pricedSince: number | null;
  intervalChangedAt: number | null;
  reportsSince: (from: number) => number;
}): UpdatePace {
  const { time, pricedSince, intervalChangedAt: changed, reportsSince } = history;
  const dayAgo = time - DAY;
  const from = Math.max(dayAgo, pricedSince ?? time);
  if (changed !== null && changed > from) {
    const reports = reportsSince(changed);
    if (reports >= 2)
      return {
        reports,
        from: changed,
        seconds: time - changed,
        basis: 'since_interval_change',
        isKnown: time > changed,
      };
  }
  const reports = reportsSince(from);
  const basis = from > dayAgo ? 'since_creation' : 'last_24h';
  const isKnown = time > from && reports >= (basis === 'last_24h' ? 1 : 2);
  return { reports, from, seconds: time - from, basis, isKnown };
}

/**
 * How long the upkeep lasts: balance / cost, at so many `reports` in `seconds`.
 * @param funds - `balance` and `costPerUpdate` in base units of the upkeep token.
 * @returns Whole seconds, rounded down; null when updates cost nothing or none are made.
 */
export function upkeepRunwaySeconds(funds: {
  balance: bigint;
  costPerUpdate: bigint;
  reports: number;
  seconds: number;
}): number | null {
  const { balance, costPerUpdate, reports, seconds } = funds;
  if (costPerUpdate === 0n || reports <= 0 || seconds <= 0) return null;
  return Number((balance * BigInt(seconds)) / (costPerUpdate * BigInt(reports)));
}
