import { z } from 'zod';
import { action } from '../action.ts';
import { durableEvent, stream } from '../event.ts';
import { Address, ChainId, Eip55, IsoTime, listOf } from '../primitives.ts';
import { DutyPerson } from './duty.ts';
import { AlertRuleId, AlertSeverity, AnyRuleId } from './rules.ts';

/** `acknowledged`: a person has taken it on; the condition still holds. */
export const alertStatuses = ['active', 'acknowledged', 'resolved'] as const;
/** One of `alertStatuses`. */
export const AlertStatus = z.enum(alertStatuses);
export type AlertStatus = z.infer<typeof AlertStatus>;

/** Why an alert is quiet or has another name. */
export const Inhibition = z.object({
  rule_id: AlertRuleId,
  effect: z.enum(['mute', 'rename']),
  reason: z.string(),
  since: IsoTime,
});

/** One alert of a vault, from its opening to its end. */
export const Alert = z.object({
  alert_id: z.string(),
  rule_id: AnyRuleId,
  severity: AlertSeverity,
  status: AlertStatus,
  chain_id: ChainId,
  vault_address: Eip55,
  vault_name: z.string(),
  /** What of the vault it is about: `vault`, `wallet:0x…`, `node:3`, `strategy:…`. */
  subject: z.string(),
  title: z.string(),
  message: z.string(),
  /** The figures that the rule read. */
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  /** While set with `mute`, nobody is notified and no count includes it. */
  inhibited_by: Inhibition.nullable(),
  owner: z.string(),
  /** Of an own rule that names channels: beside webhooks and escalations these alone get it, while one of them is bound. */
  only_channels: z.array(z.string()).optional(),
  runbook_url: z.string(),
  source: z.string(),
  /** In chain time, as all alert times but those of people. */
  opened_at: IsoTime,
  block_number: z.int().nullable(),
  acknowledged_by: Eip55.nullable(),
  acknowledged_at: IsoTime.nullable(),
  note: z.string().nullable(),
  resolved_at: IsoTime.nullable(),
  /** Null when the condition ended by itself. */
  resolved_by: Eip55.nullable(),
  /** From before alerts were watched here: found in the history, never notified. */
  is_replayed: z.boolean(),
  /** Grows with each change. */
  version: z.int().positive(),
});
export type Alert = z.infer<typeof Alert>;

/** Alerts by status and severity; one that is muted counts as `muted` only. */
export const AlertCounts = z.object({
  by_status: z.object({ active: z.int(), acknowledged: z.int(), resolved: z.int(), muted: z.int() }),
  /** Of the active ones. */
  by_severity: z.object({ critical: z.int(), warning: z.int(), info: z.int() }),
  total: z.int(),
  /** Of each vault that has any that are active or acknowledged: the active ones by severity. */
  by_vault: z.array(
    z.object({
      chain_id: ChainId,
      vault_address: Eip55,
      critical: z.int(),
      warning: z.int(),
      info: z.int(),
      /** Somebody is on these, and their conditions still hold. */
      acknowledged: z.int().optional(),
    }),
  ),
});
export type AlertCounts = z.infer<typeof AlertCounts>;

/** Alerts of one vault, or of all where the caller has a role, newest first. `counts` are of the scope without other filters. */
export const ListAlerts = action('v1.users.alerts', {
  callers: { user: 'read' },
  params: z.strictObject({
    chain_id: ChainId.optional(),
    vault_address: Address.optional(),
    status: z.enum(['active', 'acknowledged', 'resolved', 'open', 'muted']).optional(),
    severity: AlertSeverity.optional(),
    rule_id: AnyRuleId.optional(),
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().max(500).optional(),
  }),
  result: listOf('alerts', Alert).extend({ counts: AlertCounts }),
});

/** One alert by its id. @throws AppError ALERT_NOT_FOUND. */
export const GetAlert = action('v1.users.alert', {
  callers: { user: 'read' },
  params: z.strictObject({ id: z.string().max(100) }),
  result: Alert,
});

