import type { Alert } from '@castellan/contracts';
import type { ClientSession } from '@castellan/service-kit';
import { alertIdOf, sentIds } from '../records/adapters/alert-records.mongo.ts';
import { type AlertChange, type RecordDeps, recordChange } from '../records/record-change.ts';
import type { Inhibited, Transition, TransitionKind } from '../rules/domain/engine.ts';
import { runbookOf } from '../rules/domain/runbook.ts';
import type { StoredEngine } from './models/collections.ts';

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

const inhibitedOf = (inhibited: Inhibited | null): Alert['inhibited_by'] =>
  inhibited && { ...inhibited, since: isoOf(inhibited.since) };

type Vault = Pick<StoredEngine, 'chain_id' | 'vault' | 'vault_address' | 'name'>;

function alertOf({ chain_id, vault, vault_address, name }: Vault, transition: Transition, is_replayed: boolean): Alert {
  const { rule_id, rule, watch, block, time, settings } = transition;
  const { severity, source, channels } = rule;
  return {
    alert_id: alertIdOf(chain_id, vault, watch.ordinal as number),
    rule_id,
    severity,
    status: 'active',
    chain_id,
    vault_address,
    vault_name: name,
    subject: watch.finding.subject,
    title: watch.title,
    message: watch.finding.message,
    facts: watch.finding.facts,
    inhibited_by: inhibitedOf(watch.inhibited),
    owner: settings.owner,
    ...(channels ? { only_channels: [...channels] } : {}),
    runbook_url: runbookOf(rule_id),
    source,
    opened_at: isoOf(time),
    block_number: block,
    acknowledged_by: null,
    acknowledged_at: null,
    note: null,
    resolved_at: null,
    resolved_by: null,
    is_replayed,
    version: 1,
  };
}

const types: Readonly<Record<Exclude<TransitionKind, 'opened' | 'resolved'>, AlertChange['type']>> = {
  muted: null,
  unmuted: 'alert.unmuted',
  renamed: 'alert.renamed',
  released: 'alert.renamed',
};

/**
 * Makes an alert what the evaluator found it to be, and records the change. The same transition again, after a crash, changes nothing.
 * What is from before alerts were watched (`isNews` is false) is stored, but neither published nor in the audit log.
 */
export async function applyTransition(
  deps: RecordDeps,
  vault: Vault,
  transition: Transition,
  isNews: boolean,
): Promise<void> {
  if (!isNews) await write(deps, vault, transition, false);
  else await recordChange(deps, (session) => write(deps, vault, transition, true, { session }));
}

/** @returns null when nothing was changed, or by hand before. */
async function write(
  deps: RecordDeps,
  vault: Vault,
  transition: Transition,
  isNews: boolean,
  within: { session?: ClientSession } = {},
): Promise<AlertChange | null> {
  const { kind, time, watch } = transition;
  const alertId = alertIdOf(vault.chain_id, vault.vault, watch.ordinal as number);
  const change = { id: `${alertId}:${kind}:${time}`, action: actionOf(kind), time: isoOf(time) };
  if (kind === 'opened') {
    const alert = alertOf(vault, transition, !isNews);
    await deps.records.create(alert, within);
    const type = alert.inhibited_by?.effect === 'mute' ? null : 'alert.opened';
    return { ...change, id: `${alertId}:opened`, type, alert };
  }
  const alert = await deps.records.change(alertId, (now) => changed(now, transition), within);
  // Closed by hand meanwhile, or never shown: see `shown` of a watch.
  if (!alert || (alert.status === 'resolved' && alert.resolved_by !== null)) return null;
  const isSent = kind === 'resolved' && (await deps.records.hasEvent(sentIds(alertId), within));
  const type = kind === 'resolved' ? (isSent ? 'alert.resolved' : null) : types[kind];
  return { ...change, type, alert };
}

const actionOf = (kind: TransitionKind): string => `alert_${kind === 'released' ? 'renamed' : kind}`;

function changed(now: Alert, { kind, time, watch }: Transition): Alert | undefined {
  if (now.status === 'resolved') return undefined;
  if (kind === 'resolved')
    return { ...now, status: 'resolved', resolved_at: isoOf(time), inhibited_by: inhibitedOf(watch.inhibited) };
  return { ...now, title: watch.title, message: watch.finding.message, inhibited_by: inhibitedOf(watch.inhibited) };
}
