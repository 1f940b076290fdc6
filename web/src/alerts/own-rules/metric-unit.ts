import { formatUnits, parseUnits } from 'viem/utils';
import type { Unit as ChartUnit } from '../../charts/types.ts';
import { formatExact, toDecimal, withMinus } from '../../format/amount.ts';
import { formatCount, formatNumber, formatUsdFull } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { typedDecimals, typedNumber, typedPercent } from '../../format/typed.ts';
import type { OfferedMetric, OwnRule, OwnRules } from '../queries.ts';

type Value = OwnRule['threshold'];
type Asset = OwnRules['asset'];

/** How the values of a figure are read, typed and drawn. */
export type MetricUnit = {
  /** Beside the label of a field; none for counts. */
  name: string | undefined;
  say: (value: Value) => string;
  /** As one types it. */
  show: (value: Value) => string;
  /** Of a text that is a decimal number. */
  read: (text: string) => Value;
  /** Digits that may stand behind the point. */
  places: number;
  /** As a number of a chart. */
  draw: (value: Value) => number;
};

const HOUR = 3_600;

const numeric = (
  name: string | undefined,
  say: (value: number) => string,
  parts: Partial<{
    show: (value: number) => string;
    read: (text: string) => number;
    draw: (value: number) => number;
  }> = {},
): MetricUnit => ({
  name,
  say: (value) => say(Number(value)),
  show: (value) => (parts.show ?? typedNumber)(Number(value)),
  read: parts.read ?? Number,
  places: 12,
  draw: (value) => (parts.draw ?? Number)(Number(value)),
});

const plain = numeric(undefined, formatNumber);
/** A threshold is said to its last digit: 0.005% is no 0.01%. */
const percentText = (typed: string): string => withMinus(`${typed}%`);
const dollars = (value: number): string =>
  value !== 0 && Math.abs(value) < 1
    ? withMinus(`${value < 0 ? '-' : ''}$${formatNumber(Math.abs(value))}`)
    : formatUsdFull(value);
const bpsPercent = (bps: number): string => typedDecimals(bps / 100, 4);
const units: Readonly<Record<Exclude<OfferedMetric['unit'], 'asset'>, MetricUnit>> = {
  usd: numeric('USD', dollars),
  fraction: numeric('%', (value) => percentText(typedPercent(value)), {
    show: typedPercent,
    read: (text) => Number(`${text}e-2`),
    draw: (value) => Number(typedPercent(value)),
  }),
  bps: numeric('%', (value) => percentText(bpsPercent(value)), {
    show: bpsPercent,
    read: (text) => Number((Number(text) * 100).toPrecision(12)),
    draw: (value) => value / 100,
  }),
  seconds: numeric('hours', formatDuration, {
    show: (value) => typedDecimals(value / HOUR, 5),
    read: (text) => Math.round(Number(text) * HOUR),
    draw: (value) => value / HOUR,
  }),
  count: numeric(undefined, formatCount),
  number: plain,
  points: numeric('of 100', (value) => `${formatNumber(value)} of 100`),
};

const ofAsset = ({ symbol, decimals }: Asset): MetricUnit => ({
  name: symbol,
  say: (value) => `${formatExact(String(value), decimals)} ${symbol}`,
  show: (value) => formatUnits(BigInt(value), decimals),
  read: (text) => parseUnits(text, decimals).toString(),
  places: decimals,
  draw: (value) => Number(toDecimal(String(value), decimals)),
});

export const unitOf = (metric: Pick<OfferedMetric, 'unit'>, asset: Asset): MetricUnit =>
  metric.unit === 'asset' ? ofAsset(asset) : units[metric.unit];

/** Why a text is no threshold of the unit; undefined where it is one. */
export function thresholdFault(unit: MetricUnit, text: string, isChange: boolean): string | undefined {
  const typed = /^(-?)\d{1,30}(?:\.(\d+))?$/.exec(text.trim());
  if (typed === null) return isChange ? 'A number, 0 or more' : 'A number';
  if (isChange && typed[1] === '-') return 'A number, 0 or more: a change counts in either direction';
  return (typed[2] ?? '').length > unit.places ? `At most ${unit.places} digits behind the point` : undefined;
}

/** The unit of a chart of the figure. */
export const chartUnit = ({ name = '' }: MetricUnit): ChartUnit => ({
  name,
  format: (value) => withMinus(`${formatNumber(value)}${name === '' ? '' : name === '%' ? '%' : ` ${name}`}`),
  tick: (value) => formatNumber(value),
});
