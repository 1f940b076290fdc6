import { defineCollection } from '@castellan/service-kit';
import { z } from 'zod';
import type { KeeperRefusal, KeeperRun } from '../strategies/domain/keeper-record.ts';

/** A year of accounts and a month to look back at it. */
const RUNS_SECONDS = 400 * 86_400;
const REFUSALS_SECONDS = 90 * 86_400;

export const keeperRuns = defineCollection({
  name: 'keeper_runs',
  kept: 'truth',
  about: 'Transactions of the keeper that are over, with what they came to and cost.',
  shape: z.custom<KeeperRun>(),
  indexes: [
    { keys: { chain_id: 1, vault: 1, ended_at: -1, _id: -1 } },
    { keys: { chain_id: 1, account: 1, ended_at: 1 } },
    { keys: { ended_at: 1 }, ttlSeconds: RUNS_SECONDS },
  ],
});

export const keeperRefusals = defineCollection({
  name: 'keeper_refusals',
  kept: 'transient',
  about: 'Why the keeper sent nothing, by vault, strategy, reason and hour.',
  shape: z.custom<KeeperRefusal>(),
  indexes: [{ keys: { chain_id: 1, vault: 1, last_at: -1 } }, { keys: { last_at: 1 }, ttlSeconds: REFUSALS_SECONDS }],
});
