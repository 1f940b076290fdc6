import type { ExposureNames } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const scenarioSets = defineCollection({
  name: 'scenario_sets',
  kept: 'truth',
  about: 'The shocks that people have chosen for a vault, and what its sources depend on.',
  shape: z.object({
    chain_id: z.number(),
    /** Lower case. */
    vault: z.string(),
    shocks: z.string(),
    names: z.custom<ExposureNames>(),
    /** Grows with each change: one who knew another is refused. */
    version: z.number(),
    changed_by: z.string(),
    changed_at: z.date(),
  }),
  indexes: [{ keys: { chain_id: 1, vault: 1 }, unique: true }],
});
export type StoredScenarioSet = DocumentOf<typeof scenarioSets>;

/** Scenarios of vaults. */
export const openScenarioSets = (connection: Connection) => scenarioSets.open(connection);
export type ScenarioSets = ReturnType<typeof openScenarioSets>;
