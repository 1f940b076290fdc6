import type { OfferedMetric, OwnRule, OwnRules } from '../queries.ts';
import { delayFault, ownerFault } from '../rule-draft.ts';
import { type MetricUnit, thresholdFault, unitOf } from './metric-unit.ts';

/** A rule as it is typed. */
export type OwnRuleDraft = Pick<OwnRule, 'metric' | 'comparison' | 'severity' | 'enabled' | 'channels'> & {
  title: string;
  text: string;
  threshold: string;
  within_hours: string;
  for_seconds: string;
  clear_seconds: string;
  owner: string;
};

const HOUR = 3_600;
const LONGEST_TITLE = 80;
const MOST_HOURS = 720;

export const metricOf = ({ metric }: Pick<OwnRule, 'metric'>, { metrics }: OwnRules): OfferedMetric =>
  metrics.find((each) => each.metric === metric) ?? (metrics[0] as OfferedMetric);

export const unitOfDraft = (draft: Pick<OwnRule, 'metric'>, offered: OwnRules): MetricUnit =>
  unitOf(metricOf(draft, offered), offered.asset);

export const newDraft = ({ metrics }: OwnRules): OwnRuleDraft => ({
  title: '',
  text: '',
  metric: metrics[0]?.metric ?? 'tvl_asset',
  comparison: 'below',
  threshold: '',
  within_hours: '24',
  severity: 'warning',
  enabled: true,
  for_seconds: '0',
  clear_seconds: '300',
  owner: 'Primary manager',
  channels: null,
});

export const draftOf = (rule: OwnRule, offered: OwnRules): OwnRuleDraft => ({
  ...rule,
  threshold: unitOfDraft(rule, offered).show(rule.threshold),
  within_hours: rule.within_seconds === null ? '24' : String(rule.within_seconds / HOUR),
  for_seconds: String(rule.for_seconds),
  clear_seconds: String(rule.clear_seconds),
});

/**
 * The draft without channels that are none of the vault any more; undefined: not known yet. A rule that has none of its own left goes to
 * every one, as its alerts do already.
 */
export function onKnownChannels<T extends Pick<OwnRule, 'channels'>>(
  draft: T,
  known: readonly string[] | undefined,
): T {
  const { channels } = draft;
  if (known === undefined || channels === null || channels.every((each) => known.includes(each))) return draft;
  const left = channels.filter((each) => known.includes(each));
  return { ...draft, channels: left.length === 0 ? null : left };
}

/** What is wrong with each field; undefined where nothing is. */
export function faultsOf(draft: OwnRuleDraft, offered: OwnRules) {
  const isChange = draft.comparison === 'changes';
  const hours = Number(draft.within_hours);
  const title = draft.title.trim();
  return {
    title: title === '' || title.length > LONGEST_TITLE ? `1 to ${LONGEST_TITLE} characters` : undefined,
    threshold: thresholdFault(unitOfDraft(draft, offered), draft.threshold, isChange),
    within_hours: isChange && !(hours >= 1 / 60 && hours <= MOST_HOURS) ? `A minute to ${MOST_HOURS} hours` : undefined,
    for_seconds: delayFault(draft.for_seconds),
    clear_seconds: delayFault(draft.clear_seconds),
    owner: ownerFault(draft.owner),
    channels: draft.channels?.length === 0 ? 'Choose one at least, or send it to all' : undefined,
  };
}

/** The rule that the draft stands for; undefined while something in it cannot be. `stored` is what it was made of. */
export function ruleOf(draft: OwnRuleDraft, offered: OwnRules, stored?: OwnRule) {
  if (Object.values(faultsOf(draft, offered)).some((fault) => fault !== undefined)) return undefined;
  const { metric, comparison, severity, enabled, channels } = draft;
  const unit = unitOfDraft(draft, offered);
  const typed = draft.threshold.trim();
  // What nobody typed over stays as it is, also where it is shown rounded.
  const isKept = stored?.metric === metric && unit.show(stored.threshold) === typed;
  return {
    metric,
    comparison,
    severity,
    enabled,
    channels,
    title: draft.title.trim(),
    text: draft.text.trim(),
    threshold: isKept ? stored.threshold : unit.read(typed),
    within_seconds: comparison === 'changes' ? Math.round(Number(draft.within_hours) * HOUR) : null,
    for_seconds: Number(draft.for_seconds),
    clear_seconds: Number(draft.clear_seconds),
    owner: draft.owner.trim(),
  };
}
export type OwnRuleBody = NonNullable<ReturnType<typeof ruleOf>>;

/** A rule as it is stored, to be sent again. */
export const bodyOf = ({
  title,
  text,
  metric,
  comparison,
  threshold,
  within_seconds,
  ...rule
}: OwnRule): OwnRuleBody => ({
  title,
  text,
  metric,
  comparison,
  threshold,
  within_seconds,
  severity: rule.severity,
  enabled: rule.enabled,
  for_seconds: rule.for_seconds,
  clear_seconds: rule.clear_seconds,
  owner: rule.owner,
  channels: rule.channels,
});

/** Whether a body says another thing than the rule that is stored. */
export function differs(body: OwnRuleBody, stored: OwnRule): boolean {
  const before = bodyOf(stored);
  const fields = Object.keys(body) as (keyof OwnRuleBody)[];
  return fields.some((field) => JSON.stringify(body[field]) !== JSON.stringify(before[field]));
}
