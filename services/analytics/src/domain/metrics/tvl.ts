import { type Figure, figure, type Input } from '../figure.ts';
import type { TvlPoint } from '../ledgers/flow-ledger.ts';
import { given, type Moment, type PlacedPrice, priceAt, usdDecimals } from '../moment.ts';
import { type Dollars, usdNumber } from '../money.ts';
import { ratio, sum, toNumber } from '../ratio.ts';
import { lastAtTime, within } from '../timeline.ts';

/** What the vault held at a time. */
export const tvlAt = ({ history, block }: Moment, time: number): TvlPoint | undefined =>
  lastAtTime(history.flows.tvl, time, block);

const amountInput = (name: string, point: TvlPoint): Input => ({
  name,
  value: point.assets,
  unit: 'asset base units',
  at: point,
  source: 'Transfer, PPSUpdated: floor(supply x PPS / precision)',
});

const priceInput = (name: string, price: PlacedPrice): Input => ({
  name,
  value: price.answer,
  unit: `USD / 10^${price.decimals}`,
  at: price.at,
  source: price.source,
});

const decimalInputs = (moment: Moment, price: PlacedPrice): Input[] => [
  given('asset_decimals', moment.history.decimals, 'digits', 'the asset'),
  given('price_decimals', price.decimals, 'digits', 'the feed'),
];

/** TVL in base units of the asset: floor(supply x PPS / precision), the vault's own totalAssets(). Escrow is not part of it. */
export const tvlAsset = (moment: Moment): Figure => tvlFigure(moment, tvlAt(moment, moment.time));

/** The same at any point. */
export function tvlFigure(moment: Moment, point: TvlPoint | undefined): Figure {
  const precision = moment.history.precision ?? 1n;
  return figure({
    value: point?.assets ?? null,
    unit: 'asset base units',
    method: 'tvl',
    inputs: () =>
      point
        ? [
            { name: 'supply', value: point.supply, unit: 'share base units', at: point, source: 'Transfer' },
            { name: 'pps', value: point.pps, unit: 'pps', at: point, source: 'PPSUpdated' },
            given('precision', precision, 'pps', 'PPS of 1.0'),
          ]
        : [],
  });
}

const noPrice = 'the asset has no price';

/** TVL in dollars at the current price. */
export function tvlUsd(moment: Moment): Figure {
  const point = tvlAt(moment, moment.time);
  const price = priceAt(moment, moment.time);
  return figure({
    value: point && price ? toNumber(point.assets * price.answer, usdDecimals(moment)) : null,
    unit: 'USD',
    method: 'usd',
    reason: price ? null : noPrice,
    inputs: () =>
      point && price ? [amountInput('amount', point), priceInput('price', price), ...decimalInputs(moment, price)] : [],
  });
}

type Ends = { start: TvlPoint; end: TvlPoint };

function endsOf(moment: Moment, seconds: number): Ends | undefined {
  const start = tvlAt(moment, moment.time - seconds);
  const end = tvlAt(moment, moment.time);
  return start && end ? { start, end } : undefined;
}

/** A(t) / A(t - w) - 1 in asset units. */
export function tvlChange(moment: Moment, seconds: number): Figure {
  const ends = endsOf(moment, seconds);
  return figure({
    value: ends && ends.start.assets > 0n ? ratio(ends.end.assets - ends.start.assets, ends.start.assets) : null,
    unit: 'fraction',
    method: 'change',
    window: { from: moment.time - seconds, to: moment.time },
    sampleSize: ends ? 2 : 0,
    inputs: () => (ends ? [amountInput('start', ends.start), amountInput('end', ends.end)] : []),
  });
}

type PricedEnds = Ends & { before: PlacedPrice; after: PlacedPrice };

function pricedEndsOf(moment: Moment, seconds: number): PricedEnds | undefined {
  const ends = endsOf(moment, seconds);
  const before = priceAt(moment, moment.time - seconds);
  const after = priceAt(moment, moment.time);
  return ends && before && after ? { ...ends, before, after } : undefined;
}

