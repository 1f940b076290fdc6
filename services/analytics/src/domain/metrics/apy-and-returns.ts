import { NET_PPS_DENOMINATOR } from '@castellan/chain';
import { type Figure, figure, type Gap, type Input } from '../figure.ts';
import type { PpsPoint } from '../ledgers/price-ledger.ts';
import { annualised, YEAR_SECONDS } from '../metric-math.ts';
import { DAY, given, type Moment, netInput, observationAt, ppsInput } from '../moment.ts';
import type { Range } from '../range.ts';
import { ratio } from '../ratio.ts';

/** The two observations a window rests on, by the step rule. */
export type Span = {
  readonly start: PpsPoint;
  readonly end: PpsPoint;
  readonly isWhole: boolean;
  readonly asked: number;
  /** The time that figures over it are about, seconds: whether its last price was usable is judged then, not at the moment. */
  readonly until: number;
};

/** @returns undefined while the vault has no price. `isWhole` is false when it is younger than the window. */
export function spanOf(moment: Moment, seconds: number): Span | undefined {
  const { prices } = moment.history;
  const end = prices.at(moment.time, moment.block);
  const first = prices.points[0];
  if (!end || !first) return undefined;
  const start = prices.at(moment.time - seconds, moment.block);
  return { start: start ?? first, end, isWhole: start !== undefined, asked: seconds, until: moment.time };
}

/** The two observations of a range, which need not end at the moment. */
export const spanOfRange = (moment: Moment, { from, to }: Pick<Range, 'from' | 'to'>): Span | undefined =>
  spanOf({ ...moment, time: to }, to - from);

/**
 * The window of the "current" figure. It ends with the last report, not with the moment: what has not been reported yet cannot
 * have been earned, and the two observations are never less than the window apart.
 */
export function currentSpan(moment: Moment): Span | undefined {
  const { prices } = moment.history;
  const end = prices.at(moment.time, moment.block);
  const seconds = Math.max(DAY, 2 * (observationAt(moment)?.maxStalenessSeconds ?? 0));
  const span = end && spanOf({ ...moment, time: end.t }, seconds);
  return span && { ...span, until: moment.time };
}

/** From the first price to the last. */
export function spanSinceInception(moment: Moment): Span | undefined {
  const first = moment.history.prices.points[0];
  return first && spanOf(moment, moment.time - first.t);
}

const elapsedOf = ({ start, end }: Span): number => end.t - start.t;

/** Stretches without any report of the oracle that are longer than a price stays usable. */
function gapsOf(moment: Moment, span: Span): Gap[] {
  const limit = observationAt(moment)?.expirationSeconds ?? DAY;
  const points = moment.history.prices.between(span.start.t, span.end.t, moment.block);
  const gaps: Gap[] = [];
  let before = span.start;
  for (const point of points) {
    if (point.t - before.t > limit) gaps.push({ from: before.t, to: point.t, reason: 'no price was reported' });
    before = point;
  }
  return gaps;
}

const timesOf = ({ start, end }: Span): Input[] => [
  given('t_start', start.t, 'seconds', 'the time inside the report'),
  given('t_end', end.t, 'seconds', 'the time inside the report'),
];

/** What a period return is computed from. */
export function returnInputs(moment: Moment, { start, end }: Pick<Span, 'start' | 'end'>): Input[] {
  const unit = `pps / ${NET_PPS_DENOMINATOR}`;
  const source = 'HWMPPSUpdated, HighWaterMarkReset, VaultFeeConfigUpdated';
  return [
    netInput('net_start', start),
    netInput('net_end', end),
    ...moment.history.prices.waiversBetween(start, end).flatMap((waiver): Input[] => [
      { name: 'waived_before', value: waiver.before, unit, at: waiver, source },
      { name: 'waived_after', value: waiver.after, unit, at: waiver, source },
    ]),
  ];
}

const sampleOf = (moment: Moment, { start, end }: Span): number =>
  moment.history.prices.countBetween(start.t, end.t, moment.block) + 1;

/**
 * Whether the last price had expired when the span ended, counted as the contract counts: from the time inside the report, not from
 * that of its block. Figures that rest on an expired one are stale.
 */
function isExpired(moment: Moment, { end, until }: Span): boolean {
  const limit = observationAt(moment)?.expirationSeconds;
  return limit !== undefined && until - end.t > limit;
}

const tooClose = 'the two observations are too close together';

type ReturnMethod = 'period_return' | 'apy' | 'apr';

const isYearly = (method: ReturnMethod): boolean => method === 'apy' || method === 'apr';

