/** An exact rational number; `d` is positive. Not always in lowest terms. */
export type Exact = { readonly n: bigint; readonly d: bigint };

/** An integer as a fraction. */
export const whole = (n: bigint): Exact => ({ n, d: 1n });
/** The number 0. */
export const zero = whole(0n);
/** The number 1. */
export const one = whole(1n);

/** Beyond this many bits a fraction is brought to its lowest terms before it grows further. */
const MOST_BITS = 1n << 4_096n;

function divisorOf(a: bigint, b: bigint): bigint {
  let large = a < 0n ? -a : a;
  let small = b;
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}

function made(n: bigint, d: bigint): Exact {
  if (d < MOST_BITS) return { n, d };
  const common = divisorOf(n, d);
  return common === 1n ? { n, d } : { n: n / common, d: d / common };
}

/** Both over one denominator; one of two that is a multiple of the other serves for both. */
function alike(a: Exact, b: Exact): [left: bigint, right: bigint, d: bigint] {
  if (a.d === b.d) return [a.n, b.n, a.d];
  if (a.d % b.d === 0n) return [a.n, b.n * (a.d / b.d), a.d];
  if (b.d % a.d === 0n) return [a.n * (b.d / a.d), b.n, b.d];
  return [a.n * b.d, b.n * a.d, a.d * b.d];
}

/** The exact sum. */
export function plus(a: Exact, b: Exact): Exact {
  const [left, right, d] = alike(a, b);
  return made(left + right, d);
}

/** The exact difference. */
export function minus(a: Exact, b: Exact): Exact {
  const [left, right, d] = alike(a, b);
  return made(left - right, d);
}

/** The exact product. */
export const times = (a: Exact, b: Exact): Exact => made(a.n * b.n, a.d * b.d);

/** @throws {RangeError} when `b` is 0. */
export function over(a: Exact, b: Exact): Exact {
  if (b.n === 0n) throw new RangeError('The formula divides by 0.');
  return b.n < 0n ? made(-a.n * b.d, a.d * -b.n) : made(a.n * b.d, a.d * b.n);
}

/** Below 0, 0 or above 0, as `a` is less than, equal to or greater than `b`. */
export function compare(a: Exact, b: Exact): number {
  const [left, right] = a.d === b.d ? [a.n, b.n] : [a.n * b.d, b.n * a.d];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The integer towards 0. */
export const truncated = ({ n, d }: Exact): bigint => n / d;
/** The greatest integer that is not above it. */
export const floored = ({ n, d }: Exact): bigint => n / d - (n % d < 0n ? 1n : 0n);
/** The least integer that is not below it. */
export const ceiled = ({ n, d }: Exact): bigint => n / d + (n % d > 0n ? 1n : 0n);

/** Sum of many: in halves, so that unlike denominators grow as little as they can. */
export function summed(values: readonly Exact[], start = 0, end = values.length): Exact {
  if (end - start < 2) return values[start] ?? zero;
  const middle = (start + end) >> 1;
  return plus(summed(values, start, middle), summed(values, middle, end));
}

/**
 * A number as it is printed: digits with an optional point, and an exponent as JSON has it.
 * @throws {SyntaxError} for anything else.
 */
export function read(text: string): Exact {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/.exec(text);
  if (!match) throw new SyntaxError(`${text} is not a number.`);
  const [, sign, digits = '', behind = '', exponent = '0'] = match;
  const n = BigInt(`${sign}${digits}${behind}`);
  const places = behind.length - Number(exponent);
  return places > 0 ? { n, d: 10n ** BigInt(places) } : whole(n * 10n ** BigInt(-places));
}

const bitsOf = (value: bigint): number => {
  const digits = value.toString(16);
  return digits.length * 4 - (Math.clz32(Number.parseInt(digits[0] as string, 16)) - 28);
};

/** Bits a quotient is computed to before it is rounded to the 53 of a double. */
const BITS = 66;

/** The double nearest to `n / d`, whatever their size; ties go to the even one. @throws {RangeError} when `d` is 0. */
export function nearestDouble(n: bigint, d: bigint): number {
  if (d === 0n) throw new RangeError('Division by zero.');
  if (n === 0n) return 0;
  const top = n < 0n ? -n : n;
  const bottom = d < 0n ? -d : d;
  const shift = BITS - (bitsOf(top) - bitsOf(bottom));
  const [scaled, divisor] = shift >= 0 ? [top << BigInt(shift), bottom] : [top, bottom << BigInt(-shift)];
  // The lowest bit says that something was cut off: without it a tie could be rounded the wrong way.
  const quotient = (scaled / divisor) | (scaled % divisor === 0n ? 0n : 1n);
  // In two steps: 2^shift alone may be out of range.
  const half = Math.trunc(shift / 2);
  const value = Number(quotient) * 2 ** -half * 2 ** -(shift - half);
  return n < 0n === d < 0n ? value : -value;
}

/** The exact decimal text of a fraction that has one. @throws {SyntaxError} when it has no end. */
export function decimalText({ n, d }: Exact): string {
  const common = divisorOf(n, d);
  let rest = d / common;
  let places = 0;
  for (const prime of [10n, 5n, 2n])
    while (rest % prime === 0n) {
      rest /= prime;
      places += 1;
    }
  if (rest !== 1n) throw new SyntaxError('The formula gives a fraction without an end.');
  const digits = ((n < 0n ? -n : n) * 10n ** BigInt(places)) / d;
  const text = digits.toString().padStart(places + 1, '0');
  const at = text.length - places;
  const behind = text.slice(at).replace(/0+$/, '');
  return `${n < 0n ? '-' : ''}${text.slice(0, at)}${behind === '' ? '' : `.${behind}`}`;
}
