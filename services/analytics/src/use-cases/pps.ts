import { NET_PPS_DENOMINATOR } from '@castellan/chain';
import type { GetPps, GetPpsWhatIf, ParamsOf, ResultOf } from '@castellan/contracts';
import { sampled } from '../domain/downsample.ts';
import { figure, type Input } from '../domain/figure.ts';
import type { PpsPoint } from '../domain/ledgers/price-ledger.ts';
import { divergenceFigure } from '../domain/metrics/divergence.ts';
import { displayed, exactNet, exactNetFigures, netFigure } from '../domain/metrics/net-price.ts';
import { tvlAt } from '../domain/metrics/tvl.ts';
import { type WhatIf, whatIf } from '../domain/metrics/what-if.ts';
import { given, type Moment, netPpsNow, observationAt, ppsInput, ppsNow } from '../domain/moment.ts';
import { sumOf, unknown, written } from '../domain/plain-figures.ts';
import { type Range, rangeOf, windowStart } from '../domain/range.ts';
import { ratio } from '../domain/ratio.ts';
import { isoOf, within } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import { markersOf, markSeries } from './mark-series.ts';
import type { Histories } from './ports.ts';

const nothingSeen = 'nothing has been observed yet';
const noPrice = 'the vault has no price yet';

/** What an answer says of its series. */
export const seriesOf = ({ period, from, to }: Range, width: number) => ({
  period,
  from: isoOf(from),
  to: isoOf(to),
  interval_seconds: width,
});

/** A price as series and exports show it. */
export const shown = (moment: Moment, point: PpsPoint) => ({
  t: isoOf(point.t),
  pps: figure({ value: point.pps, unit: 'pps', method: 'value', inputs: () => [ppsInput('value', point, point.pps)] }),
  pps_display: displayed(moment, ppsInput('pps', point, point.pps)),
  net_pps: netFigure(point),
  net_pps_exact: exactNetFigures(point),
});

function ppsPoints(moment: Moment, range: Range, most: number) {
  const { prices } = moment.history;
  const stretch = prices.stretch(windowStart(range), range.to, moment.block);
  const { width, kept } = sampled(prices.points, stretch, prices.extremes, { range, most, key: ({ t }) => t });
  const points = kept.map((at) => {
    const point = prices.points[at] as PpsPoint;
    return { ...shown(moment, point), source: point.source, block: point.block, tx_hash: point.tx };
  });
  return { width, points };
}

function currentPrice(moment: Moment) {
  const point = netPpsNow(moment);
  return point ? shown(moment, point) : unknown(noPrice);
}

function calculatedPrice(moment: Moment) {
  const seen = observationAt(moment);
  const calculated = seen?.calculatedPps ?? null;
  if (!seen) return unknown(nothingSeen);
  if (calculated === null) return unknown('there are no shares, or a source could not be valued');
  const written = { value: calculated, unit: 'pps', at: seen, source: 'state_observed' };
  return {
    pps: figure({
      value: calculated,
      unit: 'pps',
      method: 'value',
      observed: true,
      inputs: () => [{ ...written, name: 'value' }],
    }),
    pps_display: displayed(moment, { ...written, name: 'pps' }, true),
    t: isoOf(seen.time),
    divergence_bps: divergenceFigure(moment),
  };
}

/** The mark and what last moved it; a vault begins with its first price. */
function highWaterMark(moment: Moment) {
  const point = ppsNow(moment);
  const first = moment.history.prices.points[0];
  const move = within(moment.history.prices.marks, Number.NEGATIVE_INFINITY, moment.time, moment.block).at(-1);
  const hwm = move?.after ?? first?.pps;
  if (!point || !first || hwm === undefined || hwm === 0n) return unknown(noPrice);
  const marked = (name: string): Input =>
    move
      ? { name, value: hwm, unit: 'pps', at: move, source: 'HWMPPSUpdated, HighWaterMarkReset' }
      : ppsInput(name, first, hwm);
  return {
    pps: figure({ value: hwm, unit: 'pps', method: 'value', inputs: () => [marked('value')] }),
    pps_display: displayed(moment, marked('pps')),
    distance: figure({
      value: ratio(point.pps - hwm, hwm),
      unit: 'fraction',
      method: 'change',
      inputs: () => [marked('start'), ppsInput('end', point, point.pps)],
    }),
  };
}

function expiry(moment: Moment) {
  const seen = observationAt(moment);
  const point = ppsNow(moment);
  if (!point) return unknown(noPrice);
  if (!seen) return unknown(nothingSeen);
  const where = { at: { time: seen.time, block: seen.block }, source: 'state_observed' };
  return {
    expires_at: isoOf(point.t + seen.expirationSeconds),
    expiration_seconds: written(seen.expirationSeconds, 'seconds', where, { observed: true }),
  };
}

