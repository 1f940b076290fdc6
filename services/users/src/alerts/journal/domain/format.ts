const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const percents = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 2 });
const bps = new Intl.NumberFormat('en-US', { style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** `1 Jan 2026, 00:00 UTC`. */
export const formatTime = (seconds: number): string => `${utc.format(seconds * 1000)} UTC`;

/** A fraction: 0.95 is `95%`. */
export const formatShare = (fraction: number): string => percents.format(fraction);

/** Basis points as the share that they are: 120 is `1.20%`. */
export const formatBps = (value: number): string => bps.format(value / 10_000);

/** The two largest units: `2 d 3 h`. */
export function formatDuration(seconds: number): string {
  const units = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor((seconds % 86_400) / 3_600)],
    ['min', Math.floor((seconds % 3_600) / 60)],
  ] as const;
  const first = units.findIndex(([, count]) => count > 0);
  if (first < 0) return `${Math.max(0, Math.floor(seconds))} s`;
  return units
    .slice(first, first + 2)
    .filter(([, count]) => count > 0)
    .map(([unit, count]) => `${count} ${unit}`)
    .join(' ');
}

const grouped = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+$)/g, ',');

/**
 * Base units of a token as whole ones to six places, cut off towards zero: `1,234.5`.
 * @param units - A decimal integer, signed.
 */
export function formatAmount(units: string, decimals: number): string {
  const sign = units.startsWith('-') ? '-' : '';
  const digits = units.slice(sign.length).padStart(decimals + 1, '0');
  const whole = digits.length - decimals;
  const places = digits.slice(whole, whole + 6).replace(/0+$/, '');
  return `${sign}${grouped(digits.slice(0, whole))}${places === '' ? '' : `.${places}`}`;
}

/** Base units of an 18-decimal coin to four places, rounded down. */
export function formatWei(wei: string): string {
  const tenThousandths = BigInt(wei) / 10n ** 14n;
  return `${tenThousandths / 10_000n}.${`${tenThousandths % 10_000n}`.padStart(4, '0')}`;
}
