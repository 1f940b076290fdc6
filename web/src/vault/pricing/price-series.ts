import type { Marker, Point, Series } from '../../charts/types.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { decimalsOf, ppsPlaces, toDecimal } from '../../format/amount.ts';
import { formatSignedShare } from '../../format/figures.ts';
import { priceNumber } from '../money.ts';

export type Pps = AnalyticsResult<'analyticsPps'>;

const exact = (raw: string, precision: string): string => toDecimal(raw, decimalsOf(precision));

/** A net price as the service computes with it: the integer beside it is rounded down, for display. */
export type ExactPrice = NonNullable<Pps['points'][number]['net_pps_exact']>;

const exactNumber = ({ numerator, denominator }: ExactPrice, precision: string): number =>
  priceNumber(numerator, String(BigInt(precision) * BigInt(denominator)));

/** Net price full, gross dashed: the first is what holders earn, the second what the chain says. */
export function priceSeries({ points, pps_precision: precision }: Pps): Series[] {
  const gross = points.map(
    ({ t, pps, pps_display }): Point => [Date.parse(t), priceNumber(pps, precision), pps_display],
  );
  const net = points.map(({ t, net_pps: raw, net_pps_exact: whole }): Point => {
    const at = Date.parse(t);
    return raw === null || whole === null ? [at, null] : [at, exactNumber(whole, precision), exact(raw, precision)];
  });
  return [
    { id: 'net', name: 'Net of the fee due', kind: 'step', points: net, colour: 'accent' },
    { id: 'gross', name: 'On chain', kind: 'step', points: gross, colour: 3, isDashed: true },
  ];
}

/**
 * The mark as it was at each time, resets included. It is drawn over the time of the prices: from the first of them, up to
 * the last, or to a later move.
 */
export function markSeries({ points, hwm_steps: steps, pps_precision: precision }: Pps): Series[] {
  const [first, last] = [points[0], points.at(-1)].map((point) => (point === undefined ? null : Date.parse(point.t)));
  if (first == null || last == null || steps.length === 0) return [];
  const drawn = steps.map(
    ({ t, pps, pps_display }): Point => [Math.max(first, Date.parse(t)), priceNumber(pps, precision), pps_display],
  );
  const [at, value, text] = drawn.at(-1) as Point;
  const line = at < last ? [...drawn, [last, value, text] as const] : drawn;
  return [{ id: 'hwm', name: 'High-water mark', kind: 'step', points: line, colour: 'brass', isDashed: true }];
}

const tones: Record<Pps['markers'][number]['kind'], NonNullable<Marker['tone']>> = {
  skim: 'info',
  pause: 'critical',
  unpause: 'info',
  stale: 'warn',
  hwm_reset: 'warn',
  fee_config: 'info',
  check_failed: 'critical',
};

/** What happened to the price. Updates are the steps themselves. */
export const priceMarkers = ({ markers }: Pps): Marker[] =>
  markers.map(({ t, kind, label, tx_hash }, index) => ({
    id: `${tx_hash} ${kind} ${index}`,
    x: Date.parse(t),
    label,
    tone: tones[kind],
  }));

/** Decimals at which the last change can be seen. */
export function placesOf({ points, hwm, calculated, pps_precision: precision }: Pps): number {
  const last = points.at(-1)?.pps;
  const before = points.findLast(({ pps }) => pps !== last)?.pps;
  return ppsPlaces([last ?? null, before ?? null, hwm?.pps ?? null, calculated?.pps ?? null], precision);
}

/** One fraction exactly enough: raw prices may not fit a double, their ratio does. */
export function ratio(after: string, before: string): number | null {
  const base = BigInt(before);
  if (base === 0n) return null;
  const scale = 10n ** 15n;
  return Number(((BigInt(after) - base) * scale) / base) / Number(scale);
}

/** The same of two exact prices. */
export const exactRatio = (after: ExactPrice, before: ExactPrice): number | null =>
  ratio(
    String(BigInt(after.numerator) * BigInt(before.denominator)),
    String(BigInt(before.numerator) * BigInt(after.denominator)),
  );

/** "The net price rose by 0.42% over the last 30 days." */
export function priceTakeaway({ points }: Pps, words: string): string {
  const known = points.flatMap(({ net_pps_exact: whole }) => (whole === null ? [] : [whole]));
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined) return `No price was reported ${words}.`;
  const change = exactRatio(last, first);
  if (change === null || known.length < 2) return `One price was reported ${words}.`;
  if (change === 0) return `The net price did not change ${words}.`;
  const verb = change > 0 ? 'rose' : 'fell';
  return `The net price ${verb} by ${formatSignedShare(Math.abs(change)).replace('+', '')} ${words}.`;
}

/** Return since the first net price of the range, at each point. */
export function returnSeries({ points }: Pps): Series[] {
  const first = points.find(({ net_pps_exact: whole }) => whole !== null)?.net_pps_exact;
  return [
    {
      id: 'return',
      name: 'Net return',
      kind: 'step',
      points: points.map(({ t, net_pps_exact: whole }) => [
        Date.parse(t),
        whole === null || first == null ? null : exactRatio(whole, first),
      ]),
    },
  ];
}
