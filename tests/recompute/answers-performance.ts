import {
  type Asked,
  decimal,
  envelope,
  gridOf,
  inceptionOf,
  iso,
  netFields,
  observed,
  power,
  rangeAsked,
  rangeFields,
  root,
} from './answer-parts.ts';
import { benchmarkFields, excessOf } from './benchmark.ts';
import { type ChainRecord, named } from './chain-record.ts';
import { countsOf } from './concentration.ts';
import { unruled } from './coverage.ts';
import { carriedIn, drawdownNow, drawdownsIn, maxDrawdownIn, recoveryIn, sinceHigh, timeInLoss } from './drawdown.ts';
import { feeOf } from './fees.ts';
import { flowFigures } from './flows.ts';
import { holdersAt } from './holders.ts';
import { assetPrices } from './money.ts';
import { lastAt, percentile, ratio } from './numbers.ts';
import {
  apr,
  apy,
  endsOf,
  feeDrag,
  grossApy,
  isLongEnough,
  netPps,
  type Observation,
  observationsIn,
  observationsOf,
  periodReturn,
  termsNow,
  yearly,
} from './prices.ts';
import { currentWindow } from './recompute.ts';
import { calculatedPps, divergence, type State } from './state.ts';
import { DAY, isoOf, windows } from './time.ts';
import { supplyAt, tvlOfWindows, tvlSeries } from './tvl.ts';

const QUARTER = 90n * DAY;

function priceFields(record: ChainRecord) {
  const price = lastAt(assetPrices(record), record.time);
  if (!price) return null;
  const age = Number(record.time - price.updatedAt);
  return { usd: ratio(price.value, record.feedScale), updated_at: isoOf(price.updatedAt), age_seconds: age };
}

const rates = (record: ChainRecord, rate: typeof apy) => {
  const of = (window: bigint | null) => power(rate(observationsOf(record), record.time, window));
  return {
    current: of(currentWindow(record)),
    d7: of(windows.d7),
    d30: of(windows.d30),
    d90: of(QUARTER),
    since_inception: of(null),
  };
};

export function overview(asked: Asked) {
  const { record } = asked;
  const { d90: _, ...apys } = rates(record, apy);
  const { h24, d7 } = tvlOfWindows(record);
  const flow = (seconds: bigint) => flowFigures(record, record.time - seconds, record.time);
  const day = flow(windows.h24);
  const week = flow(windows.d7);
  const month = flow(windows.d30);
  return {
    ...envelope(asked),
    apy: apys,
    asset_price: priceFields(record),
    tvl_usd: h24.tvl_usd,
    tvl_asset: h24.tvl_asset,
    tvl_change: { h24: h24.change, d7: d7.change },
    tvl_change_usd: { h24: h24.change_usd, d7: d7.change_usd },
    tvl_change_split: { h24: h24.split, d7: d7.split },
    depositors: holdersAt(record, record.time).length,
    // Before the first observation they follow from the events of hooks alone, in part.
    strategies: observed(asked, (state) => countsOf(state).strategies, unruled),
    empty_sources: observed(asked, (state) => countsOf(state).empty_sources, unruled),
    net_flow: { h24: `${day.net_flow}`, d7: `${week.net_flow}`, d30: `${month.net_flow}` },
    net_flow_usd: { h24: day.net_flow_usd, d7: week.net_flow_usd, d30: month.net_flow_usd },
  };
}

export function performance(asked: Asked) {
  const { record } = asked;
  const observations = observationsOf(record);
  const range = rangeAsked(asked);
  const { current: _, ...gross } = rates(record, grossApy);
  const gain = (window: bigint | null) => periodReturn(observations, record.time, window);
  const twr = gain(range.to - range.from);
  const { h24, d7, d30 } = tvlOfWindows(record);
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    annualization: 'compound/365d',
    apy: rates(record, apy),
    gross_apy: gross,
    fee_drag: {
      d7: root(feeDrag(observations, record.time, windows.d7)),
      d30: root(feeDrag(observations, record.time, windows.d30)),
      d90: root(feeDrag(observations, record.time, QUARTER)),
      since_inception: root(feeDrag(observations, record.time, null)),
    },
    period_return: {
      h24: gain(windows.h24),
      d7: gain(windows.d7),
      d30: gain(windows.d30),
      d90: gain(QUARTER),
      since_inception: gain(null),
    },
    twr,
    apr: apr(observations, range),
    benchmark: benchmarkFields(asked, range),
    excess_return: excessOf(record, range),
    time_in_loss: timeInLoss(observations, range),
    carried_in: carriedIn(observations, range),
    drawdown_now: drawdownNow(observations, record.time),
    tvl_usd: h24.tvl_usd,
    tvl_asset: h24.tvl_asset,
    tvl_change: { h24: h24.change, d7: d7.change, d30: d30.change },
    tvl_change_split: { h24: h24.split, d7: d7.split, d30: d30.split },
  };
}

