import { Alert, AlertEvent } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** `vault` is lower case, `vault_address` EIP-55. */
export const alertRecords = defineCollection({
  name: 'alerts',
  kept: 'truth',
  about: 'Alerts as they are now.',
  shape: Alert.extend({
    vault: z.string(),
    /** An inhibitor holds it down; kept apart so that it can be counted. */
    is_muted: z.boolean(),
  }),
  indexes: [{ keys: { alert_id: 1 }, unique: true }, { keys: { chain_id: 1, vault: 1, opened_at: -1, alert_id: -1 } }],
});
export type StoredAlert = DocumentOf<typeof alertRecords>;

export const alertEvents = defineCollection({
  name: 'alert_events',
  kept: 'truth',
  about: 'Events of alerts, numbered per vault without gaps, as channels deliver them.',
  shape: AlertEvent.extend({
    vault: z.string(),
    vault_address: z.string(),
    chain_id: z.number(),
    sequence: z.number(),
    severity: Alert.shape.severity,
    /** `traceparent` of what made it, where that is recorded. */
    trace: z.string().exactOptional(),
  }),
  indexes: [
    { keys: { event_id: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, sequence: 1 }, unique: true },
  ],
});
export type StoredEvent = DocumentOf<typeof alertEvents>;

export const alertRevisions = defineCollection({
  name: 'alert_revisions',
  kept: 'transient',
  about: 'A text for each vault that is another one after each change of its alerts.',
  shape: z.object({
    /** `<chain_id>:<vault in lower case>`. */
    _id: z.string(),
    revision: z.string(),
  }),
});

/** Alerts, the events of them, and what changes with them. */
export const openRecordCollections = (connection: Connection) => ({
  alerts: alertRecords.open(connection),
  events: alertEvents.open(connection),
  revisions: alertRevisions.open(connection),
});
export type RecordCollections = ReturnType<typeof openRecordCollections>;
