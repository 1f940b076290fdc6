import { withMinus } from './amount.ts';

/** What stands for a figure that is not there. The reason goes beside it. */
export const NONE = '—';

/** Figures in a text of the analysts as the rest of the pages write them: 5.82%, −$40. */
export const typeset = (text: string): string =>
  text.replaceAll(/(?<=\d) %/g, '%').replaceAll(/(?<=^|[\s(])-(?=\$?\d)/g, '\u2212');

const usdCompact = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  notation: 'compact',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const usdFull = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const integers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const percents = new Intl.NumberFormat('en-US', {
  style: 'percent',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const bps = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** US dollars, compact from ten thousand up. */
export const formatUsd = (value: number): string =>
  withMinus((Math.abs(value) >= 10_000 ? usdCompact : usdFull).format(value));

/** US dollars to the cent, for titles and exports. */
export const formatUsdFull = (value: number): string => withMinus(usdFull.format(value));

/** A count. */
export const formatCount = (value: number): string => withMinus(integers.format(value));

const smallPercents = new Intl.NumberFormat('en-US', { style: 'percent', maximumSignificantDigits: 2 });

/** A fraction as a percentage with two decimals: 0.0847 is 8.47%. What is too small for them keeps two digits, so that only nothing reads as zero. */
export const formatShare = (fraction: number): string =>
  withMinus((fraction !== 0 && Math.abs(fraction) < 0.0001 ? smallPercents : percents).format(fraction));

const smallBps = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });

/** Basis points, as the API gives fees, thresholds and divergence; only nothing reads as zero. */
export const formatBps = (value: number): string =>
  `${withMinus((value !== 0 && Math.abs(value) < 0.01 ? smallBps : bps).format(value))} bps`;

/** A difference in basis points with its sign in front. */
export function formatSignedBps(value: number): string {
  if (value === 0) return '0 bps';
  return `${value > 0 ? '+' : ''}${formatBps(value)}`;
}

const signed = (value: number, text: string): string => (value > 0 ? `+${text}` : text);

/** A change as a percentage with its sign in front. */
export const formatSignedShare = (fraction: number): string => signed(fraction, formatShare(fraction));

/** A change in US dollars with its sign in front. */
export const formatSignedUsd = (value: number): string =>
  Math.abs(value) < 0.005 ? formatUsd(0) : signed(value, formatUsd(value));
