import type { Analysis } from '@castellan/contracts';
import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

export const analyses = defineCollection({
  name: 'analyses',
  kept: 'transient',
  about: 'The last analysis of a vault by one analyst.',
  shape: z.object({
    /** `<chain>:<vault>:<provider>:<model>`. */
    _id: z.string(),
    /** What no cached text may outlive: a pause, an expired price. */
    state: z.string(),
    block_number: z.number(),
    generated_at: z.date(),
    expires_at: z.date(),
    body: z.custom<Analysis>(),
  }),
  indexes: [{ keys: { expires_at: 1 }, ttlSeconds: 0 }],
});

export type StoredAnalysis = DocumentOf<typeof analyses>;

export const openAnalysisCollections = (connection: Connection) => ({ analyses: analyses.open(connection) });
export type AnalysisCollections = ReturnType<typeof openAnalysisCollections>;
