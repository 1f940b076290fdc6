import {
  type AlertMetric,
  alertMetrics,
  type MeasureMetrics,
  type MetricUnit,
  type MetricValue,
  type ResultOf,
} from '@castellan/contracts';
import { formatAmount, formatDuration } from '../../journal/domain/format.ts';
import type { Measured, OwnRuleSet, Settings } from '../../journal/domain/journal.ts';
import type { Facts } from './facts.ts';
import { readingKey, readingsOf } from './readings.ts';
import type { Finding, Rule } from './rule.ts';

type Observation = ResultOf<typeof MeasureMetrics>['observations'][number];

/** The fact of an observation; values in the order of the keys. */
export const measuredEvent = ({ block_number, time, values }: Observation, keys: readonly string[]): Measured => ({
  type: 'measured',
  block: block_number,
  at: Math.floor(Date.parse(time) / 1000),
  values: Object.fromEntries(keys.map((key, at) => [key, values[at] ?? null])),
});

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });
/** With as many digits as thresholds are set with: 0.005% is no 0.01%. */
const percents = new Intl.NumberFormat('en-US', { style: 'percent', maximumSignificantDigits: 6 });
const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 });

type Worded = Exclude<MetricUnit, 'asset'>;
const words: Readonly<Record<Worded, (value: number) => string>> = {
  usd: (value) => dollars.format(value),
  fraction: (value) => percents.format(value),
  bps: (value) => percents.format(value / 10_000),
  seconds: formatDuration,
  count: (value) => numbers.format(value),
  number: (value) => numbers.format(value),
  points: (value) => `${numbers.format(value)} of 100`,
};

const unitOf = (metric: AlertMetric): MetricUnit => alertMetrics[metric].unit;

function wordsOf({ metric, asset }: Pick<OwnRuleSet, 'metric' | 'asset'>, value: MetricValue): string {
  const unit = unitOf(metric);
  if (unit === 'asset') return `${formatAmount(String(value), asset.decimals)} ${asset.symbol}`;
  return words[unit](Number(value));
}

/** -1, 0 or 1. Amounts of the asset are compared to the last base unit. */
function compared(one: MetricValue, other: MetricValue): number {
  const [a, b] =
    typeof one === 'string' && typeof other === 'string' ? [BigInt(one), BigInt(other)] : [Number(one), Number(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How far two values are apart. */
function distance(one: MetricValue, other: MetricValue): MetricValue {
  if (typeof one === 'string' && typeof other === 'string') {
    const apart = BigInt(one) - BigInt(other);
    return `${apart < 0n ? -apart : apart}`;
  }
  return Math.abs(Number(one) - Number(other));
}

/** What a rule finds of the values that it needs. */
function findingOf(set: OwnRuleSet, now: MetricValue, before: MetricValue | undefined): Finding[] {
  const { metric, comparison, threshold, within_seconds, text } = set;
  const { title } = alertMetrics[metric];
  const limit = wordsOf(set, threshold);
  const one = (sentence: string, facts: Finding['facts']): Finding[] => [
    {
      subject: 'vault',
      message: text === '' ? sentence : `${sentence} ${text}`,
      facts: { metric, value: now, threshold, ...facts },
    },
  ];
  if (comparison === 'above')
    return compared(now, threshold) > 0 ? one(`${title}: ${wordsOf(set, now)}, above ${limit}.`, {}) : [];
  if (comparison === 'below')
    return compared(now, threshold) < 0 ? one(`${title}: ${wordsOf(set, now)}, below ${limit}.`, {}) : [];
  if (before === undefined || compared(distance(now, before), threshold) <= 0) return [];
  const stretch = formatDuration(within_seconds ?? 0);
  const moved = `from ${wordsOf(set, before)} to ${wordsOf(set, now)}`;
  return one(`${title}: ${moved} within ${stretch}, by more than ${limit}.`, { value_before: before, within_seconds });
}

const settingsOf = ({ enabled, for_seconds, clear_seconds, owner }: OwnRuleSet): Settings => ({
  enabled,
  thresholds: {},
  for_seconds,
  clear_seconds,
  owner,
});

/** The rule that a manager's words stand for. One that is switched off finds nothing, so that what it has open ends. */
export function ownRule(set: OwnRuleSet): Rule {
  const [now, before] = readingsOf(set).map(readingKey);
  const measuredBy = ({ measured }: Facts, key: string | undefined) =>
    key === undefined ? undefined : measured?.values.get(key);
  return {
    title: set.title,
    description: set.text,
    severity: set.severity,
    source: 'own_rule',
    defaults: settingsOf(set),
    inhibitors: [],
    ...(set.channels ? { channels: set.channels } : {}),
    find: ({ facts }) => {
      const value = measuredBy(facts, now);
      return set.enabled && value !== undefined ? findingOf(set, value, measuredBy(facts, before)) : [];
    },
  };
}

/** A rule that was deleted: it finds nothing, so that what it has open ends at once. */
export const deletedRule: Rule = {
  title: '',
  description: '',
  severity: 'info',
  source: 'own_rule',
  defaults: { enabled: false, thresholds: {}, for_seconds: 0, clear_seconds: 0, owner: '' },
  inhibitors: [],
  find: () => [],
};
