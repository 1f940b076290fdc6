import { type Decimal, isNegative, negated, roundings } from './decimal.ts';
import { type ContextFigure, exactOf } from './figure.ts';

const unitsOfTime = [
  { name: 'second', seconds: 1n, below: 120n },
  { name: 'minute', seconds: 60n, below: 7_200n },
  { name: 'hour', seconds: 3_600n, below: 172_800n },
  { name: 'day', seconds: 86_400n, below: null },
] as const;
const largeAmounts = [
  { suffix: 'B', power: 9 },
  { suffix: 'M', power: 6 },
] as const;

const pow10 = (exponent: number): bigint => 10n ** BigInt(exponent);
/** Enough that what is not nothing is not said as nothing. */
const mostPlaces = 18;

type Scaled = { over?: bigint; under?: bigint };

/** Rounds half away from zero, with more places than asked for where the value would vanish. */
function rounded(value: Decimal, places: number, { over = 1n, under = 1n }: Scaled = {}): string {
  const digits = roundings(value, over, under, places).at(-1) ?? 0n;
  if (digits === 0n && value.digits !== 0n && places < mostPlaces) return rounded(value, places + 1, { over, under });
  const whole = digits / pow10(places);
  const fraction = String(digits % pow10(places)).padStart(places, '0');
  return `${grouped(whole)}${places === 0 ? '' : `.${fraction}`}`;
}

const grouped = (whole: bigint): string => String(whole).replaceAll(/\B(?=(\d{3})+$)/g, ',');
const withoutZeros = (said: string): string => (said.includes('.') ? said.replace(/\.?0+$/, '') : said);

const leastDigits = 100n;

/** Below one, as many places as three digits take: 0.0137 and 0.00687 must not both be 0.01. */
function small(value: Decimal, places = 2): string {
  const digits = roundings(value, 1n, 1n, places).at(-1) ?? 0n;
  if (digits < leastDigits && places < mostPlaces) return small(value, places + 1);
  return withoutZeros(rounded(value, places));
}

function tokens(value: Decimal): string {
  if (value.digits === 0n) return '0';
  return value.digits < pow10(value.scale) ? small(value) : amount(value);
}

function amount(value: Decimal): string {
  const scale = pow10(value.scale);
  const large = largeAmounts.find(({ power }) => value.digits >= pow10(power) * scale);
  return large ? `${rounded(value, 2, { under: pow10(large.power) })}${large.suffix}` : rounded(value, 2);
}

function duration(value: Decimal): string {
  const scale = pow10(value.scale);
  const unit = unitsOfTime.find(({ below }) => below === null || value.digits < below * scale) ?? unitsOfTime[0];
  const said = withoutZeros(rounded(value, 1, { under: unit.seconds }));
  return counted(said, unit.name);
}

const counted = (said: string, unit: string): string => `${said} ${unit}${said === '1' ? '' : 's'}`;

function unsigned(value: Decimal, { unit, symbol }: ContextFigure): string {
  switch (unit) {
    case 'fraction':
      return `${rounded(value, 2, { over: 100n })} %`;
    case 'bps':
      // A fee of 1 000 bps is known as one of 10 %.
      return value.digits < 100n * pow10(value.scale)
        ? `${withoutZeros(rounded(value, 1))} bps`
        : `${withoutZeros(rounded(value, 2, { under: 100n }))} %`;
    case 'usd':
      return `$${amount(value)}`;
    case 'token':
      return `${tokens(value)} ${symbol ?? 'tokens'}`;
    case 'seconds':
      return duration(value);
    case 'days':
      return counted(withoutZeros(rounded(value, 1)), 'day');
    case 'pps':
      return rounded(value, 6);
    case 'block':
      return String(value.digits / pow10(value.scale));
    case 'score':
      return withoutZeros(rounded(value, 1));
    default:
      return withoutZeros(rounded(value, 2));
  }
}

/**
 * A figure in words, rounded and with its unit, so that it is traced back to itself. null when it has no value.
 * @param options.explicit - Write the sign of a gain, too: where the words around it might be read as a loss.
 */
export function say(figure: ContextFigure, { explicit = false }: { explicit?: boolean } = {}): string | null {
  if (figure.value === null) return null;
  if (figure.unit === 'time') return sayTime(String(figure.value));
  const exact = exactOf(figure);
  if (exact === null) return null;
  const positive = isNegative(exact) ? negated(exact) : exact;
  const plus = explicit && figure.direction === 'signed' && exact.digits > 0n ? '+' : '';
  return `${isNegative(exact) && figure.direction === 'signed' ? '-' : plus}${unsigned(positive, figure)}`;
}

/** `2026-11-21 12:04 UTC` of an ISO 8601 time. */
const sayTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
