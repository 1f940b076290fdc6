import type { ConfigChanged, EventData, RoundFinished, StrategyRecovered, StrategyStale } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import { strategyKeyOf } from '../domain/keys.ts';
import type { ConfigDocument, NodeDocument, RoundDocument, StrategyDocument } from '../domain/validator-network.ts';
import { observedNow, validatorCollections } from '../models/validator-network.ts';
import { Node, Round, soundBy } from './sound-documents.ts';
import type { Distrust } from './transmissions.mongo.ts';

type Heard = { node_id: string; node_index: number | null; config_digest: string | null; t: string };

/** What the bus says of the oracle network. Every write can be done again. */
export type ValidatorStore = {
  heard(event: Heard): Promise<void>;
  roundFinished(event: EventData<typeof RoundFinished>): Promise<void>;
  configChanged(event: EventData<typeof ConfigChanged>): Promise<void>;
  strategyChanged(event: EventData<typeof StrategyStale | typeof StrategyRecovered>, isStale: boolean): Promise<void>;
  config(): Promise<ConfigDocument | null>;
  nodes(): Promise<NodeDocument[]>;
  /** Newest first. */
  rounds(digest: string, limit: number): Promise<RoundDocument[]>;
  roundsOf(chainId: number, strategy: string, limit: number): Promise<RoundDocument[]>;
  strategies(): Promise<StrategyDocument[]>;
};

/** The upsert met something newer. */
async function unlessNewer(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

const Strategy = z.object({
  chain_id: z.number().int(),
  strategy: z.string(),
  reports: z.record(z.string(), z.object({ is_stale: z.boolean(), since: z.date() })),
});

export function mongoValidators(connection: Connection, distrust: Distrust = () => undefined): ValidatorStore {
  const isSound = soundBy(distrust);
  const { rounds, nodes, configs, strategies } = validatorCollections(connection);
  return {
    heard: ({ node_id, node_index, config_digest, t }) => {
      const last_seen = new Date(t);
      const older = { _id: node_id, last_seen: { $lt: last_seen } };
      return unlessNewer(
        nodes.updateOne(older, { $set: { node_index, digest: config_digest, last_seen } }, { upsert: true }),
      );
    },
    async roundFinished({ epoch, round, leader, outcome, observers, signers, prices, config_digest, node_index, t }) {
      const digest = config_digest ?? 'none';
      const strategiesOf = prices.map((price) => strategyKeyOf(price.chain_id, price.strategy_address));
      const _id = `${digest}:${epoch}:${round}`;
      const { upsertedCount } = await rounds.updateOne(
        { _id },
        {
          ...(node_index !== null && { $set: { [`reports.${node_index}`]: new Date(t) } }),
          $setOnInsert: {
            digest,
            epoch,
            round,
            leader,
            outcome,
            prices,
            strategies: strategiesOf,
            finished_at: new Date(t),
          },
          $addToSet: { observers: { $each: observers }, signers: { $each: signers } },
        },
        { upsert: true },
      );
      await rounds.updateOne({ _id }, [observedNow]);
      // The first to report may have heard of the end alone, not of what was observed.
      if (upsertedCount === 0 && prices.some(({ observed }) => observed.length > 0))
        await rounds.updateOne({ _id, 'prices.observed.0': { $exists: false } }, { $set: { prices } });
    },
    configChanged: ({ config_digest, config_version, t, ...configuration }) => {
      const { chain_id, quorum, f, round_seconds, heartbeat_seconds, oracles } = configuration;
      const [digest, version] = [config_digest ?? 'none', Number(config_version)];
      const older = { _id: 'current' as const, version: { $lt: version } };
      const fields = { chain_id, quorum, f, round_seconds, heartbeat_seconds, oracles, digest, version };
      return unlessNewer(configs.updateOne(older, { $set: { ...fields, since: new Date(t) } }, { upsert: true }));
    },
    strategyChanged: ({ chain_id, strategy_address, node_id, seq, t }, isStale) => {
      const report = `reports.${node_id}`;
      const _id = strategyKeyOf(chain_id, strategy_address);
      const older = { _id, $or: [{ [report]: { $exists: false } }, { [`${report}.seq`]: { $lt: seq } }] };
      const since = new Date(t);
      const fields = {
        chain_id,
        strategy: strategy_address.toLowerCase(),
        [report]: { seq, is_stale: isStale, since },
      };
      return unlessNewer(strategies.updateOne(older, { $set: fields }, { upsert: true }));
    },
    config: () => configs.findOne({ _id: 'current' }),
    nodes: async () => (await nodes.find({}).toArray()).filter(isSound('validator_nodes', Node)),
    async rounds(digest, limit) {
      const found = rounds.find({ digest }).sort({ finished_at: -1 }).limit(limit);
      return (await found.toArray()).filter(isSound('validator_rounds', Round));
    },
    async roundsOf(chainId, strategy, limit) {
      const found = rounds
        .find({ strategies: strategyKeyOf(chainId, strategy) })
        .sort({ finished_at: -1 })
        .limit(limit);
      return (await found.toArray()).filter(isSound('validator_rounds', Round));
    },
    strategies: async () => (await strategies.find({}).toArray()).filter(isSound('validator_strategies', Strategy)),
  };
}
