import { numberFormat } from './number-format.ts';

const MINUS = '−';
type Numeric = `${number}`;

/** Replaces the hyphen that Intl prints by a real minus sign. */
export const withMinus = (text: string): string => text.replace('-', MINUS);

/**
 * A raw integer amount as an exact decimal string, without grouping and without trailing zeros.
 * @param raw - Base units; an optional leading minus.
 * @param decimals - Decimals of the token.
 */
export function toDecimal(raw: string | bigint, decimals: number): string {
  const value = BigInt(raw);
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? '' : digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Number of decimals of a power of ten, e.g. 6 for "1000000". */
export const decimalsOf = (precision: string): number => precision.length - 1;

const full = numberFormat({ maximumFractionDigits: 30 });

/** The whole amount with grouping, every digit of it. */
export const formatExact = (raw: string | bigint, decimals: number): string =>
  withMinus(full.format(toDecimal(raw, decimals) as Numeric));

const compact = numberFormat({
  notation: 'compact',
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  roundingMode: 'trunc',
});
const plain = numberFormat({ maximumFractionDigits: 4, roundingMode: 'trunc' });
const small = numberFormat({ maximumSignificantDigits: 4, roundingMode: 'trunc' });

/**
 * An amount for a card or a cell: compact from ten thousand up, four decimals below, significant digits under one.
 * Cut, never rounded up, so that a balance is not shown as more than it is.
 */
export function formatAmount(raw: string | bigint, decimals: number): string {
  const text = toDecimal(raw, decimals) as Numeric;
  const value = BigInt(raw) < 0n ? -BigInt(raw) : BigInt(raw);
  const one = 10n ** BigInt(decimals);
  if (value >= 10_000n * one) return withMinus(compact.format(text));
  return withMinus((value >= one || value === 0n ? plain : small).format(text));
}

/** The same with its sign in front: +1.5, −1.5. */
export const formatSignedAmount = (raw: string | bigint, decimals: number): string =>
  `${BigInt(raw) > 0n ? '+' : ''}${formatAmount(raw, decimals)}`;

const tokens = numberFormat({ maximumSignificantDigits: 8 });

/** Whole tokens that are a number already, as charts have them. */
export const formatTokens = (value: number): string => withMinus(tokens.format(value));

/** Up to here base units are read digit by digit. */
const READABLE_DIGITS = 12;

/** A count of base units: with every digit while that can be read, then as expressions write it, cut: 6.5396e19. */
export function formatBaseUnits(raw: string | bigint): string {
  const digits = BigInt(raw).toString().replace('-', '');
  if (digits.length <= READABLE_DIGITS) return formatExact(raw, 0);
  const fraction = digits.slice(1, 5).replace(/0+$/, '');
  return `${BigInt(raw) < 0n ? MINUS : ''}${digits[0]}${fraction === '' ? '' : `.${fraction}`}e${digits.length - 1}`;
}

/** Orders two plain decimal strings exactly; for sorting figures that do not fit a double. */
export function compareDecimals(left: string, right: string): number {
  const places = Math.max(fractionOf(left).length, fractionOf(right).length);
  const difference = scaled(left, places) - scaled(right, places);
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}

const fractionOf = (text: string): string => text.split('.')[1] ?? '';
const scaled = (text: string, places: number): bigint =>
  BigInt(`${text.split('.')[0] ?? '0'}${fractionOf(text).padEnd(places, '0')}`);

const MIN_PPS_PLACES = 6;
const MAX_PPS_PLACES = 9;

/**
 * Decimals at which prices shown side by side can be distinguished: six at least, nine at most, so that they fit a card.
 * @param raws - Raw prices; null where there is none.
 * @param precision - The vault's `pps_precision`, a power of ten.
 */
export function ppsPlaces(raws: readonly (string | null)[], precision: string): number {
  const decimals = decimalsOf(precision);
  const distinct = [...new Set(raws.filter((raw) => raw !== null))];
  const differ = (places: number) => {
    const unit = 10n ** BigInt(Math.max(0, decimals - places));
    return new Set(distinct.map((raw) => BigInt(raw) / unit)).size === distinct.length;
  };
  for (let places = MIN_PPS_PLACES; places <= MAX_PPS_PLACES; places += 1) if (differ(places)) return places;
  return MIN_PPS_PLACES;
}

/** A price per share with a fixed number of decimals, cut and not rounded. */
export const formatPps = (raw: string, precision: string, places = MIN_PPS_PLACES): string =>
  cutDecimals(toDecimal(raw, decimalsOf(precision)), places);

/** A decimal string with exactly `places` decimals: cut, or filled up with zeros. */
export function cutDecimals(text: string, places: number): string {
  const [whole = '0', fraction = ''] = text.split('.');
  return `${full.format(whole as Numeric)}.${fraction.slice(0, places).padEnd(places, '0')}`;
}
