import { withMinus } from './amount.ts';
import { numberFormat } from './number-format.ts';

/** Shown where a figure is missing; the reason goes beside it. */
export const NONE = '—';

const usdCompact = numberFormat({
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const usdFull = numberFormat({ style: 'currency', currency: 'USD' });
const integers = numberFormat({ maximumFractionDigits: 0 });
const percents = numberFormat({
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
/** US dollars, compact from ten thousand up. */
export const formatUsd = (value: number): string =>
  withMinus((Math.abs(value) >= 10_000 ? usdCompact : usdFull).format(value));

/** US dollars to the cent, for titles and exports. */
export const formatUsdFull = (value: number): string => withMinus(usdFull.format(value));

/** A count. */
export const formatCount = (value: number): string => withMinus(integers.format(value));

const smallPercents = numberFormat({ style: 'percent', maximumSignificantDigits: 2 });

/** A fraction as a percentage with two decimals: 0.0847 is 8.47%. What is too small for them keeps two digits, so that only nothing reads as zero. */
export const formatShare = (fraction: number): string =>
  withMinus((fraction !== 0 && Math.abs(fraction) < 0.0001 ? smallPercents : percents).format(fraction));

/** The depth of a fall as every table and chart has it: below zero. */
export const formatFall = (depth: number): string => formatShare(depth === 0 ? 0 : -depth);

/** Basis points as the share they stand for: what is set (fees, guards, limits) is read as 15.00%. */
export const formatBpsShare = (bps: number): string => formatShare(bps / 10_000);

const wholePercents = numberFormat({ style: 'percent', maximumFractionDigits: 0 });

/** A fraction in whole percent, for cells of a map, zoom and sliders: 0.4 is 40%. */
export const formatWholeShare = (fraction: number): string => withMinus(wholePercents.format(fraction));

const bps = numberFormat({ maximumFractionDigits: 2 });
/** Nothing smaller is read as a number of its own. */
const LEAST_BPS = 0.005;
const ALMOST_NONE = '≈ 0 bps';

/** Basis points of what is measured against a price: divergence, slippage, cost. Only nothing reads as zero. */
export const formatBps = (value: number): string =>
  value !== 0 && Math.abs(value) < LEAST_BPS ? ALMOST_NONE : `${withMinus(bps.format(value))} bps`;

/** A difference in basis points with its sign in front. */
export const formatSignedBps = (value: number): string => {
  const text = formatBps(value);
  return value > 0 && text !== ALMOST_NONE ? `+${text}` : text;
};

const ratios = numberFormat({ minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A figure without a unit, with two decimals: a Sharpe ratio of 1.07. */
export const formatRatio = (value: number): string => {
  const text = withMinus(ratios.format(value));
  return text === '−0.00' ? '0.00' : text;
};

/** How many times one amount covers another: 1.07×. */
export const formatTimes = (value: number): string => `${formatRatio(value)}×`;

const rates = numberFormat({ maximumFractionDigits: 1 });

/** How often something happens in a unit of time: 38.4 (updates a day). */
export const formatRate = (value: number): string => withMinus(rates.format(value));

/** A concentration (0 to 1) in the points the HHI is quoted in, of 10,000. */
export const formatHhi = (index: number): string => formatCount(Math.round(index * 10_000));

const large = numberFormat({ maximumFractionDigits: 2 });
const four = numberFormat({ maximumSignificantDigits: 4 });

/** A number whose kind is not known: two decimals from a thousand up, else four significant digits; never an exponent. */
export const formatNumber = (value: number): string =>
  withMinus((Math.abs(value) >= 1_000 ? large : four).format(value));

// Making one costs forty times as much as using it, and a chart asks for the decimals of each of its ticks and points.
const withPlaces = new Map<number, Intl.NumberFormat>();

function formatterOf(places: number): Intl.NumberFormat {
  const known = withPlaces.get(places);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
  withPlaces.set(places, made);
  return made;
}

/** A number with exactly so many decimals, as the ticks of an axis need it. */
export function formatDecimals(value: number, places: number): string {
  const text = formatterOf(places).format(value);
  return withMinus(/^-0(\.0*)?$/.test(text) ? text.slice(1) : text);
}

/** A count with its noun: "1 deposit", "1,200 deposits". */
export const formatCounted = (value: number, one: string, many = `${one}s`): string =>
  `${formatCount(value)} ${value === 1 ? one : many}`;

const signed = (value: number, text: string): string => (value > 0 ? `+${text}` : text);

/** A change of a count with its sign in front. */
export const formatSignedCount = (value: number): string => signed(value, formatCount(value));

/** A change as a percentage with its sign in front. */
export const formatSignedShare = (fraction: number): string => signed(fraction, formatShare(fraction));

/** A difference of two percentages, in percentage points: 0.0009 is 0.09 pp. */
export const formatPoints = (fraction: number): string => formatShare(fraction).replace('%', '\u00a0pp');

/** The same with its sign in front. */
export const formatSignedPoints = (fraction: number): string => signed(fraction, formatPoints(fraction));

/** A loss as the return that it is: 0.012 is −1.20%, and what was gained has a plus. */
export const formatLoss = (loss: number): string => formatSignedShare(loss === 0 ? 0 : -loss);

/** A change in US dollars with its sign in front. */
export const formatSignedUsd = (value: number): string =>
  Math.abs(value) < 0.005 ? formatUsd(0) : signed(value, formatUsd(value));
