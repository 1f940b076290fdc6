import {
  ascending,
  ceilDiv,
  isBelow,
  median,
  minus,
  one,
  per,
  type Ratio,
  ratio,
  sum,
  times,
  toNumber,
} from './numbers.ts';
import { YEAR } from './time.ts';
import { annualFactor, autocorrelation, deviation } from './volatility.ts';

/** The inputs of a receipt, by name: several may share one. */
export type Inputs = { whole(name: string): bigint[]; real(name: string): number[] };

type Formula = (inputs: Inputs) => bigint | number | null;

const BPS = 10_000n;
const first = (inputs: Inputs, name: string): bigint => inputs.whole(name)[0] as bigint;
const firstReal = (inputs: Inputs, name: string): number => inputs.real(name)[0] as number;
const sizes = (inputs: Inputs) => inputs.whole('amount');
const positive = (value: bigint): bigint => (value > 0n ? value : 0n);
const scale = (inputs: Inputs) => 10n ** (first(inputs, 'asset_decimals') + first(inputs, 'price_decimals'));
const balance = (inputs: Inputs): bigint => sum(inputs.whole('added')) - sum(inputs.whole('taken'));
const mean = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0) / values.length;
const asRatio = (over: bigint): Ratio => ({ over, under: 1n });

const pricesOf = (inputs: Inputs, of: (value: (name: string) => bigint) => bigint | number) =>
  of((name) => first(inputs, name));

const profit = (value: (name: string) => bigint): bigint =>
  (positive(value('pps') - value('hwm')) * value('supply')) / value('precision');
const netOver = (value: (name: string) => bigint): bigint =>
  value('pps') * BPS - positive(value('pps') - value('hwm')) * value('fee_bps');

const gain = (inputs: Inputs): Ratio => {
  const waived = { over: first(inputs, 'waived_numerator'), under: first(inputs, 'waived_denominator') };
  const end = times(asRatio(first(inputs, 'net_end')), waived);
  return minus(per(end, asRatio(first(inputs, 'net_start'))), one);
};
const seconds = (inputs: Inputs): bigint => first(inputs, 't_end') - first(inputs, 't_start');
const yearly = (change: Ratio, over: bigint): number =>
  Math.expm1((Number(YEAR) / Number(over)) * Math.log1p(toNumber(change)));

const grossGain = (inputs: Inputs): Ratio => {
  const skims = inputs
    .whole('skim_before')
    .map((before, at) => ({ over: before, under: inputs.whole('skim_after')[at] as bigint }));
  const grown = { over: first(inputs, 'pps_end'), under: first(inputs, 'pps_start') };
  return minus(skims.reduce(times, grown), one);
};

const hhi = (amounts: readonly bigint[]): Ratio => ({
  over: sum(amounts.map((each) => each * each)),
  under: sum(amounts) ** 2n,
});

const logs = (inputs: Inputs): number[] => {
  const closes = inputs.whole('close');
  return closes.slice(1).map((close, at) => Math.log1p(ratio(close - (closes[at] as bigint), closes[at] as bigint)));
};
const losses = (inputs: Inputs): number[] => {
  const closes = inputs.whole('close');
  return closes
    .slice(1)
    .map((close, at) => ratio((closes[at] as bigint) - close, closes[at] as bigint))
    .sort((a, b) => a - b);
};
const rankOf = (inputs: Inputs, count: number): number =>
  Math.max(0, Math.ceil(firstReal(inputs, 'q') * count - 1e-9) - 1);

const split = (inputs: Inputs, of: (value: (name: string) => bigint) => bigint): number =>
  ratio(
    of((name) => first(inputs, name)),
    2n * scale(inputs),
  );

const deepest = (inputs: Inputs): number => {
  let [peak, most] = [one, { over: 0n, under: 1n }];
  for (const [at, net] of inputs.whole('net').entries()) {
    if (at === 0 || isBelow(peak, asRatio(net))) peak = asRatio(net);
    const depth = minus(one, per(asRatio(net), peak));
    if (isBelow(most, depth)) most = depth;
  }
  return toNumber(most);
};

