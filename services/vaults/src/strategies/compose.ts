import { randomBytes } from 'node:crypto';
import type { ServiceContext } from '@castellan/service-kit';
import { runWhileHolding } from '../chains/held-loop.ts';
import type { VaultSource } from '../vault/use-cases/vault-view.ts';
import type { StrategyPorts } from './access.ts';
import { type FactsPorts, factsReader } from './adapters/facts-reader.ts';
import { mongoRuns } from './adapters/runs.mongo.ts';
import { mongoSimulations, mongoStrategies } from './adapters/strategies.mongo.ts';
import { type FollowPorts, followStrategies } from './follow.ts';
import { mongoIntents } from './intents/store.mongo.ts';
import { strategyCollections } from './models.ts';

type Given = Pick<ServiceContext, 'mongo' | 'outbox'> &
  VaultSource &
  Pick<FactsPorts, 'log' | 'reader' | 'priceMaxAgeSeconds'> &
  Pick<StrategyPorts, 'directory' | 'keeper'>;

/** What strategies need, on the service's own store and chains. */
export function strategyPorts({ mongo, outbox, log, reader, priceMaxAgeSeconds, ...given }: Given): StrategyPorts {
  const collections = strategyCollections(mongo);
  return {
    ...given,
    strategies: mongoStrategies(collections, outbox.recordWith),
    simulations: mongoSimulations(collections, outbox.recordWith),
    intents: mongoIntents(mongo),
    runs: mongoRuns(mongo),
    facts: factsReader({ ...given, log, reader, priceMaxAgeSeconds, now: () => new Date() }, collections),
    now: Date.now,
    newId: () => randomBytes(12).toString('base64url'),
  };
}

/** Keeps a chain's emergency exits and records what running strategies see, until the signal. */
export const keepStrategies = (
  ports: FollowPorts,
  chainId: number,
  options: { connection: ServiceContext['mongo']; holder: string; pollMs: number; signal: AbortSignal },
): Promise<void> =>
  runWhileHolding({
    name: `strategies:${chainId}`,
    holder: options.holder,
    connection: options.connection,
    everyMs: options.pollMs,
    pass: () => followStrategies(ports, chainId),
    logger: ports.logger,
    signal: options.signal,
  });
