import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { Settings } from '../../journal/domain/journal.ts';

export const alertSettings = defineCollection({
  name: 'alert_settings',
  kept: 'truth',
  about: 'What managers set a rule to on one vault.',
  shape: z.object({
    chain_id: z.number(),
    /** Lower case. */
    vault: z.string(),
    rule_id: z.string(),
    settings: z.custom<Settings>(),
    version: z.number(),
    updated_by: z.string(),
    updated_at: z.date(),
    /** Until it is in the journal. */
    pending: z.exactOptional(z.boolean()),
    /** The same, as the former version wrote it. */
    owed: z.exactOptional(z.boolean()),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1, rule_id: 1 }, unique: true }],
});
export type StoredSettings = DocumentOf<typeof alertSettings>;

/** Settings of a chain that are not in the journal yet. */
export const pendingSettings = (chain_id: number) => ({ chain_id, $or: [{ pending: true }, { owed: true }] });
export const noLongerPending = { $unset: { pending: '' as const, owed: '' as const } };

/** Settings of alert rules. */
export const openRuleCollections = (connection: Connection) => ({ settings: alertSettings.open(connection) });
export type RuleCollections = ReturnType<typeof openRuleCollections>;
