import type { EventData, RoundFinished } from '@castellan/contracts';
import { type Connection, Schema } from 'mongoose';

type Finished = EventData<typeof RoundFinished>;

/** One finished round as the nodes told it; `observers` and `signers` are what any of them named. */
export type RoundDocument = Pick<
  Finished,
  'epoch' | 'round' | 'leader' | 'outcome' | 'prices' | 'observers' | 'signers'
> & {
  /** `<digest>:<epoch>:<round>`. */
  _id: string;
  digest: string;
  /** `<chain_id>:<strategy>`, lower case. */
  strategies: string[];
  finished_at: Date;
};

export type NodeDocument = { _id: string; digest: string | null; node_index: number | null; last_seen: Date };

export type ConfigDocument = {
  /** The newest configuration any node runs. */
  _id: 'current';
  chain_id: number;
  version: number;
  digest: string;
  quorum: number;
  f: number;
  round_seconds: number;
  heartbeat_seconds: number;
  oracles: { index: number; signer: string; transmitter: string }[];
  since: Date;
};

/** What each node last said of a strategy. */
export type StrategyDocument = {
  /** `<chain_id>:<strategy>`, lower case. */
  _id: string;
  chain_id: number;
  strategy: string;
  told: Record<string, { seq: number; is_stale: boolean; since: Date }>;
};

/** Rounds are kept for so long; what they priced is on the chain. */
const ROUNDS_SECONDS = 2 * 86_400;

const free = (collection: string) => new Schema({ _id: String }, { versionKey: false, collection, strict: false });

export function validatorCollections(connection: Connection) {
  const rounds = free('validator_rounds');
  rounds.index({ digest: 1, finished_at: -1 });
  rounds.index({ strategies: 1, finished_at: -1 });
  rounds.index({ finished_at: 1 }, { expireAfterSeconds: ROUNDS_SECONDS });
  connection.model('ValidatorRound', rounds);
  return {
    rounds: connection.collection<RoundDocument>('validator_rounds'),
    nodes: connection.collection<NodeDocument>('validator_nodes'),
    configs: connection.collection<ConfigDocument>('validator_configs'),
    strategies: connection.collection<StrategyDocument>('validator_strategies'),
  };
}
