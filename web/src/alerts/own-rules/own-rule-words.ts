import { formatDuration } from '../../format/time.ts';
import type { OwnRule, OwnRules } from '../queries.ts';
import { unitOf } from './metric-unit.ts';

type Said = Pick<OwnRule, 'metric' | 'comparison' | 'threshold' | 'within_seconds' | 'for_seconds'>;

/** When a rule opens its alert: "Value of the vault below 1,000 USDC, for 5 min". */
export function ownRuleWords(rule: Said, { metrics, asset }: Pick<OwnRules, 'metrics' | 'asset'>): string {
  const metric = metrics.find((each) => each.metric === rule.metric);
  if (metric === undefined) return rule.metric;
  const limit = unitOf(metric, asset).say(rule.threshold);
  const condition =
    rule.comparison === 'changes'
      ? `changes by more than ${limit} within ${formatDuration(rule.within_seconds ?? 0)}`
      : `${rule.comparison} ${limit}`;
  const lasting = rule.for_seconds === 0 ? '' : `, for ${formatDuration(rule.for_seconds)}`;
  return `${metric.title} ${condition}${lasting}`;
}
