import { lastAt, logOf, minus, one, per, type Ratio, toNumber } from './numbers.ts';
import { type Observation, steady } from './prices.ts';
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
    return [{ day, log: logOf(b, a), loss: toNumber(minus(one, per(b, a))), stale: !isReported(observations, day) }];
  });
}

/** Whether the oracle reported in the day that ends at a midnight. */
const isReported = (observations: readonly Observation[], day: bigint): boolean =>
  observations.some(({ time, source }) => source === 'oracle' && time > day - DAY && time <= day);

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

/** Where too many days had no price: squares of the moves between the closes of days that had one, over the days between them. */
function irregular(observations: readonly Observation[], returns: readonly Return[]): number | null {
  const [first] = returns;
  const days = first ? [first.day - DAY, ...returns.map(({ day }) => day)] : [];
  const closes = days.flatMap((day) => {
    const close = isReported(observations, day) && lastAt(observations, day);
    return close ? [{ day, net: steady(close) }] : [];
  });
  const start = closes[0];
  const end = closes.at(-1);
  if (!start || !end || start === end) return null;
  const squares = closes.slice(1).map(({ net }, at) => logOf(net, closes[at]?.net as Ratio) ** 2);
  return Math.sqrt(squares.reduce((total, square) => total + square, 0) / Number((end.day - start.day) / DAY));
}

/** Deviation of a day: of the returns, or where more than a fifth of the days had no price, of the moves between those that had. */
function deviationOf(observations: readonly Observation[], returns: readonly Return[]): number | null {
  const stale = returns.filter((each) => each.stale).length;
  return stale * 5 > returns.length ? irregular(observations, returns) : deviation(returns.map(({ log }) => log));
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
  const daily = deviationOf(observations, returns);
  const annual = daily === null ? null : daily * Math.sqrt(DAYS_OF_YEAR);
  const against = returns.map(({ day }) => benchmarkDay(day));
  const meaningful = daily !== null && annual !== null && annual >= MEANINGFUL && !against.includes(null);
  const benchmark = mean(against.map((value) => value ?? 0));
  const ratioOfDay = (mean(logs) - benchmark) / (daily ?? 1);
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

/** Deviation of the `days` days up to a midnight; null unless there are as many. */
export function rollingAt(observations: readonly Observation[], midnight: bigint, days: number): number | null {
  const range = { from: midnight - BigInt(days) * DAY, to: midnight, whole: false };
  const returns = dailyReturns(observations, range);
  return returns.length < days ? null : deviationOf(observations, returns);
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
