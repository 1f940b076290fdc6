import type { Alert, AlertEvent } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { openCollection, unique } from '../../../store/open-collection.ts';

/** `vault` is lower case, `vault_address` EIP-55. `is_muted`: an inhibitor holds it down; kept apart so that it can be counted. */
export type StoredAlert = Alert & { vault: string; is_muted: boolean };

export type StoredEvent = AlertEvent & {
  vault: string;
  vault_address: string;
  chain_id: number;
  sequence: number;
  severity: Alert['severity'];
};

/** Alerts and the events of them, with their indexes. */
export const openRecordCollections = (connection: Connection) => ({
  alerts: openCollection<StoredAlert>(connection, 'alerts', [
    [{ alert_id: 1 }, unique],
    [{ chain_id: 1, vault: 1, opened_at: -1, alert_id: -1 }],
  ]),
  events: openCollection<StoredEvent>(connection, 'alert_events', [
    [{ event_id: 1 }, unique],
    [{ chain_id: 1, vault: 1, sequence: 1 }, unique],
  ]),
});
export type RecordCollections = ReturnType<typeof openRecordCollections>;
