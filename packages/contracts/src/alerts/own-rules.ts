import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, IntString, IsoTime, Seconds, VaultRef } from '../primitives.ts';
import { AlertMetric, alertMetrics, MetricUnit } from './metrics.ts';
import { AlertSettings, AlertSeverity, BacktestEpisode, line, OwnRuleId } from './rules.ts';

/** Own rules that a vault can have. */
export const MOST_OWN_RULES = 50;
const LONGEST_STRETCH = 30 * 86_400;

/** `changes`: the value is another than `within_seconds` before, by more than the threshold, in either direction. */
export const ruleComparisons = ['above', 'below', 'changes'] as const;

/** A value of a figure or a threshold of it: a decimal string of base units, or a number, by the unit of the figure. */
export const MetricValue = z.union([IntString.max(80), z.number().min(-1e30).max(1e30)]);
export type MetricValue = z.infer<typeof MetricValue>;

const { enabled, for_seconds, clear_seconds } = AlertSettings.shape;
const definition = {
  /** The alert's title. */
  title: line(80).min(1),
  /** What people read behind the figures in the alert's message: what it means, what to do. */
  text: line(500).default(''),
  metric: AlertMetric,
  comparison: z.enum(ruleComparisons),
  /** In the unit of the figure. */
  threshold: MetricValue,
  /** Of `changes`: since how long before; null for the others. */
  within_seconds: z.int().min(60).max(LONGEST_STRETCH).nullable().default(null),
  severity: AlertSeverity,
  enabled: enabled.default(true),
  for_seconds: for_seconds.default(0),
  clear_seconds: clear_seconds.default(300),
  /** Who acts on it: a name, a team, a rota. */
  owner: line(64).min(1).default('Primary manager'),
  /** Of the channels of the vault that get everything, those that get its alerts; null for all of them. Webhooks get every event. */
  channels: z.array(z.string().min(1).max(100)).min(1).max(20).nullable().default(null),
};

type Checked = { metric: AlertMetric; comparison: string; threshold: MetricValue; within_seconds: number | null };

/** The threshold is one of the figure's unit, and a stretch is named where it is needed and nowhere else. */
function checkUnits({ metric, comparison, threshold, within_seconds }: Checked, context: z.RefinementCtx): void {
  const add = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  const isAmount = alertMetrics[metric].unit === 'asset';
  if (isAmount !== (typeof threshold === 'string'))
    add('threshold', isAmount ? 'must be a decimal string of base units of the asset' : 'must be a number');
  if (comparison === 'changes') {
    if (within_seconds === null) add('within_seconds', 'is needed to say within how long it changes');
    if (Number(threshold) < 0) add('threshold', 'must not be negative: a change counts in either direction');
  } else if (within_seconds !== null) add('within_seconds', 'belongs to the comparison "changes" alone');
}

/** What a manager says of an own rule. */
export const OwnRuleDefinition = z.strictObject(definition).superRefine(checkUnits);
export type OwnRuleDefinition = z.output<typeof OwnRuleDefinition>;

/** A rule that a manager made: a figure of the vault beside a threshold, judged at every observation. */
export const OwnRule = z.object({
  ...definition,
  // What was stored is shown whatever is refused by now.
  title: z.string(),
  text: z.string(),
  owner: z.string(),
  rule_id: OwnRuleId,
  unit: MetricUnit,
  runbook_url: z.string(),
  /** Grows with each change. Sent back with one. */
  version: z.int().positive(),
  created_by: Eip55,
  created_at: IsoTime,
  updated_by: Eip55,
  updated_at: IsoTime,
});
export type OwnRule = z.infer<typeof OwnRule>;

/** The asset that amounts are of. */
const RuleAsset = z.object({ symbol: z.string(), decimals: z.int().nonnegative() });

/** A figure that rules can be about. */
const OfferedMetric = z.object({
  metric: AlertMetric,
  title: z.string(),
  unit: MetricUnit,
  /** The answer and its field that say the same; or the promise of a mandate that measures it. */
  source: z.string(),
  /** At which observations there is a value. */
  known: z.string(),
});