/** The same in dollars, each end at the price of its time. */
export function tvlChangeUsd(moment: Moment, seconds: number): Figure {
  const ends = pricedEndsOf(moment, seconds);
  const value = (point: TvlPoint, price: PlacedPrice) => point.assets * price.answer;
  const start = ends && value(ends.start, ends.before);
  const end = ends && value(ends.end, ends.after);
  return figure({
    value: start !== undefined && end !== undefined && start > 0n ? ratio(end - start, start) : null,
    unit: 'fraction',
    method: 'change',
    window: { from: moment.time - seconds, to: moment.time },
    sampleSize: ends ? 2 : 0,
    inputs: () =>
      ends && start !== undefined && end !== undefined
        ? [
            { name: 'start', value: start, unit: 'assets x price', at: ends.start, source: 'Transfer, AnswerUpdated' },
            { name: 'end', value: end, unit: 'assets x price', at: ends.end, source: 'Transfer, AnswerUpdated' },
          ]
        : [],
  });
}

/** What flowed in less what flowed out, over (time - seconds, time]: deposits less entry fees less fulfilments. */
export function netFlowOf(moment: Moment, seconds: number): { assets: bigint; usd: Dollars; count: number } {
  const { flows } = moment.history;
  const of = (kind: 'deposit' | 'entry_fee' | 'fulfilment') =>
    flows.totals(kind, moment.time - seconds, moment.time, moment.block);
  const deposits = of('deposit');
  const fees = of('entry_fee');
  const fulfilled = of('fulfilment');
  return {
    assets: deposits.assets - fees.assets - fulfilled.assets,
    usd: {
      scaled: deposits.usd.scaled - fees.usd.scaled - fulfilled.usd.scaled,
      missing: deposits.usd.missing + fees.usd.missing + fulfilled.usd.missing,
    },
    count: deposits.count + fulfilled.count,
  };
}

type SplitPart = 'flow' | 'yield' | 'fees' | 'price' | 'total';

/** What each part of a change is computed from, beside the prices at both ends. */
const restsOn: Readonly<Record<SplitPart, { assets: boolean; flow: boolean; skims: boolean }>> = {
  flow: { assets: false, flow: true, skims: false },
  yield: { assets: true, flow: true, skims: true },
  fees: { assets: false, flow: false, skims: true },
  price: { assets: true, flow: false, skims: false },
  total: { assets: true, flow: false, skims: false },
};

function splitInputs(moment: Moment, seconds: number, ends: PricedEnds, part: SplitPart): Input[] {
  const { assets, flow, skims } = restsOn[part];
  return [
    ...(assets ? [amountInput('assets_start', ends.start), amountInput('assets_end', ends.end)] : []),
    priceInput('price_start', ends.before),
    priceInput('price_end', ends.after),
    ...(flow ? flowInputs(moment, seconds, false) : []),
    ...(skims ? skimInputs(moment, seconds) : []),
    ...decimalInputs(moment, ends.after),
  ];
}

/** What a value was at both ends and what moved it: amounts in base units of the asset, `fees` what was skimmed out of the vault. */
type Change = { start: bigint; end: bigint; flow: bigint; fees: bigint; before: bigint; after: bigint };

/**
 * The four parts of a change, in twice the dollars so that the mean prices stay whole. They add up to the change exactly; what is
 * skimmed is a part of its own, so that it is never a negative yield.
 */
export function splitParts({ start, end, flow, fees, before, after }: Change): Record<SplitPart, bigint> {
  const prices = before + after;
  const parts = {
    flow: flow * prices,
    yield: (end - start - flow + fees) * prices,
    fees: -fees * prices,
    price: (start + end) * (after - before),
  };
  return { ...parts, total: parts.flow + parts.yield + parts.fees + parts.price };
}

