import { evaluate, type GivenInput, type Result } from './formula/evaluate.ts';

const year = '31 536 000';
const change = 'net_end x product(waived_before) / (net_start x product(waived_after)) - 1';
const daily = 'r = ln(skip(close, 1) / drop(close, 1))';
const deviation = 'sqrt(sum((r - mean)^2) / (count(r) - 1))';
const ofMean = `${daily}, mean = sum(r) / count(r)`;
const ofReturns = `${ofMean}, volatility = ${deviation}`;
// Where more than 20 % of the days had no report: the squares of the moves over the days that they took.
const irregular = 'sqrt(sum(m^2) / sum(skip(reported_day, 1) - drop(reported_day, 1)))';
const moves = 'm = ln(skip(reported_close, 1) / drop(reported_close, 1))';
const ofMoves = `${ofMean}, volatility = ${irregular}, ${moves}`;
// A series has levels or rates: without any of one kind its product is 1, and without a series nothing was earned.
const growth =
  'product(benchmark_after / benchmark_before) x product(1 + benchmark_rate x benchmark_seconds / 31 536 000)';
const dailyBenchmark =
  'if(count(benchmark_rate) > 0, ln(1 + benchmark_rate / 365), ln(benchmark_after / benchmark_before))';
const meanBenchmark = `benchmark_daily = sum(${dailyBenchmark}) / count(r)`;
const ofGaps = `gap = r - b, mean_gap = sum(gap) / count(gap), deviation = sqrt(sum((gap - mean_gap)^2) / (count(gap) - 1)), b = ${dailyBenchmark}, ${daily}`;
const factor = '365 / sqrt(max(1, 365 + 2 x sum((365 - lag) x rho)))';
const losses = 'loss = 1 - skip(close, 1) / drop(close, 1)';
const nearestRank = (sample: string) => `nth(sort(${sample}), max(1, ceil(q x count(${sample}))))`;
const index = 'sum(amount^2) / sum(amount)^2';
const dollars = '10^(asset_decimals + price_decimals)';
const meanPrice = '(price_start + price_end) / 2';
const flow = 'flow = sum(added) - sum(taken)';
const fees = 'fees = sum(skimmed)';
const earned = 'assets_end - assets_start - flow + fees';
const profit = 'floor(max(0, pps - hwm) x supply / precision)';
const fullDay = 'demand = nth(sort(day), max(1, ceil(q x count(day))))';

/**
 * Every published formula, by name, as receipts print it. A receipt names one; evaluated over the receipt's inputs it gives the figure
 * again. Amounts are base units, PPS raw over the vault's precision, times seconds.
 */
