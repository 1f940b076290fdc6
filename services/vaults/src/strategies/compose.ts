import { randomBytes } from 'node:crypto';
import { type HeldLoop, heldLoop, namedLease, type ServiceContext } from '@castellan/service-kit';
import type { VaultSource } from '../vault/use-cases/vault-view.ts';
import type { StrategyPorts } from './access.ts';
import { type FactsPorts, factsReader } from './adapters/facts-reader.ts';
import { mongoRuns } from './adapters/runs.mongo.ts';
import { mongoSimulations, mongoStrategies } from './adapters/strategies.mongo.ts';
import { mongoTargets } from './adapters/targets.mongo.ts';
import { queueEvents, redeemQueue } from './domain/redeem-queue.ts';
import { type FollowPorts, followStrategies } from './follow.ts';
import { mongoIntents } from './intents/store.mongo.ts';
import { strategyCollections } from './models.ts';

/** Another process takes over so long after this one was killed. Every write of a pass is conditional by itself. */
const LEASE_MS = 15_000;

type Given = Pick<ServiceContext, 'mongo' | 'outbox'> &
  VaultSource &
  Pick<FactsPorts, 'log' | 'reader' | 'priceMaxAgeSeconds'> &
  Pick<StrategyPorts, 'directory' | 'keeper' | 'record' | 'mandates'>;

/** What strategies need, on the service's own store and chains. */
export function strategyPorts({ mongo, outbox, log, reader, priceMaxAgeSeconds, ...given }: Given): StrategyPorts {
  const collections = strategyCollections(mongo);
  return {
    ...given,
    strategies: mongoStrategies(collections, outbox.recordWith),
    simulations: mongoSimulations(collections, outbox.recordWith),
    intents: mongoIntents(mongo),
    targets: mongoTargets(collections, outbox.recordWith),
    runs: mongoRuns(mongo),
    facts: factsReader({ ...given, log, reader, priceMaxAgeSeconds, now: () => new Date() }, collections),
    waitingRequests: async (chainId, vault) =>
      redeemQueue(await log.livingOfVault(chainId, vault.toLowerCase(), queueEvents))(Number.MAX_SAFE_INTEGER).count,
    now: Date.now,
    newId: () => randomBytes(12).toString('base64url'),
  };
}

/** Keeps a chain's emergency exits and records what running strategies see. */
export const keepStrategies = (
  ports: FollowPorts,
  chainId: number,
  { connection, pauseMs }: { connection: ServiceContext['mongo']; pauseMs: number },
): HeldLoop =>
  heldLoop({
    lease: namedLease(connection, { name: `strategies:${chainId}`, ttlMs: LEASE_MS }),
    pauseMs,
    pass: async () => {
      await followStrategies(ports, chainId);
      return 'rest';
    },
    log: ports.logger,
  });