/** What a person writes to an alert: 1 to 500 characters. */
export const AlertNote = z.string().trim().min(1).max(500);

/** Acknowledges the alert; a second call only changes the note. A resolved one is ALERT_RESOLVED. */
export const AcknowledgeAlert = action('v1.users.acknowledgeAlert', {
  callers: { user: 'full' },
  params: z.strictObject({ id: z.string().max(100), note: AlertNote.optional() }),
  result: Alert,
});

/** Closes it by hand; it opens again only after the condition was over and came back. */
export const ResolveAlert = action('v1.users.resolveAlert', {
  callers: { user: 'full' },
  params: z.strictObject({ id: z.string().max(100), note: AlertNote.optional() }),
  result: Alert,
});

/** An event that quiet hours held back, as a digest names it. */
const HeldEvent = z.object({
  event_id: z.string(),
  event_type: z.string(),
  sequence: z.int().positive(),
  timestamp: IsoTime,
  severity: AlertSeverity,
  title: z.string(),
});

/** What is sent to channels. `sequence` grows by one with each event of the vault; a test and a digest have none. */
export const AlertEvent = z.object({
  event_id: z.string(),
  event_type: z.enum([
    'alert.opened',
    'alert.acknowledged',
    'alert.resolved',
    'alert.unmuted',
    'alert.renamed',
    'alert.escalated',
    'alert.digest',
    'test',
  ]),
  sequence: z.int().positive().nullable(),
  timestamp: IsoTime,
  /** Null in a test of a channel that is bound to no vault. */
  vault_address: Eip55.nullable(),
  chain_id: ChainId.nullable(),
  data: z.object({
    alert: Alert.nullable(),
    note: z.string().nullable(),
    /** Who is on duty when it is sent; of an escalation the one to whom it goes. Absent where no rota names anybody. */
    on_duty: DutyPerson.optional(),
    /** Of a digest: what was held back, oldest first. */
    held: z.array(HeldEvent).optional(),
  }),
});
export type AlertEvent = z.infer<typeof AlertEvent>;

/** Events of one vault after a sequence, oldest first: what a receiver asks for that sees a gap. */
export const ListAlertEvents = action('v1.users.alertEvents', {
  callers: { user: 'read' },
  params: z.strictObject({
    chain_id: ChainId,
    vault_address: Address,
    after_sequence: z.int().nonnegative().default(0),
    limit: z.int().min(1).max(500).default(100),
  }),
  result: z.object({ events: z.array(AlertEvent), head_sequence: z.int().nonnegative(), has_more: z.boolean() }),
});

/** Every change of every alert, for who reads the bus: it is kept for as long as a reader may be away. */
export const AlertStream = stream('ALERTS', 'alerts', { maxAgeSeconds: 7 * 86_400, diskPercent: 3 });
/** An alert opened or changed, as it is now; of two with the same id, the higher `version` counts. */
export const AlertChanged = durableEvent(AlertStream, 'alert_changed', Alert);

/**
 * What other services know that the chain does not say: a strategy that fails, a run of the keeper that did. `failing` opens the
 * alert of its rule, `ok` ends it. The same `id` again is no second one.
 */
export const AlertSignalStream = stream('ALERT_SIGNALS', 'alert_signals', {
  maxAgeSeconds: 31 * 86_400,
  diskPercent: 4,
});
/** What the evaluator cannot read from the chain: the state of a strategy or of an automation. */
export const AlertSignalled = durableEvent(
  AlertSignalStream,
  'alert_signalled',
  z.object({
    id: z.string().min(1).max(200),
    chain_id: ChainId,
    vault_address: Eip55,
    /** `strategy`: its state. `automation`: keeper runs, emergency exits, hook proofs. `mandate`: a promise of the vault. */
    kind: z.enum(['strategy', 'automation', 'mandate']),
    /** The id of a strategy, or `vault:redemptions`, which is no such id. */
    subject: z.string().min(1).max(100),
    state: z.enum(['ok', 'failing']),
    /** What people read as the alert's message. */
    detail: z.string().max(500),
  }),
);