export const publishedFormulas = {
  value: 'value',
  number: 'double(value)',
  display: 'decimal(pps / 10^asset_decimals)',
  units: 'decimal(amount / 10^asset_decimals)',
  count: 'count(item)',
  count_at_most: 'min(asked, count(item))',
  sum: 'sum(added) - sum(taken)',
  sum_usd: `double((sum(added) - sum(taken)) / ${dollars}); each amount x price of its time`,
  period_return: `double(${change})`,
  apy: `double((1 + r)^(${year} / (t_end - t_start)) - 1) where r = ${change}`,
  apr: `double(r x ${year} / (t_end - t_start)) where r = ${change}`,
  gross_apy: `double((pps_end x product(skim_before) / (pps_start x product(skim_after)))^(${year} / (t_end - t_start)) - 1); each skim added back: x PPS before it / PPS after it`,
  change_bps: 'double((end / start - 1) x 10 000)',
  profit,
  performance_fee: `ceil(${profit} x fee_bps / 10 000)`,
  net_pps: 'floor(pps - max(0, pps - hwm) x fee_bps / 10 000)',
  net_pps_numerator: 'pps x 10 000 - max(0, pps - hwm) x fee_bps',
  fee_drag: `double((kept^(${year} / (t_end - t_start)) - 1) x (1 + r)^(${year} / (t_end - t_start))) where r = ${change}, kept = pps_end x product(skim_before) / (pps_start x product(skim_after)) / (1 + r); APY before fees less APY after them`,
  benchmark_return: `double(${growth} - 1)`,
  benchmark_rate: `double((${growth})^(${year} / (t_end - t_start)) - 1)`,
  excess_return: `double(${change} - (${growth} - 1)); the return less what the benchmark earned in the same time`,
  tracking_error: `double(sqrt(365) x deviation) where ${ofGaps}`,
  information_ratio: `double(sqrt(365) x mean_gap / deviation) where ${ofGaps}`,
  guard_use:
    'double(abs(divergence) / (floor(threshold x 100 000 000 / 10^18) / 10 000)); the threshold in basis points to four digits',
  divergence: 'double(trunc((calculated / current - 1) x 100 000 000) / 10 000); basis points to four digits',
  age: 'max(0, now - then)',
  source_apy: `double((end / start)^(${year} / (t_end - t_start)) - 1)`,
  days: 'double(seconds / 86 400)',
  component_score: 'double(min(1, max(0, (value - score_0) / (score_1 - score_0))))',
  drawdown: 'double(1 - net / peak); peak: highest net so far',
  max_drawdown: 'double(max(0, 1 - net / running_max(net))); over all observations of the window',
  calmar: `double(((1 + r)^(${year} / (t_end - t_start)) - 1) / max(0, 1 - net / running_max(net))) where r = ${change}`,
  share_of_days: 'double(sum(close < peak) / count(close)); peak: highest observation since inception',
  tvl: 'floor(supply x pps / precision)',
  usd: `double(amount x price / ${dollars})`,
  change: 'double(end / start - 1)',
  split_flow: `double(flow x ${meanPrice} / ${dollars}) where ${flow}`,
  split_yield: `double((${earned}) x ${meanPrice} / ${dollars}) where ${flow}, ${fees}`,
  split_fees: `double((0 - fees) x ${meanPrice} / ${dollars}) where ${fees}`,
  split_price: `double((assets_start + assets_end) / 2 x (price_end - price_start) / ${dollars})`,
  split_total: `double((assets_end x price_end - assets_start x price_start) / ${dollars}); flow + yield + fees + price`,
  bridge_usd: `double(amount x ${meanPrice} / ${dollars}); an amount of a change in dollars of the mean price`,
  bridge_yield: `${earned} where ${flow}, ${fees}`,
  source_yield:
    'sum(after) - sum(before) + sum(floor(kept x worth / whole)) - sum(held) + sum(floor(closed x price_after / price_before)) - sum(closed); before and after stretches without a deposit or withdrawal; across one: the shares kept at what the shares after it are worth, or the assets by the share price of the source',
  not_observed: `earned - (${earned}) where ${flow}, ${fees}; assets_start and assets_end: at the first and the last observation`,
  reporting_lag: 'accounted_end - sum(held_end) - (accounted_start - sum(held_start))',

  ratio: 'double(numerator / denominator)',
  hhi: `double(${index})`,
  hhi_points: `double(10 000 x ${index})`,
  allocation_share:
    'double((nth(whole, position + 1) + (ahead < 1 000 000 000 - sum(whole))) / 1 000 000 000) where part = amount x 1 000 000 000 / sum(amount), whole = floor(part), rest = part - whole, own = nth(rest, position + 1), ahead = sum(rest > own) + sum((rest = own) x (places(rest) <= position)); in parts per billion, what rounding loses goes to the largest remainders',
  hhi_part: 'double(amount^2 / whole^2)',
  effective_number: 'double(sum(amount)^2 / sum(amount^2)); 1 / HHI',
  hhi_normalised: `double(if(n > 1, (hhi - 1 / n) / (1 - 1 / n), 1)) where hhi = ${index}, n = sum(amount > 0)`,
  largest_share: 'double(sum(largest(amount, most)) / sum(amount))',
  volatility: `double(${deviation}) where ${ofMean}`,
  volatility_annual: `double(sqrt(365) x ${deviation}) where ${ofMean}`,
  volatility_irregular: `double(${irregular}) where ${moves}; more than 20 % of the days had no report`,
  volatility_irregular_annual: `double(sqrt(365) x ${irregular}) where ${moves}; more than 20 % of the days had no report`,
  sharpe: `double((mean - benchmark_daily) / volatility x ${factor}) where ${meanBenchmark}, ${ofReturns}, rho = leading_autocorrelations(r), lag = places(rho); rho at lags 1, 2, ... before the first within 1.96 / sqrt(n), at most floor(10 x log10(n)) (Lo 2002)`,
  sharpe_naive: `double((mean - benchmark_daily) / volatility x sqrt(365)) where ${meanBenchmark}, ${ofReturns}`,
  sharpe_irregular: `double((mean - benchmark_daily) / volatility x ${factor}) where ${meanBenchmark}, ${ofMoves}, rho = leading_autocorrelations(r), lag = places(rho); more than 20 % of the days had no report; rho as without them`,
  sharpe_naive_irregular: `double((mean - benchmark_daily) / volatility x sqrt(365)) where ${meanBenchmark}, ${ofMoves}; more than 20 % of the days had no report`,
  sortino: `double((mean - benchmark_daily) / downside x sqrt(365)) where ${meanBenchmark}, ${ofMean}, gap = r - benchmark_daily, downside = sqrt(sum(((gap < 0) x gap)^2) / count(r))`,
  autocorrelation: `double(sum(skip(d, 1) x drop(d, 1)) / sum(d^2)) where ${daily}, d = r - sum(r) / count(r)`,
  value_at_risk: `double(${nearestRank('loss')}) where ${losses}`,
  expected_shortfall: `double(sum(loss x (loss >= edge)) / sum(loss >= edge)) where ${losses}, edge = ${nearestRank('loss')}`,
  worth: 'floor(shares x pps / precision)',
  dust: `if(count(price) > 0, max(1, floor(floor(${dollars} / 100) x precision / (pps x price))), 1); shares worth a cent, at least one raw unit`,
  what_is_left: 'min(most, max(0, whole - sum(earlier)))',
  source_payment: 'min(floor(payable x (1 - shock)), max(0, whole - sum(earlier)))',
  shock_loss: 'sum(floor(held x shock))',
  shock_usd: `double(amount x price x shock / ${dollars})`,
  payable_after:
    '(1 - blocked) x (idle + sum(pairwise_min(payable, held - floor(held x part)))); part: of what a source holds, lost to the shock; blocked: 1 once the last price has expired',
  claim_loss: 'min(asked, floor(asked x loss / max(1, whole))); the part of a loss that falls to a claim',
  time_left: 'max(0, then + limit - now)',
  runway_at: 'floor(balance / (cost x factor) x seconds / reports)',
  extra_gas: `double(sum(dollars) x (factor - 1) x ${year} / seconds)`,
  shortfall: 'max(0, demand - sum(payable))',
  outflow_share: `double(demand / assets) where ${fullDay}`,
  outflow_shortfall: `max(0, demand - sum(payable)) where ${fullDay}`,
  slippage: 'double(short / expected x 10 000)',
  per_day: 'double(reports x 86 400 / seconds)',
  bps_per_year: `double(dollars x ${year} / seconds / tvl x 10 000)`,
  mean_usd: `double(sum(added) / ${dollars} / count(added)); each amount x price of its time`,
  mean: 'floor(sum(sample) / count(sample))',
  median:
    'floor((nth(sorted, ceil(n / 2)) + nth(sorted, floor(n / 2) + 1)) / 2) where sorted = sort(sample), n = count(sample)',
  quantile: `${nearestRank('sample')}; nearest rank`,
  quantile_number: `${nearestRank('sample')}; nearest rank`,
  weighted_mean: 'double(10 000 x sum(short / expected x weight) / sum(weight))',
  simple_mean: 'double(10 000 x sum(short / expected) / count(expected))',
  largest: 'double(10 000 x max(short / expected))',
  internal_rate:
    'double(internal_rate(amount, seconds)); the rate at which sum(amount x (1 + rate)^(seconds / year)) is 0: put in is negative, taken out and the value now are positive',
  tenure: 'double(sum(shares x (now - since)) / sum(shares)); shares leave in the order in which they came',
  kept_shares: 'double(sum(pairwise_min(before, now)) / sum(before))',
  kept_wallets: 'double(sum(held > dust) / count(held))',
  net_kept_shares: 'double(sum(now) / sum(before))',
  runway: 'floor(balance / cost x seconds / reports)',
  covered_weight: 'double(floor(sum(weight) x 1 000 000 + 1 / 2) / 1 000 000)',
  weighted_score: 'double(max(100 x sum(weight x score) / sum(weight), floor)); floor: of each danger that holds',
} as const satisfies Record<string, string>;

/** A key of `publishedFormulas`. */
export type MethodName = keyof typeof publishedFormulas;

/** The published formula of a method. @throws when there is none. */
export function formulaOf(method: string): string {
  if (!Object.hasOwn(publishedFormulas, method)) throw new Error(`There is no published formula ${method}.`);
  return publishedFormulas[method as MethodName];
}

/** Applies a published formula to a receipt's inputs. @throws when the method or an input is unknown. */
export const recompute = (method: string, inputs: readonly GivenInput[]): Result => evaluate(formulaOf(method), inputs);
