/** An exact decimal: `digits` / 10^`scale`, scale at least 0. */
export type Decimal = { digits: bigint; scale: number };

const powers: bigint[] = [];
/** Kept: a text is compared with hundreds of figures, number by number. */
const pow10 = (exponent: number): bigint => {
  powers[exponent] ??= 10n ** BigInt(exponent);
  return powers[exponent];
};

/**
 * Reads a decimal without going through a float: `-1.50`, `1e-7`, `42`.
 * @throws {RangeError} for anything else.
 */
export function decimalOf(value: string | number | bigint): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(value));
  if (!match) throw new RangeError(`${value} is no decimal.`);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = BigInt(`${sign}${whole}${fraction}`);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * pow10(-scale), scale: 0 };
}

/** `value` times a ratio of integers, rounded to `places` digits; a half may go either way, so both neighbours are given. */
export function roundings(value: Decimal, over: bigint, under: bigint, places: number): readonly bigint[] {
  const numerator = value.digits * over * pow10(places);
  const denominator = under * pow10(value.scale);
  const floor = floorDiv(numerator, denominator);
  const twice = 2n * (numerator - floor * denominator);
  if (twice === denominator) return [floor, floor + 1n];
  return [twice > denominator ? floor + 1n : floor];
}

const floorDiv = (a: bigint, b: bigint): bigint => (a < 0n && a % b !== 0n ? a / b - 1n : a / b);

/** Whether it is below 0. */
export const isNegative = ({ digits }: Decimal): boolean => digits < 0n;
/** The number with the other sign. */
export const negated = ({ digits, scale }: Decimal): Decimal => ({ digits: -digits, scale });