/** Gaps between reports of the oracle; a skim is none. The first report of the range has no gap in it. */
function cadence(moment: Moment, range: Range) {
  const { prices } = moment.history;
  const { start, end } = prices.reportStretch(windowStart(range), range.to, moment.block);
  const listed = () => prices.reports.slice(start, end);
  const window = { from: range.from, to: range.to };
  const gap = (q: number) =>
    figure({
      value: prices.gaps.quantile(start + 1, end, q) ?? null,
      unit: 'seconds',
      method: 'quantile_number',
      reason: 'fewer than two reports in the range',
      window,
      sampleSize: Math.max(0, end - start - 1),
      inputs: () => {
        const reports = listed();
        return [
          { name: 'q', value: q, unit: 'fraction', source: 'definition' },
          ...reports.slice(1).map(
            (point, index): Input => ({
              ...ppsInput('sample', point, null),
              value: point.t - (reports[index] as PpsPoint).t,
              unit: 'seconds since the report before',
            }),
          ),
        ];
      },
    });
  return {
    p50_seconds: gap(0.5),
    p95_seconds: gap(0.95),
    max_seconds: gap(1),
    reports: figure({
      value: end - start,
      unit: 'reports',
      method: 'count',
      window,
      sampleSize: end - start,
      inputs: () => listed().map((point) => ppsInput('item', point, point.pps)),
    }),
  };
}

export const getPps =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetPps>): Promise<ResultOf<typeof GetPps>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const { width, points } = ppsPoints(moment, range, params.points);
    const markers = markersOf(moment, range, params.points);
    return answer(params, moment, 'pps', {
      ...seriesOf(range, width),
      pps_precision: written(moment.history.precision ?? 1n, 'pps', {
        at: moment.history.prices.points[0],
        source: 'PPSUpdated: the first one',
      }),
      points,
      current: currentPrice(moment),
      calculated: calculatedPrice(moment),
      hwm: highWaterMark(moment),
      hwm_steps: markSeries(moment, range, params.points),
      expiry: expiry(moment),
      cadence: cadence(moment, range),
      markers: markers.map(({ time, kind, label, block, tx }) => ({ t: isoOf(time), kind, label, block, tx_hash: tx })),
    });
  };

/** Nothing can be said of a report; for each field why. */
function nothingKnown(moment: Moment) {
  const seen = observationAt(moment);
  const reason = !seen ? nothingSeen : ppsNow(moment) ? 'there is no calculated price: ask with pps' : noPrice;
  const none = unknown(reason);
  return {
    current_pps: none,
    next_pps: none,
    change_bps: none,
    accepted: none,
    guards: [],
    would_pause: none,
    fee: none,
    next_net_pps: none,
    next_net_pps_exact: none,
    upkeep_after: none,
  };
}

type ReportMethod = 'profit' | 'performance_fee' | 'net_pps' | 'net_pps_numerator';

/** What the figures of a report that is only imagined rest on. */
function reportInputs(moment: Moment, { nextPps, terms }: WhatIf, method: ReportMethod): Input[] {
  const seen = observationAt(moment);
  const where = { at: seen && { time: seen.time, block: seen.block }, source: 'state_observed' };
  const held = tvlAt(moment, moment.time);
  return [
    given('pps', nextPps, 'pps', 'the report asked about'),
    { name: 'hwm', value: terms.hwm, unit: 'pps', ...where },
    ...(method === 'profit' || method === 'performance_fee'
      ? [
          { name: 'supply', value: terms.supply, unit: 'share base units', at: held, source: 'Transfer' },
          given('precision', terms.precision, 'pps', 'PPS of 1.0'),
        ]
      : []),
    ...(method === 'profit' ? [] : [{ name: 'fee_bps', value: terms.feeBps, unit: 'bps', ...where }]),
  ];
}

const reportFigure = (moment: Moment, result: WhatIf, method: ReportMethod, value: bigint, unit: string) =>
  figure({ value, unit, method, observed: true, inputs: () => reportInputs(moment, result, method) });

export const getPpsWhatIf =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetPpsWhatIf>): Promise<ResultOf<typeof GetPpsWhatIf>> => {
    const moment = await histories.momentOf(params);
    const result = whatIf(moment, params.pps === undefined ? undefined : BigInt(params.pps));
    if (result === null) return answer(params, moment, 'pps/what-if', nothingKnown(moment));
    const { currentPps, nextPps, fee } = result;
    return answer(params, moment, 'pps/what-if', {
      current_pps: written(currentPps, 'pps', { at: ppsNow(moment), source: 'PPSUpdated' }),
      next_pps: written(
        nextPps,
        'pps',
        { source: params.pps === undefined ? 'state_observed' : 'the report asked about' },
        { observed: true },
      ),
      change_bps: figure({
        value: result.changeBps,
        unit: 'bps',
        method: 'change_bps',
        inputs: () => [
          given('start', currentPps, 'pps', 'PPSUpdated'),
          given('end', nextPps, 'pps', 'the report asked about'),
        ],
      }),
      accepted: result.accepted,
      guards: result.guards,
      would_pause: result.wouldPause,
      fee: {
        profit: reportFigure(moment, result, 'profit', fee.profit, 'asset base units'),
        total: reportFigure(moment, result, 'performance_fee', fee.total, 'asset base units'),
      },
      next_net_pps: reportFigure(moment, result, 'net_pps', result.nextNetNumerator / NET_PPS_DENOMINATOR, 'pps'),
      next_net_pps_exact: exactNet(
        result.nextNetNumerator,
        () => reportInputs(moment, result, 'net_pps_numerator'),
        true,
      ),
      upkeep_after: sumOf(
        [{ value: result.upkeepBefore, unit: 'upkeep base units', source: 'state_observed' }],
        [{ value: result.upkeepBefore - result.upkeepAfter, unit: 'upkeep base units', source: 'cost of the update' }],
        { unit: 'upkeep base units', observed: true },
      ),
    });
  };
