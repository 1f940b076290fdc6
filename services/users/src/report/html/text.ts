import { joinedEmoji, type ReportUnit, type VaultReport } from '@castellan/contracts';
import { formatDuration } from '../../alerts/journal/domain/format.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** What turns the direction of a text or is not seen: with it a name could look like another one. */
const invisible = new RegExp(`(${joinedEmoji.source})|[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]`, 'gu');

/** Text as it stands in an element or in a quoted attribute. Names of vaults are written by strangers. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(invisible, (_, emoji) => emoji ?? '\u{fffd}').replaceAll(/[&<>"']/g, (each) => entities[each] ?? '');

/** Whole numbers by thousands: `1 234 567`, with a space that does not break. */
const grouped = (digits: string): string => digits.replaceAll(/\B(?=(\d{3})+$)/g, '\u{a0}');

/**
 * Base units as whole ones, exactly up to `places` digits; cut off towards zero, never rounded up.
 * @param units - A decimal integer, signed.
 */
export function wholeUnits(units: string, decimals: number, places = 6): string {
  const isNegative = units.startsWith('-');
  const digits = (isNegative ? units.slice(1) : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits
    .slice(digits.length - decimals)
    .slice(0, places)
    .replace(/0+$/, '');
  return `${isNegative ? '-' : ''}${grouped(whole)}${fraction === '' ? '' : `.${fraction}`}`;
}

const percents = new Intl.NumberFormat('en-US', {
  style: 'percent',
  maximumFractionDigits: 2,
  minimumFractionDigits: 2,
});
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4, useGrouping: false });

type Scale = Pick<
  VaultReport,
  'asset_symbol' | 'asset_decimals' | 'share_decimals' | 'vault_symbol' | 'native_symbol' | 'pps_precision'
>;
type Value = string | number | null;

const timeText = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)}`;

function numberText(value: number, unit: ReportUnit): string {
  switch (unit) {
    case 'fraction':
      return percents.format(value);
    case 'usd':
      return dollars.format(value);
    case 'seconds':
      return formatDuration(value);
    case 'bps':
      return `${numbers.format(value)} bp`;
    default:
      return numbers.format(value);
  }
}

/** A value as people read it; `n/a` for one that is not known. */
export function valueText(value: Value, unit: ReportUnit, scale: Scale): string {
  if (value === null) return 'n/a';
  if (typeof value === 'number') return numberText(value, unit);
  switch (unit) {
    case 'asset':
      return `${wholeUnits(value, scale.asset_decimals)} ${scale.asset_symbol}`;
    case 'shares':
      return `${wholeUnits(value, scale.share_decimals)} ${scale.vault_symbol}`;
    case 'wei':
      return `${wholeUnits(value, 18)} ${scale.native_symbol}`;
    case 'pps':
      return wholeUnits(value, scale.pps_precision.length - 1, 8);
    case 'time':
      return timeText(value);
    default:
      return value;
  }
}
