import { OwnRuleDefinition, OwnRuleId } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const alertOwnRules = defineCollection({
  name: 'alert_own_rules',
  kept: 'truth',
  about: 'Rules that managers made for one vault.',
  shape: z.object({
    chain_id: z.number(),
    /** Lower case. */
    vault: z.string(),
    rule_id: OwnRuleId,
    /** Its place among those that a vault can have: of two that are made at the same time one takes another. */
    slot: z.int().nonnegative(),
    rule: OwnRuleDefinition,
    /** What amounts are shown in. */
    asset: z.object({ symbol: z.string(), decimals: z.int().nonnegative() }),
    version: z.int().positive(),
    created_by: z.string(),
    created_at: z.date(),
    updated_by: z.string(),
    updated_at: z.date(),
    /** Until it is in the journal. */
    pending: z.exactOptional(z.boolean()),
    /** Gone once that is in the journal. */
    deleted: z.exactOptional(z.boolean()),
  }),
  indexes: [
    { keys: { chain_id: 1, vault: 1, rule_id: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, slot: 1 }, unique: true },
  ],
});
export type StoredOwnRule = DocumentOf<typeof alertOwnRules>;

/** Rules that managers made. */
export const openOwnRuleCollections = (connection: Connection) => ({ ownRules: alertOwnRules.open(connection) });
export type OwnRuleCollections = ReturnType<typeof openOwnRuleCollections>;
