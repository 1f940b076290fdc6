import { lastAt, logOf, minus, one, per, toNumber } from './numbers.ts';
import { type Observation, observationsIn, steady } from './prices.ts';
import { DAY, midnights, type Range, YEAR } from './time.ts';

/** Daily returns that a figure of volatility needs. */
export const ENOUGH = 20;
const DAYS_OF_YEAR = 365;
/** Below this annual volatility a ratio to it measures rounding. */
export const MEANINGFUL = 0.005;

export type Return = { day: bigint; log: number; loss: number; stale: boolean };

/** Returns from midnight to midnight (UTC), of the days that end in the range. The first day has the close before it. */
export function dailyReturns(observations: readonly Observation[], range: Range): Return[] {
  return midnights(range.from, range.to).flatMap((day) => {
    const before = lastAt(observations, day - DAY);
    const close = lastAt(observations, day);
    if (!before || !close) return [];
    const a = steady(before);
    const b = steady(close);
    const reported = observations.some(({ time, source }) => source === 'oracle' && time > day - DAY && time <= day);
    return [{ day, log: logOf(b, a), loss: toNumber(minus(one, per(b, a))), stale: !reported }];
  });
}

export const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

/** Sample standard deviation (n - 1). */
export function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(values.reduce((total, value) => total + (value - middle) ** 2, 0) / (values.length - 1));
}

/** Correlation of the returns with those `lag` days before, over the variance of all. */
export function autocorrelation(values: readonly number[], lag: number): number {
  const middle = mean(values);
  const off = values.map((value) => value - middle);
  const both = off.slice(lag).reduce((total, value, at) => total + value * (off[at] as number), 0);
  return both / off.reduce((total, value) => total + value * value, 0);
}

/** Lags that count: up to the first whose correlation is within chance, at most floor(10 log10 n). */
function correlations(values: readonly number[]): number[] {
  const found: number[] = [];
  for (let lag = 1; lag <= Math.floor(10 * Math.log10(values.length)) && lag < values.length; lag += 1) {
    const rho = autocorrelation(values, lag);
    if (Math.abs(rho) < 1.96 / Math.sqrt(values.length)) break;
    found.push(rho);
  }
  return found;
}

/** Lo (2002): what a daily ratio is multiplied by for one of `q` days. */
export function annualFactor(rhos: readonly number[], q = DAYS_OF_YEAR): number {
  const weighted = rhos.reduce((total, rho, at) => total + (q - at - 1) * rho, 0);
  return q / Math.sqrt(Math.max(1, q + 2 * weighted));
}

/** Where too many days had no price: squares of the moves between prices over the days between them. */
function irregular(observations: readonly Observation[], range: Range): number {
  const inside = observationsIn(observations, range);
  const moves = inside.slice(1).map((each, at) => ({
    log: logOf(steady(each), steady(inside[at] as Observation)),
    days: Number(each.time - (inside[at] as Observation).time) / Number(DAY),
  }));
  const days = moves.reduce((total, move) => total + move.days, 0);
  return Math.sqrt(moves.reduce((total, { log }) => total + log * log, 0) / days);
}

/** Mean over the deviation of the days below the benchmark alone, of a year; null when there is no such day. */
function sortinoOf(logs: readonly number[], benchmark: number): number | null {
  const above = logs.map((log) => log - benchmark);
  const downside = Math.sqrt(mean(above.map((log) => (log < 0 ? log * log : 0))));
  return downside ? (mean(above) / downside) * Math.sqrt(DAYS_OF_YEAR) : null;
}

/** What the benchmark returned in the day that ends at a midnight, as a logarithm; null where that is not known. */
type DayOf = (midnight: bigint) => number | null;

/** Figures of the daily returns of a range; null where there are too few. Ratios are of what is above the mean of the benchmark. */
export function volatilityIn(observations: readonly Observation[], range: Range, benchmarkDay: DayOf = () => 0) {
  const returns = dailyReturns(observations, range);
  const logs = returns.map(({ log }) => log);
  const stale = returns.filter(({ stale: none }) => none).length;
  const counts = { days: logs.length, stale_days: stale };
  if (logs.length < ENOUGH)
    return { ...counts, daily: null, annual: null, sharpe: null, sortino: null, naive: null, autocorrelation: null };
  const daily = stale * 5 > logs.length ? irregular(observations, range) : deviation(logs);
  const annual = daily * Math.sqrt(DAYS_OF_YEAR);
  const against = returns.map(({ day }) => benchmarkDay(day));
  const meaningful = annual >= MEANINGFUL && !against.includes(null);
  const benchmark = mean(against.map((value) => value ?? 0));
  const ratioOfDay = (mean(logs) - benchmark) / daily;
  return {
    ...counts,
    daily,
    annual,
    sharpe: meaningful ? ratioOfDay * annualFactor(correlations(logs)) : null,
    sortino: meaningful ? sortinoOf(logs, benchmark) : null,
    naive: meaningful ? ratioOfDay * Math.sqrt(DAYS_OF_YEAR) : null,
    autocorrelation: autocorrelation(logs, 1),
  };
}

/** Standard deviation of the returns of the `days` days up to a midnight; null unless there are as many. */
export function rollingAt(observations: readonly Observation[], midnight: bigint, days: number): number | null {
  const range = { from: midnight - BigInt(days) * DAY, to: midnight, whole: false };
  const logs = dailyReturns(observations, range).map(({ log }) => log);
  return logs.length < days ? null : deviation(logs);
}

/** Quantiles of the daily losses of up to a year before `now`, and the mean at and beyond the first. */
export function tailOf(observations: readonly Observation[], now: bigint) {
  const returns = dailyReturns(observations, { from: now - YEAR, to: now, whole: false });
  const losses = returns.map(({ loss }) => loss).sort((a, b) => a - b);
  const rank = (percent: number) => Math.max(0, Math.ceil((percent * losses.length) / 100) - 1);
  const enough = losses.length >= ENOUGH;
  return {
    p95: enough ? (losses[rank(95)] as number) : null,
    p99: losses.length >= 250 ? (losses[rank(99)] as number) : null,
    expected_shortfall_95: enough ? mean(losses.slice(rank(95))) : null,
  };
}
