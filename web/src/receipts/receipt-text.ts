import type { Answer } from '../data/use-analytics.ts';
import { decimalsOf, formatExact, withMinus } from '../format/amount.ts';
import { NONE } from '../format/figures.ts';
import { formatDuration } from '../format/time.ts';
import { typeset } from '../format/typeset.ts';
import { formatInUnit } from '../format/units.ts';
import type { Scales } from './receipt.ts';

export type Receipt = NonNullable<Answer['receipts']>[string];
export type Quality = Answer['quality'][string];

export const statusWords: Record<Receipt['status'], string> = {
  ok: 'complete',
  partial: 'partial: over less than was asked for',
  insufficient: 'too little history for a value',
  stale: 'from old inputs',
};

/** A value of a receipt as it is, whatever its form. */
export function exactText(value: unknown): string {
  if (value === null || value === undefined) return NONE;
  if (typeof value === 'number') return withMinus(String(value));
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A value of a receipt as the screens write its kind; integers of the chain stay as they are, to be copied. */
export const readText = (value: unknown, unit: string): string =>
  typeof value === 'number' ? formatInUnit(value, unit) : exactText(value);

const INTEGER = /^-?\d+$/;

/** An integer of the chain in whole tokens, every digit of it; undefined for what is none, and where its decimals are not known. */
export function scaledText(value: unknown, unit: string, vault: Scales): string | undefined {
  if (typeof value !== 'string' || !INTEGER.test(value)) return undefined;
  const { asset, pps_precision: precision, vault_share_decimals: shares } = vault;
  if (unit === 'pps' && precision !== undefined)
    return `${formatExact(value, decimalsOf(precision))}${asset === undefined ? '' : ` ${asset.symbol}`}`;
  if (unit === 'asset base units' && asset !== undefined)
    return `${formatExact(value, asset.decimals)} ${asset.symbol}`;
  if (unit === 'share base units' && shares !== undefined) return `${formatExact(value, shares)} shares`;
  return undefined;
}

const formulaWords: Readonly<Record<string, string>> = {
  value: 'The input below as it is: nothing is computed from it',
  number: 'The input below as it is, written as a number',
};

/** What a formula that computes nothing says instead of its name; undefined for arithmetic. */
export const plainFormula = (method: string): string | undefined => formulaWords[method];

/** A label that stands alone begins with a capital. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Why a figure is missing or to be read with care. Undefined when it is whole. */
export function qualityWords(quality: Quality | undefined): string | undefined {
  if (quality === undefined || quality.status === 'ok') return undefined;
  if (quality.reason !== null) return sentence(typeset(quality.reason));
  if (quality.status === 'stale') return 'From old inputs';
  if (quality.status === 'insufficient') return 'Not enough history yet';
  return quality.actual_seconds === null
    ? 'Over part of the window'
    : `Over ${formatDuration(quality.actual_seconds)} only`;
}
