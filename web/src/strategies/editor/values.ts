import { durationText, parseRational, ratio, resolveVariable, type Unit } from '@castellan/strategy';
import type { Vault } from '../../data/queries.ts';
import { cutDecimals, formatAmount, formatBaseUnits, toDecimal, withMinus } from '../../format/amount.ts';
import { formatCount, formatNumber, formatShare, formatUsd } from '../../format/figures.ts';
import { formatUtc } from '../../format/time.ts';

/** The exact text of a value ("3/4", "1500000") as a double, for reading only. */
export function numberOf(text: string): number {
  const [top, bottom = '1'] = text.split('/');
  return Number(top) / Number(bottom);
}

/** The integer below it. */
const floorOf = (text: string): string => {
  const [top = '0', bottom = '1'] = text.split('/');
  if (!/^-?\d+$/.test(top) || !/^\d+$/.test(bottom)) return String(Math.floor(numberOf(text)));
  return String(BigInt(top) / BigInt(bottom));
};

/** Parts of a date are read as they are, Unix times as an instant: seconds are ten digits, milliseconds thirteen. */
function timeText(value: number): string {
  if (value >= 1e12) return formatUtc(value);
  return value >= 1e9 ? formatUtc(value * 1_000) : String(value);
}

/** As prices have them on every other page. */
const PRICE_PLACES = 6;

/** A value of the language for reading. The exact one, in base units, goes beside it. */
export function valueText(unit: Unit, value: string, vault: Pick<Vault, 'asset' | 'symbol' | 'vault_share_decimals'>) {
  switch (unit) {
    case 'assets':
      return `${formatAmount(floorOf(value), vault.asset.decimals)} ${vault.asset.symbol}`;
    case 'pps':
      return `${withMinus(cutDecimals(toDecimal(floorOf(value), vault.asset.decimals), PRICE_PLACES))} ${vault.asset.symbol} per share`;
    case 'shares':
      return `${formatAmount(floorOf(value), vault.vault_share_decimals)} ${vault.symbol}`;
    case 'fraction':
      return formatShare(numberOf(value));
    case 'usd':
      return formatUsd(numberOf(value));
    case 'source_shares':
    case 'tokens':
    case 'units':
      return `${formatBaseUnits(floorOf(value))} units`;
    case 'count':
      return formatCount(numberOf(value));
    case 'time':
    case 'instant':
    case 'instant_ms':
      return timeText(numberOf(value));
    case 'duration':
      return durationText(parseRational(value) ?? ratio(0n));
    default:
      return formatNumber(numberOf(value));
  }
}

export const unitOf = (name: string): Unit => {
  const resolved = resolveVariable(name);
  return resolved.known ? resolved.variable.unit : 'plain';
};
