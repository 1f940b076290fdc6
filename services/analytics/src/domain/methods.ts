import {
  allocationShares,
  divergenceBps,
  mulDivDown,
  netPps,
  netPpsNumerator,
  pendingPerformanceFee,
} from '@castellan/chain';
import { evaluate, type Terms } from './formula-text.ts';
import {
  annualised,
  deepestFall,
  herfindahl,
  least,
  left,
  lossesOf,
  runwaySeconds,
  shortfallBeyond,
  YEAR_SECONDS,
} from './formulas.ts';
import { ascending, median, quantile, ratio, sum, toNumber } from './ratio.ts';
import { autocorrelation, logReturns, mean, sampleDeviation, significantCorrelations } from './statistics.ts';

/** An input as a receipt carries it: amounts are decimal strings. */
export type GivenInput = { readonly name: string; readonly value: unknown };

class Inputs {
  readonly #given: readonly GivenInput[];

  constructor(given: readonly GivenInput[]) {
    this.#given = given;
  }

  #one(name: string): unknown {
    const found = this.#given.find((input) => input.name === name);
    if (!found) throw new Error(`The receipt has no input ${name}.`);
    return found.value;
  }

  big(name: string): bigint {
    return BigInt(String(this.#one(name)));
  }

  number(name: string): number {
    return Number(this.#one(name));
  }

  /** All inputs of one name, in order. */
  all(name: string): bigint[] {
    return this.#given.filter((input) => input.name === name).map(({ value }) => BigInt(String(value)));
  }

  numbers(name: string): number[] {
    return this.#given.filter((input) => input.name === name).map(({ value }) => Number(value));
  }

  /** Every input by its name: a number, or a list where there are several of it or none. */
  terms(lists: readonly string[]): Terms {
    const names = new Set([...this.#given.map(({ name }) => name), ...lists]);
    return Object.fromEntries(
      [...names].map((name) => {
        const values = this.numbers(name);
        return [name, values.length === 1 && !lists.includes(name) ? (values[0] as number) : values];
      }),
    );
  }

  count(name: string): number {
    return this.#given.filter((input) => input.name === name).length;
  }
}

type Result = bigint | number | string | null;
type Method = { readonly formula: string; readonly compute: (inputs: Inputs) => Result };

/** A formula that is evaluated as it is printed. @param lists - Inputs of which there may be any number. */
const printed = (formula: string, lists: readonly string[] = []): Method & { compute: (inputs: Inputs) => number } => ({
  formula,
  compute: (inputs) => evaluate(formula, inputs.terms(lists)),
});

function periodReturn(inputs: Inputs): number {
  const from = inputs.big('net_start') * inputs.big('waived_denominator');
  return ratio(inputs.big('net_end') * inputs.big('waived_numerator') - from, from);
}
const elapsed = (inputs: Inputs): number => inputs.number('t_end') - inputs.number('t_start');

const feeInputs = (inputs: Inputs) => ({
  pps: inputs.big('pps'),
  hwm: inputs.big('hwm'),
  totalSupply: inputs.big('supply'),
  precision: inputs.big('precision'),
  performanceFeeBps: inputs.big('fee_bps'),
  protocolShareBps: 0n,
});

const netInputs = (inputs: Inputs) => ({
  pps: inputs.big('pps'),
  hwm: inputs.big('hwm'),
  performanceFeeBps: inputs.big('fee_bps'),
});

const dollars = (inputs: Inputs, scaled: bigint): number =>
  toNumber(scaled, inputs.number('asset_decimals') + inputs.number('price_decimals'));

const ofReturns = 'mean and volatility (n - 1) of the n daily returns ln(close / close before)';
/** Evaluated as it is printed, on terms that come from the closes. */
const sharpeFormula = `(mean - benchmark_daily) / volatility x 365 / sqrt(max(1, 365 + 2 x sum((365 - lag) x rho))); ${ofReturns}; rho at lags 1, 2, ... before the first within 1.96 / sqrt(n), at most floor(10 x log10(n)) (Lo 2002)`;
const naiveSharpeFormula = `(mean - benchmark_daily) / volatility x sqrt(365); ${ofReturns}`;

function sharpeTerms(inputs: Inputs): Terms {
  const returns = logReturns(inputs.all('close'));
  const rho = significantCorrelations(returns);
  return {
    mean: mean(returns),
    volatility: sampleDeviation(returns) ?? 0,
    benchmark_daily: inputs.number('benchmark_daily'),
    lag: rho.map((_, index) => index + 1),
    rho,
  };
}

/** The half of a product with a mean of two prices, kept whole until the last step. */
const halved = (inputs: Inputs, doubled: bigint): number =>
  toNumber(doubled * 5n, inputs.number('asset_decimals') + inputs.number('price_decimals') + 1);

function split(inputs: Inputs): { flow: bigint; yield: bigint; price: bigint } {
  const start = inputs.big('assets_start');
  const end = inputs.big('assets_end');
  const [before, after] = [inputs.big('price_start'), inputs.big('price_end')];
  const flow = inputs.big('net_flow');
  return {
    flow: flow * (before + after),
    yield: (end - start - flow) * (before + after),
    price: (start + end) * (after - before),
  };
}

/**
 * Every published formula, by name. A receipt names one; applied to the receipt's inputs it gives the figure again.
 * Amounts are base units, PPS raw over the vault's precision, times seconds.
 */
export const methods = {
  value: { formula: 'the value itself', compute: (i) => String(i.all('value')[0] ?? '') },
  number: { formula: 'the value itself', compute: (i) => i.number('value') },
  count: { formula: 'number of items', compute: (i) => i.count('item') },
  sum: { formula: 'sum of added - sum of taken', compute: (i) => sum(i.all('added')) - sum(i.all('taken')) },
  sum_usd: {
    formula: '(sum of added - sum of taken), each amount x price of its time, / 10^(asset decimals + price decimals)',
    compute: (i) => dollars(i, sum(i.all('added')) - sum(i.all('taken'))),
  },
  period_return: { formula: 'R = net_end x waived / net_start - 1', compute: periodReturn },
  apy: {
    formula: 'APY = (1 + R)^(31 536 000 / (t_end - t_start)) - 1, R = net_end x waived / net_start - 1',
    compute: (i) => annualised(periodReturn(i), elapsed(i)),
  },
  apr: {
    formula: 'APR = R x 31 536 000 / (t_end - t_start), R = net_end x waived / net_start - 1',
    compute: (i) => (periodReturn(i) * YEAR_SECONDS) / elapsed(i),
  },
  gross_apy: {
    formula: 'APY of pps_end / pps_start with each skim added back: x PPS before the skim / PPS after it',
    compute: (i) => {
      const numerator = i.all('skim_before').reduce((a, b) => a * b, i.big('pps_end'));
      const denominator = i.all('skim_after').reduce((a, b) => a * b, i.big('pps_start'));
      return annualised(ratio(numerator - denominator, denominator), elapsed(i));
    },
  },
  change_bps: {
    formula: '(end / start - 1) x 10 000',
    compute: (i) => ratio(i.big('end') - i.big('start'), i.big('start')) * 10_000,
  },
  profit: {
    formula: 'floor((PPS - mark) x supply / precision), 0 at or below the mark',
    compute: (i) =>
      i.big('pps') > i.big('hwm') ? mulDivDown(i.big('pps') - i.big('hwm'), i.big('supply'), i.big('precision')) : 0n,
  },
  performance_fee: {
    formula: 'ceil(floor((PPS - mark) x supply / precision) x fee / 10 000), 0 at or below the mark',
    compute: (i) => pendingPerformanceFee(feeInputs(i)).total,
  },
  net_pps: {
    formula: 'floor((PPS x 10 000 - max(0, PPS - mark) x fee) / 10 000)',
    compute: (i) => netPps(netInputs(i)),
  },
  net_pps_numerator: {
    formula: 'PPS x 10 000 - max(0, PPS - mark) x fee',
    compute: (i) => netPpsNumerator(netInputs(i)),
  },
  excess_return: { formula: 'R - benchmark return', compute: (i) => periodReturn(i) - i.number('benchmark_return') },
  guard_use: printed('max(divergence, 0 - divergence) / (threshold x 10 000 / 1 000 000 000 000 000 000)'),
  divergence: {
    formula: '(calculated / current - 1) x 10 000, to four digits',
    compute: (i) => divergenceBps({ calculated: i.big('calculated'), current: i.big('current') }),
  },
  age: printed('max(0, now - then)'),
  source_apy: {
    formula: '(end / start)^(31 536 000 / (t_end - t_start)) - 1',
    compute: (i) => annualised(ratio(i.big('end') - i.big('start'), i.big('start')), elapsed(i)),
  },
  days: printed('seconds / 86 400'),
  component_score: printed('min(1, max(0, (value - score_0) / (score_1 - score_0)))'),
  drawdown: {
    formula: '1 - net / highest net so far',
    compute: (i) => ratio(i.big('peak') - i.big('net'), i.big('peak')),
  },
  max_drawdown: {
    formula: 'max over t of 1 - net(t) / max of net up to t, over all observations of the window',
    compute: (i) => deepestFall(i.all('net')),
  },
  share_of_days: {
    formula: 'number of closes with net below its highest observation since inception / number of closes',
    compute: (i) => {
      const [closes, peaks] = [i.all('close'), i.all('peak')];
      return closes.filter((close, day) => close < (peaks[day] ?? 0n)).length / closes.length;
    },
  },
  tvl: {
    formula: 'floor(supply x PPS / precision)',
    compute: (i) => mulDivDown(i.big('supply'), i.big('pps'), i.big('precision')),
  },
  usd: {
    formula: 'amount x price / 10^(asset decimals + price decimals)',
    compute: (i) => dollars(i, i.big('amount') * i.big('price')),
  },
  change: { formula: 'end / start - 1', compute: (i) => ratio(i.big('end') - i.big('start'), i.big('start')) },
  split_flow: { formula: 'net flow x mean price', compute: (i) => halved(i, split(i).flow) },
  split_yield: { formula: '(change of assets - net flow) x mean price', compute: (i) => halved(i, split(i).yield) },
  split_price: { formula: 'mean assets x change of price', compute: (i) => halved(i, split(i).price) },
  split_total: {
    formula: 'assets_end x price_end - assets_start x price_start = flow + yield + price',
    compute: (i) => {
      const { flow, yield: earned, price } = split(i);
      return halved(i, flow + earned + price);
    },
  },
  ratio: {
    formula: 'numerator / denominator',
    compute: (i) => ratio(i.big('numerator'), i.big('denominator')),
  },
  hhi: { formula: 'sum of squared shares of the amounts', compute: (i) => herfindahl(i.all('amount')) },
  hhi_points: { formula: 'HHI x 10 000', compute: (i) => (herfindahl(i.all('amount')) ?? 0) * 10_000 },
  allocation_share: {
    formula: 'amount / sum of amounts, in parts per billion; what rounding loses goes to the largest remainders',
    compute: (i) => allocationShares(i.all('amount'))[i.number('position')] ?? null,
  },
  hhi_part: {
    formula: '(amount / sum of amounts)^2',
    compute: (i) => ratio(i.big('amount') ** 2n, i.big('whole') ** 2n),
  },
  effective_number: { formula: '1 / HHI', compute: (i) => 1 / (herfindahl(i.all('amount')) ?? 1) },
  hhi_normalised: {
    formula: '(HHI - 1/N) / (1 - 1/N), N = number of amounts above 0; 1 for a single one',
    compute: (i) => {
      const amounts = i.all('amount').filter((amount) => amount > 0n);
      if (amounts.length < 2) return 1;
      return ((herfindahl(amounts) ?? 0) - 1 / amounts.length) / (1 - 1 / amounts.length);
    },
  },
  largest_share: {
    formula: 'sum of the largest / sum of all',
    compute: (i) => {
      const amounts = ascending(i.all('amount')).reverse();
      return ratio(sum(amounts.slice(0, i.number('largest'))), sum(amounts));
    },
  },
  volatility: {
    formula: 'sample standard deviation (n - 1) of ln(close / previous close)',
    compute: (i) => sampleDeviation(logReturns(i.all('close'))),
  },
  volatility_annual: {
    formula: 'daily volatility x sqrt(365)',
    compute: (i) => (sampleDeviation(logReturns(i.all('close'))) ?? 0) * Math.sqrt(365),
  },
  sharpe: { formula: sharpeFormula, compute: (i) => evaluate(sharpeFormula, sharpeTerms(i)) },
  sharpe_naive: { formula: naiveSharpeFormula, compute: (i) => evaluate(naiveSharpeFormula, sharpeTerms(i)) },
  autocorrelation: {
    formula: 'correlation of each daily return with the one before it',
    compute: (i) => autocorrelation(logReturns(i.all('close')), 1),
  },
  value_at_risk: {
    formula: 'nearest rank q of the daily losses 1 - close / previous close',
    compute: (i) => quantile(lossesOf(logReturns(i.all('close'))), i.number('q')) ?? null,
  },
  expected_shortfall: {
    formula: 'mean of the daily losses at or beyond their nearest rank q',
    compute: (i) => shortfallBeyond(lossesOf(logReturns(i.all('close'))), i.number('q')),
  },
  worth: {
    formula: 'floor(shares x PPS / precision)',
    compute: (i) => mulDivDown(i.big('shares'), i.big('pps'), i.big('precision')),
  },
  what_is_left: {
    formula: 'min(most, max(0, whole - sum of earlier))',
    compute: (i) => least(i.big('most'), left(i.big('whole'), i.all('earlier'))),
  },
  shortfall: {
    formula: 'max(0, demand - sum of what can be paid)',
    compute: (i) => left(i.big('demand'), i.all('payable')),
  },
  shares_retained: {
    formula: 'sum of min(shares bought in the first period, shares held at the end) / sum of shares bought',
    compute: (i) => ratio(i.big('kept'), i.big('bought')),
  },
  slippage: {
    formula: '(expected - given) / expected x 10 000',
    compute: (i) => ratio(i.big('short'), i.big('expected')) * 10_000,
  },
  per_day: printed('reports x 86 400 / seconds'),
  bps_per_year: printed('dollars x 31 536 000 / seconds / tvl x 10 000'),
  mean_usd: printed('dollars / n'),
  mean: {
    formula: 'sum of the sample / n, rounded down',
    compute: (i) => (i.count('sample') === 0 ? null : sum(i.all('sample')) / BigInt(i.count('sample'))),
  },
  median: { formula: 'middle of the sorted sample', compute: (i) => median(ascending(i.all('sample'))) ?? null },
  quantile: {
    formula: 'nearest rank: the value at ceil(q x n) of the sorted sample',
    compute: (i) => quantile(ascending(i.all('sample')), i.number('q')) ?? null,
  },
  quantile_number: {
    formula: 'nearest rank: the value at ceil(q x n) of the sorted sample',
    compute: (i) => quantile(ascending(i.numbers('sample')), i.number('q')) ?? null,
  },
  weighted_mean: printed('sum(sample x weight) / sum(weight)', ['sample', 'weight']),
  simple_mean: printed('sum(sample) / count(sample)', ['sample']),
  largest: printed('max(sample)', ['sample']),
  kept_shares: {
    formula: 'sum of min(shares before, shares now) / sum of shares before',
    compute: (i) => {
      const [before, now] = [i.all('before'), i.all('now')];
      return ratio(sum(before.map((shares, at) => ((now[at] ?? 0n) < shares ? (now[at] ?? 0n) : shares))), sum(before));
    },
  },
  kept_wallets: {
    formula: 'number of wallets that hold more than dust / number of wallets',
    compute: (i) => {
      const [held, dust] = [i.all('held'), i.big('dust')];
      return ratio(BigInt(held.filter((shares) => shares > dust).length), BigInt(held.length));
    },
  },
  net_kept_shares: {
    formula: 'sum of shares now of those who held before / sum of shares before',
    compute: (i) => ratio(sum(i.all('now')), sum(i.all('before'))),
  },
  runway: {
    formula: 'floor(balance / cost per update x 86 400 / updates per day)',
    compute: (i) => runwaySeconds(i.big('balance'), i.big('cost'), i.number('updates_per_day')),
  },
  weighted_score: printed('max(100 x sum(weight x score) / sum(weight), floor); floor: each danger that holds', [
    'weight',
    'score',
    'floor',
  ]),
} satisfies Record<string, Method>;

export type MethodName = keyof typeof methods;

/** Applies a published formula to a receipt's inputs. @throws when the method or an input is unknown. */
export function recompute(method: string, inputs: readonly GivenInput[]): Result {
  if (!Object.hasOwn(methods, method)) throw new Error(`There is no published formula ${method}.`);
  return (methods[method as MethodName] as Method).compute(new Inputs(inputs));
}