export function apySeries(asked: Asked) {
  const { record, query } = asked;
  const window = { '24h': DAY, '7d': windows.d7, '30d': windows.d30 }[query.window ?? '7d'] as bigint;
  const observations = observationsOf(record);
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    interval_seconds: unruled,
    window_seconds: Number(window),
    points: gridOf(asked, rangeAsked(asked), true).map((time) => ({
      t: isoOf(time),
      apy: power(apy(observations, time, window)),
    })),
  };
}

export function tvlPoints(asked: Asked) {
  const { from, to, whole } = rangeAsked(asked);
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    interval_seconds: 0,
    points: tvlSeries(asked.record, from, to, whole).map(({ time, assets, usd }) => ({
      t: isoOf(time),
      tvl_asset: `${assets}`,
      tvl_usd: usd,
    })),
  };
}

const markers: Record<string, string> = {
  PPSUpdatedAfterSkim: 'skim',
  StrategyPaused: 'pause',
  StrategyUnpaused: 'unpause',
  StrategyPPSStale: 'stale',
  HighWaterMarkReset: 'hwm_reset',
  VaultFeeConfigUpdated: 'fee_config',
  StrategyCheckFailed: 'check_failed',
};

function markersIn(asked: Asked) {
  const { from, to } = rangeAsked(asked);
  const { record } = asked;
  const names = Object.keys(markers);
  return [...named(record, 'aggregator', ...names), ...named(record, 'strategy', ...names)]
    .filter(({ time }) => time > from && time <= to)
    .sort((a, b) => Number(a.block - b.block) || a.logIndex - b.logIndex)
    .map((event) => ({
      t: isoOf(event.time),
      kind: markers[String(event.name)],
      label: unruled,
      block: Number(event.block),
      tx_hash: event.tx,
    }));
}

/** Times between the oracle's reports in the range; the first of them counts from the one before it. */
function cadence(record: ChainRecord, inside: readonly Observation[]) {
  const reports = observationsOf(record).filter(({ source }) => source === 'oracle');
  const own = inside.filter(({ source }) => source === 'oracle');
  const gaps = own.slice(1).map((each, at) => each.time - (own[at] as Observation).time);
  const at = (percent: number) => {
    const value = percentile(gaps, percent);
    return value === null ? null : Number(value);
  };
  return { p50_seconds: at(50), p95_seconds: at(95), max_seconds: at(100), reports: own.length, total: reports.length };
}

/** What expires on chain counts from the contract's own timestamp. */
const expiryOf = (state: State) => ({
  expires_at: isoOf(state.lastUpdate + state.expiration),
  expiration_seconds: Number(state.expiration),
});

const basisPoints = (next: bigint, now: bigint): number => ratio((next - now) * 10_000n, now);
function calculatedFields({ record }: Asked, state: State) {
  const pps = calculatedPps(state, record.precision);
  if (pps === null) return null;
  return {
    pps: `${pps}`,
    pps_display: decimal(pps, record.precision),
    t: isoOf(state.time),
    divergence_bps: divergence(pps, state.pps),
  };
}

export function ppsSeries(asked: Asked) {
  const { record } = asked;
  const inside = observationsIn(observationsOf(record), rangeAsked(asked));
  const { pps, hwm, feeBps } = termsNow(record);
  const { total: _, ...gaps } = cadence(record, inside);
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    interval_seconds: 0,
    pps_precision: `${record.precision}`,
    points: inside.map((each) => ({
      t: isoOf(each.time),
      pps: `${each.pps}`,
      pps_display: decimal(each.pps, record.precision),
      ...netFields(each.net),
      source: each.source,
      block: Number(each.block),
      tx_hash: each.tx,
    })),
    current: {
      pps: `${pps}`,
      pps_display: decimal(pps, record.precision),
      ...netFields(netPps(pps, hwm, feeBps)),
      t: iso(observationsOf(record).at(-1)?.time ?? null),
    },
    calculated: observed(asked, (state) => calculatedFields(asked, state)),
    hwm: { pps: `${hwm}`, pps_display: decimal(hwm, record.precision), distance: ratio(pps - hwm, hwm) },
    expiry: observed(asked, expiryOf),
    cadence: gaps,
    markers: markersIn(asked),
  };
}

