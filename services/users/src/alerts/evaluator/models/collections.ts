import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { EngineState } from '../../rules/domain/engine.ts';

export const alertEngines = defineCollection({
  name: 'alert_engines',
  kept: 'truth',
  about: 'A vault that is watched, and the state of its rules.',
  shape: z.object({
    chain_id: z.number(),
    /** Lower case; `vault_address` is EIP-55. */
    vault: z.string(),
    vault_address: z.string(),
    /** Lower case: validators name the vault by it. */
    strategy: z.string(),
    name: z.string(),
    /** Judged up to this item of the journal. */
    after_n: z.number(),
    state: z.custom<EngineState>(),
    /** Grows with each write: a writer that was overtaken is refused. */
    revision: z.number(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1 }, unique: true }, { keys: { chain_id: 1, strategy: 1 } }],
});
export type StoredEngine = DocumentOf<typeof alertEngines>;

/** Vaults that are watched. */
export const openEngineCollections = (connection: Connection) => ({ engines: alertEngines.open(connection) });
export type EngineCollections = ReturnType<typeof openEngineCollections>;