/** Change of TVL in dollars over a window, split into flow, yield, fees and price. */
export function tvlSplit(moment: Moment, seconds: number) {
  const ends = pricedEndsOf(moment, seconds);
  const parts =
    ends &&
    splitParts({
      start: ends.start.assets,
      end: ends.end.assets,
      flow: netFlowOf(moment, seconds).assets,
      fees: skimmedIn(moment, seconds),
      before: ends.before.answer,
      after: ends.after.answer,
    });
  const part = (name: SplitPart): Figure =>
    figure({
      // Halving is multiplying by 5 with one more digit.
      value: parts ? toNumber(parts[name] * 5n, usdDecimals(moment) + 1) : null,
      unit: 'USD',
      method: `split_${name}`,
      window: { from: moment.time - seconds, to: moment.time },
      sampleSize: ends ? 2 : 0,
      inputs: () => (ends ? splitInputs(moment, seconds, ends, name) : []),
    });
  return {
    flow: part('flow'),
    yield: part('yield'),
    fees: part('fees'),
    price: part('price'),
    total: part('total'),
  };
}

/** Performance fees taken over the last `seconds`. An entry fee never was in the vault: flows are net of it. */
const skimsIn = ({ history, time, block }: Moment, seconds: number) =>
  within(history.fees.list('performance'), time - seconds, time, block);

/** What they come to, in base units of the asset. */
export const skimmedIn = (moment: Moment, seconds: number): bigint =>
  sum(skimsIn(moment, seconds).map(({ total }) => total ?? 0n));

/** The same as inputs. */
export const skimInputs = (moment: Moment, seconds: number): Input[] =>
  skimsIn(moment, seconds).map((skim) => ({
    name: 'skimmed',
    value: skim.total ?? 0n,
    unit: 'asset base units',
    at: skim,
    source: 'PerformanceFeeSkimmed',
  }));

/** What flowed in and out over the last `seconds`, each with its place. */
export function flowInputs(moment: Moment, seconds: number, inDollars: boolean): Input[] {
  const { flows } = moment.history.flows;
  const from = moment.time - seconds;
  const inWindow = ({ time, block }: { time: number; block: number }) =>
    time > from && time <= moment.time && block <= moment.block;
  const inputs = (kind: keyof typeof flows, name: string, source: string): Input[] =>
    flows[kind].filter(inWindow).map((flow) => ({
      name,
      value: inDollars ? flow.usd.scaled : flow.assets,
      unit: inDollars ? 'assets x price' : 'asset base units',
      at: flow,
      source,
    }));
  return [
    ...inputs('deposit', 'added', 'Deposit'),
    ...inputs('entry_fee', 'taken', 'ManagementFeePaid'),
    ...inputs('fulfilment', 'taken', 'RedeemClaimable'),
  ];
}

/** Deposits less fees and fulfilments over the last `seconds`, in base units of the asset. */
export function netFlow(moment: Moment, seconds: number): Figure {
  const { assets, count } = netFlowOf(moment, seconds);
  return figure({
    value: assets,
    unit: 'asset base units',
    method: 'sum',
    window: { from: moment.time - seconds, to: moment.time },
    sampleSize: count,
    inputs: () => flowInputs(moment, seconds, false),
  });
}

/** The same in dollars, each flow at the price of its block; null without a price. */
export function netFlowUsd(moment: Moment, seconds: number): Figure {
  const { usd, count } = netFlowOf(moment, seconds);
  const price = priceAt(moment, moment.time);
  return figure({
    value: price ? usdNumber(usd, usdDecimals(moment)) : null,
    unit: 'USD',
    method: 'sum_usd',
    reason: price ? null : noPrice,
    window: { from: moment.time - seconds, to: moment.time },
    sampleSize: count,
    inputs: () => (price ? [...flowInputs(moment, seconds, true), ...decimalInputs(moment, price)] : []),
  });
}