/** The own rules of a vault, the oldest first, and the figures that others can be about. */
export const ListOwnRules = action('v1.users.ownRules', {
  callers: { user: 'read' },
  params: VaultRef,
  result: z.object({
    rules: z.array(OwnRule),
    /** How many a vault can have. */
    most: z.int().positive(),
    metrics: z.array(OfferedMetric),
    asset: RuleAsset,
  }),
});

/** Adds a rule. @throws AppError TOO_MANY_RULES. */
export const CreateOwnRule = action('v1.users.createOwnRule', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, rule: OwnRuleDefinition }),
  result: OwnRule,
});

/** Replaces a rule; `version` is that of the rule that was read, another one there is VERSION_CONFLICT. */
export const ChangeOwnRule = action('v1.users.changeOwnRule', {
  callers: { user: 'full' },
  params: z.strictObject({
    ...VaultRef.shape,
    rule_id: OwnRuleId,
    version: z.int().positive(),
    rule: OwnRuleDefinition,
  }),
  result: OwnRule,
});

/** Takes a rule away. What it has open is resolved. */
export const DeleteOwnRule = action('v1.users.deleteOwnRule', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, rule_id: OwnRuleId, version: z.int().positive() }),
  result: z.null(),
});

/**
 * What a rule would have done, by the evaluator that runs live, saved or not. Without `from` and `to` the last 90 days. What is not known
 * from live is read at every observation.
 */
export const BacktestOwnRule = action('v1.users.backtestOwnRule', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...VaultRef.shape,
    rule: OwnRuleDefinition,
    from: IsoTime.optional(),
    to: IsoTime.optional(),
  }),
  result: z.object({
    from: IsoTime,
    to: IsoTime,
    fired: z.int().nonnegative(),
    open_seconds: Seconds,
    longest_seconds: Seconds.nullable(),
    /** The newest 200. */
    episodes: z.array(BacktestEpisode),
    /** How many were judged. */
    observations: z.int().nonnegative(),
    /** The range has more observations than one answer judges: these are the newest, and `from` is when they begin. */
    truncated: z.boolean(),
    /** The lowest and the highest value of each of up to 150 stretches, oldest first. */
    points: z.array(z.object({ t: IsoTime, value: MetricValue })),
  }),
});

/** Values of figures at the observations of a stretch of a vault's history, one page of them a call: one read for all rules of it. */
export const MeasureMetrics = action('v1.analytics.measureMetrics', {
  callers: { services: ['users'] },
  params: z.strictObject({
    ...VaultRef.shape,
    readings: z
      .array(
        z.strictObject({
          metric: AlertMetric,
          /** The value that long before the observation; 0 at the observation. */
          ago_seconds: Seconds.max(LONGEST_STRETCH),
        }),
      )
      .min(1)
      .max(2 * MOST_OWN_RULES),
    /** The first observation is the last one at or before this time. */
    since: IsoTime,
    until: IsoTime.optional(),
    /** Instead of `since`: what comes after the observation of this block. */
    after_block: z.int().nonnegative().optional(),
    /** Pages may begin with the newest observations; those of one page are ascending all the same. */
    order: z.enum(['oldest_first', 'newest_first']).default('oldest_first'),
    /** Of `newest_first`: what comes before the observation of this block. */
    before_block: z.int().nonnegative().optional(),
    limit: z.int().min(1).max(5_000).default(1_000),
  }),
  result: z.object({
    /** Of the projection that was read: under another one, values can be others. */
    generation: z.int(),
    observations: z.array(
      z.object({
        block_number: z.int(),
        time: IsoTime,
        /** In the order of `readings`; null where there is none. */
        values: z.array(MetricValue.nullable()),
      }),
    ),
    /** Of what was asked for there is more, after these or before them: a page ends early when its figures take long. */
    has_more: z.boolean(),
  }),
});