function returnFigure(
  moment: Moment,
  span: Span | undefined,
  method: ReturnMethod,
  least: number,
  value: (periodReturn: number, elapsed: number) => number,
): Figure {
  if (!span) return figure({ value: null, unit: 'fraction', method, inputs: () => [], sampleSize: 0 });
  const elapsed = elapsedOf(span);
  const periodReturn = moment.history.prices.netReturn(span.start, span.end);
  const isEnough = elapsed >= least && elapsed > 0;
  const unknownFee = periodReturn === null ? 'the performance fee before its first change is not known' : null;
  const status = isExpired(moment, span) ? 'stale' : span.isWhole ? 'ok' : 'partial';
  return figure({
    value: isEnough && periodReturn !== null ? value(periodReturn, elapsed) : null,
    unit: 'fraction',
    method,
    status,
    reason:
      unknownFee ??
      (!isEnough
        ? tooClose
        : status === 'partial'
          ? 'the vault is younger than the window'
          : status === 'stale'
            ? 'the last price has expired'
            : null),
    window: { from: span.start.t, to: span.end.t },
    sampleSize: sampleOf(moment, span),
    gaps: () => gapsOf(moment, span),
    inputs: () => [...returnInputs(moment, span), ...(isYearly(method) ? timesOf(span) : [])],
  });
}

/**
 * Period return R = net(end) / net(start) - 1 over the two observations the step rule gives; waived fees left out.
 * Fraction, signed.
 */
export const returnOver = (moment: Moment, span: Span | undefined): Figure =>
  returnFigure(moment, span, 'period_return', 1, (value) => value);

/**
 * APY = (1 + R)^(year / actual elapsed seconds) - 1, 365 days. Null when the observations are less than a day or less than half
 * of the window apart; never capped, never floored at zero.
 */
export const apyOver = (moment: Moment, span: Span | undefined): Figure =>
  returnFigure(moment, span, 'apy', Math.max(DAY, (span?.asked ?? 0) / 2), annualised);

/** Trailing realised APY of the current window, whose length comes from observed settings. */
export const currentApy = (moment: Moment): Figure => ({ ...apyOver(moment, currentSpan(moment)), observed: true });

/** Simple rate R x year / elapsed. */
export const aprOver = (moment: Moment, span: Span | undefined): Figure =>
  returnFigure(moment, span, 'apr', Math.max(DAY, (span?.asked ?? 0) / 2), (value, s) => (value * YEAR_SECONDS) / s);

/** What the performance fee took of the APY: APY before it less APY after it. Null under the same conditions as both. */
export function feeDrag(moment: Moment, span: Span | undefined): Figure {
  const net = apyOver(moment, span);
  const gross = grossApy(moment, span);
  return figure({
    value: span && net.value !== null && gross.value !== null ? dragOver(moment, span) : null,
    unit: 'fraction',
    method: 'fee_drag',
    status: net.status,
    reason: net.reason,
    window: net.window,
    sampleSize: net.sampleSize,
    gaps: net.gaps,
    inputs: () => [...net.inputs(), ...gross.inputs().filter(({ name }) => name !== 't_start' && name !== 't_end')],
  });
}

/** Both APYs as factors over the whole elapsed time, so that nothing is lost where they are nearly the same. */
function dragOver(moment: Moment, span: Span): number | null {
  const { prices } = moment.history;
  const { start, end } = span;
  const periodReturn = prices.netReturn(start, end);
  const netStart = start.netNumerator;
  const netEnd = end.netNumerator;
  if (periodReturn === null || netStart === null || netEnd === null || netEnd === 0n) return null;
  const waived = prices.waived(start, end);
  const skimmed = prices.skimmedBetween(start, end);
  const gross = end.pps * skimmed.before * netStart * waived.after;
  const net = start.pps * skimmed.after * netEnd * waived.before;
  const elapsed = elapsedOf(span);
  return annualised(ratio(gross - net, net), elapsed) * (1 + annualised(periodReturn, elapsed));
}

/**
 * APY before the performance fee: gross PPS with what skims took added back. Null under the same conditions as the net one.
 */
export function grossApy(moment: Moment, span: Span | undefined): Figure {
  if (!span) return figure({ value: null, unit: 'fraction', method: 'gross_apy', inputs: () => [], sampleSize: 0 });
  const elapsed = elapsedOf(span);
  const { prices } = moment.history;
  const skimmed = prices.skimmedBetween(span.start, span.end);
  const numerator = span.end.pps * skimmed.before;
  const denominator = span.start.pps * skimmed.after;
  const isEnough = elapsed >= Math.max(DAY, span.asked / 2);
  return figure({
    value: isEnough ? annualised(ratio(numerator - denominator, denominator), elapsed) : null,
    unit: 'fraction',
    method: 'gross_apy',
    status: span.isWhole ? 'ok' : 'partial',
    reason: isEnough ? (span.isWhole ? null : 'the vault is younger than the window') : tooClose,
    window: { from: span.start.t, to: span.end.t },
    sampleSize: sampleOf(moment, span),
    inputs: () => [
      ppsInput('pps_start', span.start, span.start.pps),
      ppsInput('pps_end', span.end, span.end.pps),
      ...prices.skimsBetween(span.start, span.end).flatMap((skim): Input[] => [
        { name: 'skim_before', value: skim.before, unit: 'pps', at: skim, source: 'PPSUpdatedAfterSkim' },
        { name: 'skim_after', value: skim.after, unit: 'pps', at: skim, source: 'PPSUpdatedAfterSkim' },
      ]),
      ...timesOf(span),
    ],
  });
}
