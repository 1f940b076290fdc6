import { type Alert, type AlertEvent, type AuditRow, VaultUpdated } from '@castellan/contracts';
import type { Outbox } from '@castellan/service-kit';
import type { AuditLog } from '../../audit/adapters/audit-log.mongo.ts';
import type { AlertRecords } from './adapters/alert-records.mongo.ts';

export type PublishDeps = { records: AlertRecords; auditLog: AuditLog; outbox: Outbox };
type EventType = Exclude<AlertEvent['event_type'], 'test'>;

export type Telling = {
  /** The same for the same change, whenever it is told again. */
  id: string;
  type: EventType | null;
  /** In the audit log: `alert_opened`. */
  action: string;
  alert: Alert;
  time: string;
  actor?: string | null;
  requestId?: string | null;
  note?: string | null;
};

/** Tells of a change of an alert everywhere: audit log, channels (unless `type` is null), open dashboards. Safe to repeat. */
export async function tell({ records, auditLog, outbox }: PublishDeps, telling: Telling): Promise<void> {
  const { id, type, action, alert, time, actor = null, requestId = null, note = null } = telling;
  const { chain_id, vault_address, alert_id, rule_id, severity, subject, title, message, status } = alert;
  const inhibited_by = alert.inhibited_by?.rule_id ?? null;
  const row: Pick<AuditRow, 'details'> = {
    details: { alert_id, rule_id, severity, subject, title, message, status, inhibited_by, note },
  };
  await auditLog.append({
    id: `alert:${id}`,
    timestamp: time,
    category: 'alert',
    action_type: action,
    vault_address,
    chain_id,
    actor_wallet: actor,
    tx_hash: null,
    request_id: requestId,
    ...row,
  });
  if (type) {
    const event = { event_id: id, event_type: type, timestamp: time, vault_address, chain_id, data: { alert, note } };
    await records.tell(event, severity);
  }
  const block_number = alert.block_number ?? 0;
  await outbox.add(
    VaultUpdated,
    { chain_id, vault_address, kind: 'alert', block_number, alert },
    { msgId: `alert:${id}` },
  );
}
