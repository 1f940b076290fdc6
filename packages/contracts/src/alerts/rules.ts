import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, IsoTime, joinedEmoji, Seconds, VaultRef } from '../primitives.ts';

/** How urgent an alert is, from most to least. */
export const alertSeverities = ['critical', 'warning', 'info'] as const;
/** One of `alertSeverities`. */
export const AlertSeverity = z.enum(alertSeverities);
export type AlertSeverity = z.infer<typeof AlertSeverity>;

/** Every rule there is; what each reads is in `docs/alerts.md`. */
export const alertRuleIds = [
  'pps_staleness_warning',
  'pps_staleness_critical',
  'awaiting_price',
  'price_check_failed',
  'pps_deviation',
  'redemption_queue',
  'low_gas',
  'low_upkeep',
  'upkeep_empty',
  'service_down',
  'success_rate_low',
  'success_rate_critical',
  'strategy_error',
  'automation_failed',
  'node_down',
  'node_price_stale',
  'vault_paused',
  'strategy_vetoed',
  'manager_change_pending',
  'root_change_pending',
  'fee_change_pending',
  'upkeep_withdrawal_pending',
  'pause_proof_failing',
  'mandate_breached',
] as const;
/** One of `alertRuleIds`. */
export const AlertRuleId = z.enum(alertRuleIds);
export type AlertRuleId = z.infer<typeof AlertRuleId>;

/** A rule that a manager made for one vault; given out when it is made. */
export const OwnRuleId = z.string().regex(/^own_[0-9a-f]{24}$/);
export type OwnRuleId = z.infer<typeof OwnRuleId>;
/** Any rule that an alert can be of: one of the catalogue, or an own one. */
export const AnyRuleId = z.union([AlertRuleId, OwnRuleId]);
export type AnyRuleId = z.infer<typeof AnyRuleId>;

/** What people write is sent to channels as a line: nothing in it begins another, turns it around or cannot be seen. */
export const line = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text.replaceAll(joinedEmoji, '')), {
      message: 'must be one line without control, text-direction or invisible characters',
    });

/** What a manager can set of a rule on one vault. Thresholds are named per rule, with their unit in the name. */
export const AlertSettings = z.object({
  enabled: z.boolean(),
  thresholds: z.record(z.string(), z.number().nonnegative().max(1e30)),
  /** The condition must hold this long before the alert opens. */
  for_seconds: Seconds.max(86_400),
  /** And be over this long before the alert resolves, so that it does not flap. */
  clear_seconds: Seconds.max(86_400),
  /** Who acts on it: a name, a team, a rota. */
  owner: z.string().min(1).max(64),
});
export type AlertSettings = z.infer<typeof AlertSettings>;

/** Some of them, to be set; an owner who was stored before its characters were refused is still shown. */
export const AlertSettingsChange = AlertSettings.partial().extend({ owner: line(64).min(1).optional() });

/** A rule as it is set for one vault, beside its defaults. */
export const AlertRule = z.object({
  rule_id: AlertRuleId,
  title: z.string(),
  description: z.string(),
  severity: AlertSeverity,
  runbook_url: z.string(),
  /** Rules whose alert mutes or renames this one. */
  inhibited_by: z.array(z.object({ rule_id: AlertRuleId, effect: z.enum(['mute', 'rename']), reason: z.string() })),
  settings: AlertSettings,
  defaults: AlertSettings,
  /** 0 while the defaults hold. Sent back with a change. */
  version: z.int().nonnegative(),
  updated_by: Eip55.nullable(),
  updated_at: IsoTime.nullable(),
});
export type AlertRule = z.infer<typeof AlertRule>;

/** The rules of a vault with their settings. */
export const ListAlertRules = action('v1.users.alertRules', {
  callers: { user: 'read' },
  params: VaultRef,
  result: z.object({ rules: z.array(AlertRule) }),
});

/** Changes what is named; `version` is that of the settings it replaces, another one there is VERSION_CONFLICT. */
export const SetAlertRule = action('v1.users.setAlertRule', {
  callers: { user: 'full' },
  params: z.strictObject({
    rule_id: AlertRuleId,
    chain_id: ChainId,
    vault_address: Address,
    version: z.int().nonnegative(),
    ...AlertSettingsChange.shape,
  }),
  result: AlertRule,
});

/** A stretch of the past during which the rule would have had an alert open. */
export const BacktestEpisode = z.object({
  subject: z.string(),
  title: z.string(),
  message: z.string(),
  opened_at: IsoTime,
  /** Null while it would still be open at the end. */
  resolved_at: IsoTime.nullable(),
  duration_seconds: Seconds,
  /** Of that, how long another alert muted it. */
  muted_seconds: Seconds,
  /** Names it had, in order: `Price stale`, then `Price unfunded`. */
  titles: z.array(z.string()),
});
export type BacktestEpisode = z.infer<typeof BacktestEpisode>;

/**
 * What the rule would have done, by the evaluator that runs live over the facts as they became known. Without `from` and `to`
 * the last 90 days; with `settings` what is named there instead of what is set.
 */
export const BacktestAlertRule = action('v1.users.backtestAlertRule', {
  callers: { user: 'read' },
  params: z.strictObject({
    rule_id: AlertRuleId,
    chain_id: ChainId,
    vault_address: Address,
    from: IsoTime.optional(),
    to: IsoTime.optional(),
    settings: AlertSettingsChange.strict().optional(),
  }),
  result: z.object({
    rule_id: AlertRuleId,
    from: IsoTime,
    to: IsoTime,
    settings: AlertSettings,
    fired: z.int().nonnegative(),
    /** Of these, how many would have been sent: not muted from beginning to end. */
    notified: z.int().nonnegative(),
    open_seconds: Seconds,
    longest_seconds: Seconds.nullable(),
    /** The newest 200. */
    episodes: z.array(BacktestEpisode),
    truncated: z.boolean(),
    /** How many facts the history holds in the range, and since when there is any. */
    facts: z.int().nonnegative(),
    history_since: IsoTime.nullable(),
  }),
});