const share = (inputs: Inputs): number => {
  const amounts = sizes(inputs);
  const BILLION = 1_000_000_000n;
  const total = sum(amounts);
  const rests = amounts.map((amount, at) => ({ at, rest: (amount * BILLION) % total }));
  const missing = Number(BILLION - sum(amounts.map((amount) => (amount * BILLION) / total)));
  const lucky = rests.sort((a, b) => Number(b.rest - a.rest) || a.at - b.at).slice(0, missing);
  const position = Number(first(inputs, 'position'));
  const extra = lucky.some(({ at }) => at === position) ? 1n : 0n;
  return Number(((amounts[position] as bigint) * BILLION) / total + extra) / 1e9;
};

const sharpe = (inputs: Inputs): number =>
  (mean(logs(inputs)) - firstReal(inputs, 'benchmark_daily')) / deviation(logs(inputs));

/** Lags as the text has them: before the first within chance, at most floor(10 x log10(n)). */
const honestSharpe = (inputs: Inputs): number => {
  const values = logs(inputs);
  const rhos: number[] = [];
  for (let lag = 1; lag <= Math.floor(10 * Math.log10(values.length)); lag += 1) {
    const rho = autocorrelation(values, lag);
    if (Math.abs(rho) <= 1.96 / Math.sqrt(values.length)) break;
    rhos.push(rho);
  }
  return sharpe(inputs) * annualFactor(rhos);
};

const kept = (inputs: Inputs, of: (before: bigint, now: bigint) => bigint): number => {
  const before = inputs.whole('before');
  return ratio(sum(before.map((shares, at) => of(shares, inputs.whole('now')[at] as bigint))), sum(before));
};

const nearest = (inputs: Inputs): bigint | null => {
  const sample = ascending(inputs.whole('sample'));
  return sample[rankOf(inputs, sample.length)] ?? null;
};

const weightedScore = (inputs: Inputs): number => {
  const [scores, weights] = [inputs.real('score'), inputs.real('weight')];
  const total = scores.reduce((whole, score, at) => whole + score * (weights[at] as number), 0);
  return Math.max((100 * total) / weights.reduce((whole, weight) => whole + weight, 0), ...inputs.real('floor'));
};

const componentScore = (inputs: Inputs): number => {
  const [value, none, full] = ['value', 'score_0', 'score_1'].map((name) => firstReal(inputs, name)) as [
    number,
    number,
    number,
  ];
  return Math.min(1, Math.max(0, (value - none) / (full - none)));
};

const runway = (inputs: Inputs): number =>
  Math.floor((ratio(first(inputs, 'balance'), first(inputs, 'cost')) * 86_400) / firstReal(inputs, 'updates_per_day'));

const lossShare = (inputs: Inputs): number => {
  const closes = inputs.whole('close');
  return closes.filter((close, at) => close < (inputs.whole('peak')[at] as bigint)).length / closes.length;
};

const weightedMean = (inputs: Inputs): number => {
  const [values, weights] = [inputs.real('sample'), inputs.real('weight')];
  const whole = weights.reduce((total, weight) => total + weight, 0);
  return values.reduce((total, value, at) => total + value * (weights[at] as number), 0) / whole;
};

const change = (value: (name: string) => bigint): bigint => value('assets_end') - value('assets_start');
const bothPrices = (value: (name: string) => bigint): bigint => value('price_start') + value('price_end');

const NORMALISED = '(HHI - 1/N) / (1 - 1/N), N = number of amounts above 0; 1 for a single one';
const normalised = (inputs: Inputs): number => {
  const amounts = sizes(inputs).filter((amount) => amount > 0n);
  if (amounts.length === 1) return 1;
  const even = { over: 1n, under: BigInt(amounts.length) };
  return toNumber(per(minus(hhi(amounts), even), minus(one, even)));
};

