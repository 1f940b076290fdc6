import { type Alert, AlertChanged, type AlertEvent, type DutyPerson, VaultUpdated } from '@castellan/contracts';
import { type ClientSession, pendingEvent, type RecordWith } from '@castellan/service-kit';
import type { AuditLog } from '../../audit/adapters/audit-log.mongo.ts';
import type { AlertRecords } from './adapters/alert-records.mongo.ts';

export type RecordDeps = { records: AlertRecords; auditLog: AuditLog; outbox: { recordWith: RecordWith } };

/** A change of an alert, as the audit log, the channels and open dashboards get it. */
export type AlertChange = {
  /** The same each time that the same change is recorded. */
  id: string;
  /** Null for a change that channels do not get. */
  type: Exclude<AlertEvent['event_type'], 'test' | 'alert.digest'> | null;
  /** In the audit log: `alert_opened`. */
  action: string;
  alert: Alert;
  time: string;
  actor?: string;
  requestId?: string | null;
  note?: string | null;
  /** To whom it was escalated. */
  onDuty?: DutyPerson;
};

/**
 * Runs `write` and records the change that it returns, in one transaction; null records nothing. The same change again adds
 * nothing.
 */
export const recordChange = (
  { records, auditLog, outbox }: RecordDeps,
  write: (session: ClientSession) => Promise<AlertChange | null>,
): Promise<AlertChange | null> =>
  outbox.recordWith<AlertChange | null>(
    ({ id, alert }) => {
      const { chain_id, vault_address } = alert;
      const block_number = alert.block_number ?? 0;
      const update = { chain_id, vault_address, kind: 'alert' as const, block_number, alert };
      return [
        pendingEvent(VaultUpdated, update, { msgId: `alert:${id}` }),
        pendingEvent(AlertChanged, alert, { msgId: `changed:${id}` }),
      ];
    },
    async (session) => {
      const change = await write(session);
      if (!change) return null;
      const { id, type, action, alert, time, actor = null, requestId = null, note = null, onDuty } = change;
      const { chain_id, vault_address, alert_id, rule_id, severity, subject, title, message, status } = alert;
      const inhibited_by = alert.inhibited_by?.rule_id ?? null;
      await auditLog.append(
        {
          id: `alert:${id}`,
          timestamp: time,
          category: 'alert',
          action_type: action,
          vault_address,
          chain_id,
          actor_wallet: actor,
          details: {
            alert_id,
            rule_id,
            severity,
            subject,
            title,
            message,
            status,
            inhibited_by,
            note,
            ...(onDuty ? { escalated_to: onDuty } : {}),
          },
          tx_hash: null,
          request_id: requestId,
        },
        session,
      );
      if (type) {
        const data = { alert, note, ...(onDuty ? { on_duty: onDuty } : {}) };
        const event = { event_id: id, event_type: type, timestamp: time, vault_address, chain_id, data };
        await records.addEvent(event, severity, session);
      }
      return change;
    },
  );
