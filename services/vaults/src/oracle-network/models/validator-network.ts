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
const NO_INDEX = 27;

const hasCode = (error: unknown, code: number): boolean => (error as { code?: unknown }).code === code;

type FoundIndex = { name?: string; expireAfterSeconds?: number };

/** Takes former indexes away, or another process does that starts as well; the service makes its own after this. */
async function dropFormer(connection: Connection, isFormer: (index: FoundIndex) => boolean): Promise<void> {
  const stored = connection.collection('validator_rounds');
  const indexes = await stored.indexes().catch((error: unknown) => {
    if (hasCode(error, NO_COLLECTION)) return [];
    throw error;
  });
  for (const { name } of indexes.filter(isFormer))
    if (name)
      await stored.dropIndex(name).catch((error: unknown) => {
        if (!hasCode(error, NO_INDEX)) throw error;
      });
}

const forgetRoundsLater = (connection: Connection): Promise<void> =>
  dropFormer(connection, ({ expireAfterSeconds }) => expireAfterSeconds === FORMER_ROUNDS_SECONDS);

/** Replaced by such as also order rounds that ended at the same moment. */
const FORMER_INDEXES: ReadonlySet<string> = new Set(['digest_1_finished_at_-1', 'strategies_1_finished_at_-1']);

/** The former version did not count who observed, and adds to rounds that this one has counted. */
const uncounted = {
  $expr: { $cond: [{ $isArray: '$observers' }, { $ne: ['$observed', { $size: '$observers' }] }, false] },
};

async function countObservers(connection: Connection): Promise<void> {
  await validatorRounds.open(connection).updateMany(uncounted, [observedNow]);
  await dropFormer(connection, ({ name }) => name !== undefined && FORMER_INDEXES.has(name));
}

/** Counts as the store has them, whatever other nodes report meanwhile. */
export const observedNow = { $set: { observed: { $size: '$observers' } } };

export const validatorRounds = defineCollection({
  name: 'validator_rounds',
  kept: 'transient',
  about: 'Rounds of the oracle network that ended.',
  shape: z.custom<RoundDocument>(),
  indexes: [
    { keys: { finished_at: -1, _id: -1 } },
    { keys: { outcome: 1, finished_at: -1, _id: -1 } },
    { keys: { digest: 1, finished_at: -1, _id: -1 } },
    { keys: { digest: 1, observed: 1, finished_at: -1, _id: -1 } },
    { keys: { strategies: 1, finished_at: -1, _id: -1 } },
    { keys: { finished_at: 1 }, ttlSeconds: ROUNDS_SECONDS },
  ],
  migrations: [
    { version: 2, run: forgetRoundsLater },
    { version: 3, run: countObservers },
  ],
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