/** What each printed formula says, by its text: one that is worded otherwise is not evaluated and counted as such. */
export const formulas: Record<string, Formula> = {
  'number of items': (inputs) => inputs.whole('item').length,
  'sum of added - sum of taken': balance,
  '(sum of added - sum of taken), each amount x price of its time, / 10^(asset decimals + price decimals)': (inputs) =>
    ratio(balance(inputs), scale(inputs)),
  'amount / sum of amounts, in parts per billion; what rounding loses goes to the largest remainders': share,
  'floor((PPS - mark) x supply / precision), 0 at or below the mark': (inputs) => pricesOf(inputs, profit),
  'ceil(floor((PPS - mark) x supply / precision) x fee / 10 000), 0 at or below the mark': (inputs) =>
    pricesOf(inputs, (value) => ceilDiv(profit(value) * value('fee_bps'), BPS)),
  'numerator / denominator': (inputs) => ratio(first(inputs, 'numerator'), first(inputs, 'denominator')),
  'sum of the sample / n, rounded down': (inputs) =>
    sum(inputs.whole('sample')) / BigInt(inputs.whole('sample').length),
  'nearest rank: the value at ceil(q x n) of the sorted sample': nearest,
  'dollars x 31 536 000 / seconds / TVL in dollars x 10 000': (inputs) =>
    ((firstReal(inputs, 'dollars') * Number(YEAR)) / firstReal(inputs, 'seconds') / firstReal(inputs, 'tvl')) * 10_000,
  'sum of value x weight / sum of weight': weightedMean,
  'sum / n': (inputs) => mean(inputs.real('sample')),
  'the largest': (inputs) => Math.max(...inputs.real('sample')),
  'middle of the sorted sample': (inputs) => median(inputs.whole('sample')),
  'dollars / n': (inputs) => firstReal(inputs, 'dollars') / firstReal(inputs, 'n'),
  'floor(shares x PPS / precision)': (inputs) =>
    pricesOf(inputs, (value) => (value('shares') * value('pps')) / value('precision')),
  'floor(supply x PPS / precision)': (inputs) =>
    pricesOf(inputs, (value) => (value('supply') * value('pps')) / value('precision')),
  'reports x 86 400 / seconds': (inputs) => ratio(first(inputs, 'reports') * 86_400n, first(inputs, 'seconds')),
  'floor(balance / cost per update x 86 400 / updates per day)': runway,
  '(expected - given) / expected x 10 000': (inputs) => ratio(first(inputs, 'short') * BPS, first(inputs, 'expected')),
  'APY = (1 + R)^(31 536 000 / (t_end - t_start)) - 1, R = net_end x waived / net_start - 1': (inputs) =>
    yearly(gain(inputs), seconds(inputs)),
  'APY of pps_end / pps_start with each skim added back: x PPS before the skim / PPS after it': (inputs) =>
    yearly(grossGain(inputs), seconds(inputs)),
  'APR = R x 31 536 000 / (t_end - t_start), R = net_end x waived / net_start - 1': (inputs) =>
    toNumber(times(gain(inputs), { over: YEAR, under: seconds(inputs) })),
  'R = net_end x waived / net_start - 1': (inputs) => toNumber(gain(inputs)),
  'R - benchmark return': (inputs) => toNumber(gain(inputs)) - firstReal(inputs, 'benchmark_return'),
  'amount x price / 10^(asset decimals + price decimals)': (inputs) =>
    ratio(first(inputs, 'amount') * first(inputs, 'price'), scale(inputs)),
  'max(0, now - then)': (inputs) => positive(first(inputs, 'now') - first(inputs, 'then')),
  'end / start - 1': (inputs) => ratio(first(inputs, 'end') - first(inputs, 'start'), first(inputs, 'start')),
  'net flow x mean price': (inputs) => split(inputs, (value) => value('net_flow') * bothPrices(value)),
  '(change of assets - net flow) x mean price': (inputs) =>
    split(inputs, (value) => (change(value) - value('net_flow')) * bothPrices(value)),
  'mean assets x change of price': (inputs) =>
    split(
      inputs,
      (value) => (value('assets_start') + value('assets_end')) * (value('price_end') - value('price_start')),
    ),
  'assets_end x price_end - assets_start x price_start = flow + yield + price': (inputs) =>
    split(
      inputs,
      (value) => 2n * (value('assets_end') * value('price_end') - value('assets_start') * value('price_start')),
    ),
  'number of closes with net below its highest observation since inception / number of closes': lossShare,
  '1 - net / highest net so far': (inputs) =>
    ratio(first(inputs, 'peak') - first(inputs, 'net'), first(inputs, 'peak')),
  'floor((PPS x 10 000 - max(0, PPS - mark) x fee) / 10 000)': (inputs) =>
    pricesOf(inputs, (value) => netOver(value) / BPS),
  'PPS x 10 000 - max(0, PPS - mark) x fee': (inputs) => pricesOf(inputs, netOver),
  '(calculated / current - 1) x 10 000, to four digits': (inputs) =>
    Number(((first(inputs, 'calculated') - first(inputs, 'current')) * 10n ** 8n) / first(inputs, 'current')) / 10_000,
  '|calculated / current - 1| x 10 000 / (threshold x 10 000 / 10^18)': (inputs) => {
    const moved = first(inputs, 'calculated') - first(inputs, 'current');
    return ratio((moved < 0n ? -moved : moved) * 10n ** 18n, first(inputs, 'current') * first(inputs, 'threshold'));
  },
  '(end / start - 1) x 10 000': (inputs) =>
    ratio((first(inputs, 'end') - first(inputs, 'start')) * BPS, first(inputs, 'start')),
  '100 x sum of weight x score / sum of weight, at least the highest floor': weightedScore,
  '(value - value of score 0) / (value of score 1 - value of score 0), within 0 and 1': componentScore,
  'HHI x 10 000': (inputs) => toNumber(times(hhi(sizes(inputs)), asRatio(BPS))),
  'max over t of 1 - net(t) / max of net up to t, over all observations of the window': deepest,
  'sample standard deviation (n - 1) of ln(close / previous close)': (inputs) => deviation(logs(inputs)),
  'daily volatility x sqrt(365)': (inputs) => deviation(logs(inputs)) * Math.sqrt(365),
  'sum of the largest / sum of all': (inputs) => {
    const largest = [...ascending(sizes(inputs))].reverse().slice(0, Number(first(inputs, 'largest')));
    return ratio(sum(largest), sum(sizes(inputs)));
  },
  'seconds / 86 400': (inputs) => firstReal(inputs, 'seconds') / 86_400,
  'sum of squared shares of the amounts': (inputs) => toNumber(hhi(sizes(inputs))),
  '1 / HHI': (inputs) => toNumber(per(one, hhi(sizes(inputs)))),
  [NORMALISED]: normalised,
  '(mean - benchmark_daily) / volatility x 365 / sqrt(max(1, 365 + 2 x sum((365 - lag) x rho))); mean and volatility (n - 1) of the n daily returns ln(close / close before); rho at lags 1, 2, ... before the first within 1.96 / sqrt(n), at most floor(10 x log10(n)) (Lo 2002)':
    honestSharpe,
  '(mean - benchmark_daily) / volatility x sqrt(365); mean and volatility (n - 1) of the n daily returns ln(close / close before)':
    (inputs) => sharpe(inputs) * Math.sqrt(365),
  'max(0, demand - sum of what can be paid)': (inputs) =>
    positive(first(inputs, 'demand') - sum(inputs.whole('payable'))),
  '(amount / sum of amounts)^2': (inputs) => ratio(first(inputs, 'amount') ** 2n, first(inputs, 'whole') ** 2n),
  'min(most, max(0, whole - sum of earlier))': (inputs) => {
    const left = positive(first(inputs, 'whole') - sum(inputs.whole('earlier')));
    return left < first(inputs, 'most') ? left : first(inputs, 'most');
  },
  'correlation of each daily return with the one before it': (inputs) => autocorrelation(logs(inputs), 1),
  'nearest rank q of the daily losses 1 - close / previous close': (inputs) => {
    const sorted = losses(inputs);
    return sorted[rankOf(inputs, sorted.length)] ?? null;
  },
  'mean of the daily losses at or beyond their nearest rank q': (inputs) => {
    const sorted = losses(inputs);
    return mean(sorted.slice(rankOf(inputs, sorted.length)));
  },
  'sum of min(shares before, shares now) / sum of shares before': (inputs) =>
    kept(inputs, (before, now) => (before < now ? before : now)),
  'sum of shares now of those who held before / sum of shares before': (inputs) => kept(inputs, (_, now) => now),
};

/** Formulas that say that a figure was read and not computed: nothing to evaluate. */
export const readings = new Set(['the value itself']);
