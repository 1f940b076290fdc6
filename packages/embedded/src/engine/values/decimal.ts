/** An exact decimal: coefficient × 10^exponent. */
export type Exact = { coefficient: bigint; exponent: number };

const DECIMAL128_DIGITS = 34;

/** Parses the text of a finite Decimal128 (`-1.5E+3`). */
export function parseExact(text: string): Exact {
  const [mantissa = '0', power = '0'] = text.toUpperCase().split('E');
  const dot = mantissa.indexOf('.');
  const fraction = dot < 0 ? 0 : mantissa.length - dot - 1;
  return { coefficient: BigInt(mantissa.replace('.', '').replace('+', '')), exponent: Number(power) - fraction };
}

const view = new DataView(new ArrayBuffer(8));

/** The exact decimal value of a finite double. */
export function exactOfDouble(value: number): Exact {
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n;
  const power = (biased === 0 ? 1 : biased) - 1075;
  const signed = bits >> 63n === 1n ? -mantissa : mantissa;
  if (power >= 0) return { coefficient: signed << BigInt(power), exponent: 0 };
  return { coefficient: signed * 5n ** BigInt(-power), exponent: power };
}

const scaleTo = (value: Exact, exponent: number): bigint =>
  value.coefficient * 10n ** BigInt(value.exponent - exponent);

/** The exact sum. */
export function addExact(left: Exact, right: Exact): Exact {
  const exponent = Math.min(left.exponent, right.exponent);
  return { coefficient: scaleTo(left, exponent) + scaleTo(right, exponent), exponent };
}

/** The number with the other sign. */
export const negateExact = (value: Exact): Exact => ({
  coefficient: -value.coefficient,
  exponent: value.exponent,
});

/** The exact product. */
export const multiplyExact = (left: Exact, right: Exact): Exact => ({
  coefficient: left.coefficient * right.coefficient,
  exponent: left.exponent + right.exponent,
});

/** Quotient to 36 significant digits; the caller rounds to a Decimal128. */
export function divideExact(left: Exact, right: Exact): Exact {
  const shift = 36 + Math.max(0, digitsOf(right.coefficient).length - digitsOf(left.coefficient).length);
  const coefficient = (left.coefficient * 10n ** BigInt(shift)) / right.coefficient;
  return trimZeros({ coefficient, exponent: left.exponent - right.exponent - shift }, left.exponent - right.exponent);
}

/** The decimal digits, without the sign. */
export const digitsOf = (coefficient: bigint): string => (coefficient < 0n ? -coefficient : coefficient).toString();

function trimZeros(value: Exact, upTo: number): Exact {
  let { coefficient, exponent } = value;
  while (coefficient !== 0n && exponent < upTo && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1;
  }
  return { coefficient, exponent };
}

/** Text for Decimal128.fromString, rounded half to even at 34 digits as IEEE 754-2008 decimal128 does. */
export function decimalText(value: Exact): string {
  const digits = digitsOf(value.coefficient);
  const surplus = digits.length - DECIMAL128_DIGITS;
  if (surplus <= 0) return `${value.coefficient}E${value.exponent}`;
  const unit = 10n ** BigInt(surplus);
  const magnitude = value.coefficient < 0n ? -value.coefficient : value.coefficient;
  const rest = (magnitude % unit) * 2n;
  let quotient = magnitude / unit;
  if (rest > unit || (rest === unit && quotient % 2n === 1n)) quotient += 1n;
  return `${value.coefficient < 0n ? '-' : ''}${quotient}E${value.exponent + surplus}`;
}
