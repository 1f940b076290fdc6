import { divergenceBps, formatPps } from '@castellan/chain';
import type { GetPps, GetPpsWhatIf, ParamsOf, ResultOf } from '@castellan/contracts';
import { m4 } from '../domain/downsample.ts';
import { figure } from '../domain/figure.ts';
import type { PpsPoint } from '../domain/ledgers/price-ledger.ts';
import { whatIf } from '../domain/metrics/what-if.ts';
import { type Moment, observationAt, ppsInput, ppsNow } from '../domain/moment.ts';
import { bucketWidth, type Range, rangeOf } from '../domain/range.ts';
import { ratio } from '../domain/ratio.ts';
import { isoOf, within } from '../domain/timeline.ts';
import { answer } from './answer.ts';
import type { Histories } from './ports.ts';

/** What a series tells of itself. */
export const seriesOf = ({ period, from, to }: Range, width: number) => ({
  period,
  from: isoOf(from),
  to: isoOf(to),
  interval_seconds: width,
});

/** Points of M4 buckets: at most `points` of them. Width 0: every observation. */
export const m4Width = (range: Range, count: number, points: number): number =>
  count <= points ? 0 : bucketWidth(range, Math.max(1, Math.floor(points / 4)));

const shown = (moment: Moment, point: PpsPoint) => ({
  t: isoOf(point.t),
  pps: point.pps,
  pps_display: formatPps(point.pps, moment.history.decimals),
  net_pps: point.net,
});

function ppsPoints(moment: Moment, range: Range, most: number) {
  const { prices } = moment.history;
  const stretch = prices.stretch(range.from, range.to, moment.block);
  const width = m4Width(range, stretch.end - stretch.start, most);
  const kept = m4(prices.points, stretch, prices.extremes, { most, width: width || 1, key: ({ t }) => t });
  const points = kept.map((point) => ({
    ...shown(moment, point),
    source: point.source,
    block: point.block,
    tx_hash: point.tx,
  }));
  return { width, points };
}

function currentPrice(moment: Moment) {
  const point = ppsNow(moment);
  if (!point) return null;
  const { pps, ...rest } = shown(moment, point);
  return {
    ...rest,
    pps: figure({
      value: pps,
      unit: 'pps',
      method: 'value',
      inputs: () => [ppsInput('value', point, pps)],
    }),
  };
}

function calculatedPrice(moment: Moment) {
  const seen = observationAt(moment);
  if (!seen || seen.calculatedPps === null) return null;
  return {
    pps: seen.calculatedPps,
    pps_display: formatPps(seen.calculatedPps, moment.history.decimals),
    t: isoOf(seen.time),
    divergence_bps: divergenceBps({ calculated: seen.calculatedPps, current: ppsNow(moment)?.pps ?? seen.pps }),
  };
}

function highWaterMark(moment: Moment) {
  const point = ppsNow(moment);
  const mark = within(moment.history.prices.marks, Number.NEGATIVE_INFINITY, moment.time, moment.block).at(-1);
  const hwm = mark?.after ?? moment.history.prices.points[0]?.pps;
  if (!point || hwm === undefined || hwm === 0n) return null;
  return {
    pps: hwm,
    pps_display: formatPps(hwm, moment.history.decimals),
    distance: ratio(point.pps - hwm, hwm),
  };
}

function expiry(moment: Moment) {
  const seen = observationAt(moment);
  const point = ppsNow(moment);
  if (!seen || !point) return null;
  return { expires_at: isoOf(point.t + seen.expirationSeconds), expiration_seconds: seen.expirationSeconds };
}

/** Gaps between reports of the oracle; a skim is none. The first report of the range has no gap in it. */
function cadence(moment: Moment, range: Range) {
  const { prices } = moment.history;
  const { start, end } = prices.reportStretch(range.from, range.to, moment.block);
  const gap = (q: number) => prices.gaps.quantile(start + 1, end, q) ?? null;
  return { p50_seconds: gap(0.5), p95_seconds: gap(0.95), max_seconds: gap(1), reports: end - start };
}

export const getPps =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetPps>): Promise<ResultOf<typeof GetPps>> => {
    const moment = await histories.momentOf(params);
    const range = rangeOf(params, moment, moment.history.identity.time);
    const { width, points } = ppsPoints(moment, range, params.points);
    const markers = within(moment.history.markers, range.from, range.to, moment.block);
    return answer(params, moment, 'pps', {
      ...seriesOf(range, width),
      pps_precision: moment.history.precision ?? 1n,
      points,
      current: currentPrice(moment),
      calculated: calculatedPrice(moment),
      hwm: highWaterMark(moment),
      expiry: expiry(moment),
      cadence: cadence(moment, range),
      markers: markers.map(({ time, kind, label, block, tx }) => ({ t: isoOf(time), kind, label, block, tx_hash: tx })),
    });
  };

const nothingKnown = {
  current_pps: null,
  next_pps: null,
  change_bps: null,
  accepted: null,
  guards: [],
  would_pause: null,
  fee: null,
  next_net_pps: null,
  upkeep_after: null,
};

export const getPpsWhatIf =
  ({ histories }: { histories: Histories }) =>
  async (params: ParamsOf<typeof GetPpsWhatIf>): Promise<ResultOf<typeof GetPpsWhatIf>> => {
    const moment = await histories.momentOf(params);
    const result = whatIf(moment, params.pps === undefined ? undefined : BigInt(params.pps));
    return answer(
      params,
      moment,
      'pps/what-if',
      result === null
        ? nothingKnown
        : {
            current_pps: result.currentPps,
            next_pps: result.nextPps,
            change_bps: result.changeBps,
            accepted: result.accepted,
            guards: result.guards,
            would_pause: result.wouldPause,
            fee: result.fee,
            next_net_pps: result.nextNetPps,
            upkeep_after: result.upkeepAfter,
          },
    );
  };
