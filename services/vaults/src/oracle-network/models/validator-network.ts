import { type Connection, Schema } from 'mongoose';
import type { ConfigDocument, NodeDocument, RoundDocument, StrategyDocument } from '../domain/validator-network.ts';

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
