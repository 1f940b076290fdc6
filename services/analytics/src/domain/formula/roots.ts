import { compare, type Exact, floored, one, over, times, whole, zero } from './exact.ts';

/** Roots, logarithms and powers have no end: they are computed to this many bits behind the point, some fifty digits. */
const BITS = 200n;
const UNIT = 1n << BITS;
const fixed = (n: bigint): Exact => ({ n, d: UNIT });

/** 2 x atanh(z) in fixed point, for |z| of at most 1/3. */
function twiceAtanh(z: bigint): bigint {
  const square = (z * z) >> BITS;
  let total = 0n;
  let power = z;
  for (let divisor = 1n; power !== 0n && power !== -1n; divisor += 2n) {
    total += power / divisor;
    power = (power * square) >> BITS;
  }
  return 2n * total;
}

/** ln 2 = 2 x atanh(1/3). */
const LN_2 = twiceAtanh(UNIT / 3n);

/** @throws {RangeError} for what is not above 0. */
export function naturalLog({ n, d }: Exact): Exact {
  if (n <= 0n) throw new RangeError('The formula takes the logarithm of what is not above 0.');
  // x = m x 2^k with m from 2/3 to 4/3.
  let k = n.toString(2).length - d.toString(2).length;
  let [top, bottom] = k >= 0 ? [n, d << BigInt(k)] : [n << BigInt(-k), d];
  if (3n * top > 4n * bottom) {
    bottom <<= 1n;
    k += 1;
  } else if (3n * top < 2n * bottom) {
    top <<= 1n;
    k -= 1;
  }
  return fixed(twiceAtanh(((top - bottom) << BITS) / (top + bottom)) + BigInt(k) * LN_2);
}

function exponential({ n, d }: Exact): Exact {
  const y = (n << BITS) / d;
  const k = floored({ n: y, d: LN_2 });
  if (k > 4_096n || k < -4_096n) throw new RangeError('The formula gives a power out of range.');
  const rest = y - k * LN_2;
  let total = UNIT;
  let term = UNIT;
  for (let divisor = 1n; term !== 0n; divisor += 1n) {
    term = ((term * rest) >> BITS) / divisor;
    total += term;
  }
  return k >= 0n ? fixed(total << k) : { n: total, d: UNIT << -k };
}

/** Largest whole power that is computed exactly. */
const EXACT_POWER = 64n;

/** @throws {RangeError} for a fractional power of what is below 0. */
export function power(base: Exact, exponent: Exact): Exact {
  const e = exponent.n / exponent.d;
  const isWhole = e * exponent.d === exponent.n;
  if (isWhole && e >= -EXACT_POWER && e <= EXACT_POWER) {
    const most = e < 0n ? -e : e;
    const raised = { n: base.n ** most, d: base.d ** most };
    return e < 0n ? over(one, raised) : raised;
  }
  if (base.n === 0n && exponent.n > 0n) return zero;
  return exponential(times(exponent, naturalLog(base)));
}

function rootOf(value: bigint): bigint {
  if (value < 2n) return value;
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1);
  for (;;) {
    const next = (guess + value / guess) >> 1n;
    if (next >= guess) return guess;
    guess = next;
  }
}

/** @throws {RangeError} for what is below 0. */
export function squareRoot(value: Exact): Exact {
  if (compare(value, zero) < 0) throw new RangeError('The formula takes the root of what is below 0.');
  const exact = whole(rootOf(value.n));
  if (value.d === 1n && exact.n * exact.n === value.n) return exact;
  return fixed(rootOf((value.n << (2n * BITS)) / value.d));
}
