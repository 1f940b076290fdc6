import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import type { ConfigDocument, NodeDocument, RoundDocument, StrategyDocument } from '../domain/validator-network.ts';

/** Rounds are kept for so long, so that one can be looked up by itself; what they priced is on the chain. */
export const ROUNDS_KEPT_DAYS = 14;
const ROUNDS_SECONDS = ROUNDS_KEPT_DAYS * 86_400;
/** Former versions forgot them sooner, and the store does not change an index that is there. */
const FORMER_ROUNDS_SECONDS = 2 * 86_400;

const NO_COLLECTION = 26;

/** Takes the former index away; the service makes its indexes after this. */
async function forgetRoundsLater(connection: Connection): Promise<void> {
  const stored = connection.collection('validator_rounds');
  const indexes = await stored.indexes().catch((error: unknown) => {
    if ((error as { code?: unknown }).code === NO_COLLECTION) return [];
    throw error;
  });
  const former = indexes.find(({ expireAfterSeconds }) => expireAfterSeconds === FORMER_ROUNDS_SECONDS);
  if (former?.name) await stored.dropIndex(former.name);
}

export const validatorRounds = defineCollection({
  name: 'validator_rounds',
  kept: 'transient',
  about: 'Rounds of the oracle network that ended.',
  shape: z.custom<RoundDocument>(),
  indexes: [
    { keys: { digest: 1, finished_at: -1 } },
    { keys: { strategies: 1, finished_at: -1 } },
    { keys: { finished_at: 1 }, ttlSeconds: ROUNDS_SECONDS },
  ],
  migrations: [{ version: 2, run: forgetRoundsLater }],
});

export const validatorNodes = defineCollection({
  name: 'validator_nodes',
  kept: 'transient',
  about: 'Nodes of the oracle network, and when each was last heard of.',
  shape: z.custom<NodeDocument>(),
});

export const validatorConfigs = defineCollection({
  name: 'validator_configs',
  kept: 'transient',
  about: 'The newest configuration that any node runs.',
  shape: z.custom<ConfigDocument>(),
});

export const validatorStrategies = defineCollection({
  name: 'validator_strategies',
  kept: 'transient',
  about: 'What each node last reported of a strategy.',
  shape: z.custom<StrategyDocument>(),
  migrations: [
    {
      version: 2,
      run: async (connection) => {
        const strategies = connection.collection('validator_strategies');
        // Instances of both releases may write while one takes the place of the other: what this one wrote stays.
        const former = { told: { $exists: true }, reports: { $exists: false } };
        await strategies.updateMany(former, { $rename: { told: 'reports' } });
        await strategies.updateMany({ told: { $exists: true } }, { $unset: { told: '' } });
      },
    },
  ],
});

export const validatorCollections = (connection: Connection) => ({
  rounds: validatorRounds.open(connection),
  nodes: validatorNodes.open(connection),
  configs: validatorConfigs.open(connection),
  strategies: validatorStrategies.open(connection),
});
