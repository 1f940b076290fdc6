import {
  formatBps,
  formatCount,
  formatNumber,
  formatRatio,
  formatShare,
  formatTimes,
  formatUsdFull,
} from './figures.ts';
import { formatDays, formatDuration } from './time.ts';

type Write = (value: number) => string;
const byUnit: Readonly<Record<string, Write>> = {
  '': formatNumber,
  USD: formatUsdFull,
  bps: formatBps,
  correlation: formatRatio,
  days: (value) => (Number.isInteger(value) ? formatDays(value) : formatDuration(value * 86_400)),
  index: formatNumber,
  points: formatCount,
  'points of 100': formatCount,
  ratio: formatTimes,
  seconds: formatDuration,
};

/** A number with the unit that the API names beside it, as the screens write that kind of figure. */
export function formatInUnit(value: number, unit: string): string {
  const known = byUnit[unit];
  if (known !== undefined) return known(value);
  if (unit.startsWith('fraction'))
    return `${formatShare(value)}${unit.slice('fraction'.length).replace(' per ', ' a ')}`;
  return `${formatNumber(value)} ${unit}`;
}
