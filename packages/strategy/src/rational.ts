/** An exact number: `n / d` in lowest terms, `d` positive. */
export type Rational = { readonly n: bigint; readonly d: bigint };

/** Larger numerators and denominators than this are refused: nothing on a chain is, and they would cost time. */
export const MAX_BITS = 1_024;
const LIMIT = 1n << BigInt(MAX_BITS);

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);

function gcd(a: bigint, b: bigint): bigint {
  let x = magnitude(a);
  let y = b;
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}

/** `n / d` in lowest terms. @throws {RangeError} for a denominator of 0. */
export function ratio(n: bigint, d = 1n): Rational {
  if (d === 0n) throw new RangeError('A denominator must not be 0.');
  if (d === 1n) return { n, d };
  const common = gcd(n, magnitude(d)) * (d < 0n ? -1n : 1n);
  return { n: n / common, d: d / common };
}

/** The number 0. */
export const ZERO = ratio(0n);

/** True when the numerator or the denominator has more than `MAX_BITS` bits. */
export const isTooLarge = ({ n, d }: Rational): boolean => magnitude(n) >= LIMIT || d >= LIMIT;
/** The exact sum, in lowest terms. */
export const add = (a: Rational, b: Rational): Rational => ratio(a.n * b.d + b.n * a.d, a.d * b.d);
/** The number with the other sign. */
export const negate = ({ n, d }: Rational): Rational => ({ n: -n, d });
/** The exact difference, in lowest terms. */
export const subtract = (a: Rational, b: Rational): Rational => add(a, negate(b));
/** The exact product, in lowest terms. */
export const multiply = (a: Rational, b: Rational): Rational => ratio(a.n * b.n, a.d * b.d);
/** @throws {RangeError} when `b` is 0. */
export const divide = (a: Rational, b: Rational): Rational => ratio(a.n * b.d, a.d * b.n);
/** Negative, 0 or positive as `a` is below, at or above `b`. */
export function compare(a: Rational, b: Rational): number {
  const difference = a.n * b.d - b.n * a.d;
  if (difference === 0n) return 0;
  return difference < 0n ? -1 : 1;
}
/** The largest integer not above. */
export function floor({ n, d }: Rational): bigint {
  const quotient = n / d;
  return n % d < 0n ? quotient - 1n : quotient;
}
/** `a - b * floor(a / b)`: has the sign of `b`. @throws {RangeError} when `b` is 0. */
export const modulo = (a: Rational, b: Rational): Rational => subtract(a, multiply(b, ratio(floor(divide(a, b)))));

const decimal = /^(-?)(\d{1,200})(?:\.(\d{1,100}))?(?:[eE]([+-]?\d{1,3}))?$/;
const fraction = /^(-?\d{1,700})\/(\d{1,700})$/;
const MAX_EXPONENT = 100;

/** Reads a decimal (`12`, `0.05`, `1e-6`) or a fraction (`1/3`). @returns undefined for anything else. */
export function parseRational(text: string): Rational | undefined {
  const parts = fraction.exec(text);
  if (parts) return BigInt(parts[2] ?? '0') === 0n ? undefined : ratio(BigInt(parts[1] ?? ''), BigInt(parts[2] ?? ''));
  const [, sign, whole = '', fractional = '', exponent = '0'] = decimal.exec(text) ?? [];
  if (sign === undefined || Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined;
  const places = BigInt(fractional.length) - BigInt(exponent);
  const digits = BigInt(`${whole}${fractional}`) * (sign === '-' ? -1n : 1n);
  return places > 0n ? ratio(digits, 10n ** places) : ratio(digits * 10n ** -places);
}

/** More decimal places are not read back. */
const MAX_PLACES = 100;

/** How many decimal places show a number of this denominator exactly; undefined when none do. */
export function placesOf(d: bigint): number | undefined {
  let rest = d;
  let twos = 0;
  let fives = 0;
  for (; rest % 2n === 0n; rest /= 2n) twos += 1;
  for (; rest % 5n === 0n; rest /= 5n) fives += 1;
  const places = Math.max(twos, fives);
  return rest === 1n && places <= MAX_PLACES ? places : undefined;
}

/** The exact text: an integer, a decimal where one shows it exactly, else `n/d`. {@link parseRational} reads it back. */
export function showRational(value: Rational): string {
  const places = placesOf(value.d);
  if (places === undefined) return `${value.n}/${value.d}`;
  if (places === 0) return `${value.n}`;
  const digits = `${(magnitude(value.n) * 10n ** BigInt(places)) / value.d}`.padStart(places + 1, '0');
  return `${value.n < 0n ? '-' : ''}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
