import { DutyRota } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const dutyRotas = defineCollection({
  name: 'duty_rotas',
  kept: 'truth',
  about: 'Who is on duty for a vault, and when an alert is escalated.',
  shape: z.object({
    chain_id: z.number().int().min(0),
    vault: z.string().regex(/^0x[0-9a-f]{40}$/),
    /** Null: it was taken away. */
    rota: DutyRota.nullable(),
    version: z.number().int().min(1),
    updated_by: z.string(),
    updated_at: z.date(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1 }, unique: true }],
});
export type StoredRota = DocumentOf<typeof dutyRotas>;

const KEPT_SECONDS = 90 * 86_400;

export const escalationWatches = defineCollection({
  name: 'escalation_watches',
  kept: 'truth',
  about: 'Since when an alert waits for somebody to acknowledge it, and when it was escalated.',
  shape: z.object({ alert_id: z.string(), seen_at: z.date(), escalated_at: z.date().nullable() }),
  indexes: [
    { keys: { alert_id: 1 }, unique: true },
    { keys: { seen_at: 1 }, ttlSeconds: KEPT_SECONDS },
  ],
});

/** The collections of who is on duty. */
export const openDutyCollections = (connection: Connection) => ({
  rotas: dutyRotas.open(connection),
  watches: escalationWatches.open(connection),
});
export type DutyCollections = ReturnType<typeof openDutyCollections>;
