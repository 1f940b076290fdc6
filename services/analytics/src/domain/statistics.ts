import { ratio } from './ratio.ts';

/** ln(x_i / x_(i-1)) of a positive series. */
export function logReturns(values: readonly bigint[]): number[] {
  return values.slice(1).map((value, index) => {
    const before = values[index] as bigint;
    return Math.log1p(ratio(value - before, before));
  });
}

/** The arithmetic mean; NaN for no values. */
export const mean = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0) / values.length;

/** Sample standard deviation (n - 1); null below two values. */
export function sampleDeviation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const middle = mean(values);
  return Math.sqrt(values.reduce((total, value) => total + (value - middle) ** 2, 0) / (values.length - 1));
}

/**
 * Standard deviation per unit of time of a series that is observed at irregular times: the root of the sum of squared changes over the
 * time they took. Null without a change.
 * @param spans - The time of each change.
 */
export function irregularDeviation(changes: readonly number[], spans: readonly number[]): number | null {
  const time = spans.reduce((total, span) => total + span, 0);
  return time > 0 ? Math.sqrt(changes.reduce((total, change) => total + change ** 2, 0) / time) : null;
}

/** Autocorrelation at a lag; null when the series does not vary. */
export function autocorrelation(values: readonly number[], lag: number): number | null {
  const middle = mean(values);
  const spread = values.reduce((total, value) => total + (value - middle) ** 2, 0);
  if (spread === 0 || values.length <= lag) return null;
  let together = 0;
  for (let at = lag; at < values.length; at += 1)
    together += ((values[at] as number) - middle) * ((values[at - lag] as number) - middle);
  return together / spread;
}

/**
 * The factor that scales a daily Sharpe ratio to q days under serial correlation: q / sqrt(q + 2 sum of (q - k) rho_k).
 * @see Lo (2002), The Statistics of Sharpe Ratios; with rho_k = 0 it is sqrt(q).
 */
export function scalingFactor(q: number, correlations: readonly number[]): number {
  const spread = correlations.reduce((total, rho, index) => total + (q - (index + 1)) * rho, 0);
  // Strong negative correlation would make the sum negative; a factor beyond q has no meaning.
  return q / Math.sqrt(Math.max(1, q + 2 * spread));
}

/**
 * Autocorrelations at lags 1, 2, ... before the first that chance alone explains, one within 1.96 / sqrt(n), and at most
 * floor(10 log10 n) of them.
 */
export function significantCorrelations(values: readonly number[]): number[] {
  const most = Math.floor(10 * Math.log10(values.length));
  const found: number[] = [];
  for (let lag = 1; lag <= most; lag += 1) {
    const rho = autocorrelation(values, lag);
    if (rho === null || Math.abs(rho) <= 1.96 / Math.sqrt(values.length)) break;
    found.push(rho);
  }
  return found;
}

/**
 * Annual Sharpe ratio over 365 days, scaled for serial correlation (Lo 2002); null when the returns do not vary.
 * @param deviation - Of the returns of a day.
 */
export function adjustedSharpe(
  returns: readonly number[],
  benchmarkDaily: number,
  deviation: number | null = sampleDeviation(returns),
): number | null {
  if (deviation === null || deviation === 0) return null;
  return ((mean(returns) - benchmarkDaily) / deviation) * scalingFactor(365, significantCorrelations(returns));
}

/**
 * Annual Sharpe ratio with the square root of time, which takes the returns for independent.
 * @param deviation - Of the returns of a day.
 */
export function naiveSharpe(
  returns: readonly number[],
  benchmarkDaily: number,
  deviation: number | null = sampleDeviation(returns),
): number | null {
  if (deviation === null || deviation === 0) return null;
  return ((mean(returns) - benchmarkDaily) / deviation) * Math.sqrt(365);
}

/** Annual Sortino ratio by the square root of time; null when no return is below the benchmark. */
export function sortinoRatio(returns: readonly number[], benchmarkDaily: number): number | null {
  const squares = returns.map((value) => Math.min(0, value - benchmarkDaily) ** 2);
  const downside = Math.sqrt(mean(squares));
  return downside > 0 ? ((mean(returns) - benchmarkDaily) / downside) * Math.sqrt(365) : null;
}