/** Yearly rate of the range over its deepest fall. */
function calmarOf(asked: Asked): number | null {
  const observations = observationsOf(asked.record);
  const range = rangeAsked(asked);
  const deepest = maxDrawdownIn(observations, range);
  const ends = endsOf(observations, range.to, range.from);
  const rate = ends && isLongEnough(ends, range.to - range.from) ? yearly(ends) : null;
  // A fall of less than a thousandth is one of the last digits of the price.
  return rate === null || !deepest || deepest < 0.001 ? null : rate / deepest;
}

export function drawdown(asked: Asked) {
  const observations = observationsOf(asked.record);
  const range = rangeAsked(asked);
  const { episodes, points } = drawdownsIn(observations, range);
  const exact = (prefix: string, each: Observation) => {
    const { net_pps, net_pps_exact } = netFields(each.net);
    return { [`${prefix}_net_pps`]: net_pps, [`${prefix}_net_pps_exact`]: net_pps_exact };
  };
  return {
    ...envelope(asked),
    ...rangeFields(asked),
    interval_seconds: 0,
    max_drawdown: maxDrawdownIn(observations, range),
    max_drawdown_since_inception: maxDrawdownIn(observations, {
      ...range,
      from: inceptionOf(asked.record),
      whole: true,
    }),
    recovery_seconds: recoveryIn(observations, range),
    seconds_since_high: sinceHigh(observations, range.to),
    calmar: root(calmarOf(asked)),
    carried_in: carriedIn(observations, range),
    current_drawdown: drawdownNow(observations, asked.record.time),
    episodes: episodes.map(({ peak, trough, recovered, depth, seconds }) => ({
      start: isoOf(peak.time),
      trough: isoOf(trough.time),
      recovered: iso(recovered?.time ?? null),
      depth,
      duration_seconds: Number(seconds),
      ...exact('peak', peak),
      ...exact('trough', trough),
    })),
    points: points.map(({ time, drawdown: depth }) => ({ t: isoOf(time), drawdown: depth })),
  };
}

const NEVER = 2n ** 256n - 1n;
const noForecast = {
  current_pps: null,
  next_pps: null,
  change_bps: null,
  accepted: null,
  guards: [],
  would_pause: null,
  fee: null,
  next_net_pps: null,
  next_net_pps_exact: null,
  upkeep_after: null,
};

/** What the contract would do with the calculated price at once, in the order of its checks. */
function forecast({ record }: Asked, state: State) {
  const next = calculatedPps(state, record.precision);
  if (next === null) return unruled;
  const { hwm, feeBps } = termsNow(record);
  const moved = next > state.pps ? next - state.pps : state.pps - next;
  const guarded = state.threshold !== NEVER && state.pps > 0n && !state.stale;
  const deviates = guarded && (moved * 10n ** 18n) / state.pps > state.threshold;
  const tooSoon = record.time - state.lastUpdate < state.minInterval;
  const unpaid = state.enabled && state.upkeep < state.cost;
  const tripped = [state.paused, tooSoon, deviates, unpaid];
  const accepted = !tripped.includes(true);
  const reached = !state.paused && !tooSoon;
  const charged = reached && !unpaid && state.enabled;
  const fee = feeOf(next, hwm, feeBps, supplyAt(record, record.time), record.precision);
  return {
    current_pps: `${state.pps}`,
    next_pps: `${next}`,
    change_bps: basisPoints(next, state.pps),
    accepted,
    guards: ['paused', 'min_update_interval', 'deviation', 'upkeep'].map((name, at) => ({
      name,
      tripped: tripped[at],
      detail: unruled,
    })),
    would_pause: reached && (deviates || unpaid),
    fee: { total: `${fee.total}`, profit: `${fee.profit}` },
    next_net_pps: netFields(netPps(next, hwm, feeBps)).net_pps,
    next_net_pps_exact: netFields(netPps(next, hwm, feeBps)).net_pps_exact,
    upkeep_after: `${charged ? state.upkeep - state.cost : state.upkeep}`,
  };
}

export function whatIf(asked: Asked) {
  const forecasted = observed(asked, (state) => forecast(asked, state), noForecast);
  return { ...envelope(asked), ...(forecasted as object) };
}
