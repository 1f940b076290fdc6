import { chainClient } from '@castellan/chain';
import {
  type HeldLoop,
  heldLoop,
  namedLease,
  recorder,
  type ServiceContext,
  type ServiceDefinition,
  type ServiceParts,
} from '@castellan/service-kit';
import type { TransactionSigner } from '@castellan/transactor';
import { type ChainDirectory, chainDirectory, type KnownChain } from '../chains/chain-directory.ts';
import { mongoRegistryHooks } from '../hook-trees/adapters/active-hooks.mongo.ts';
import { mongoTrees } from '../hook-trees/adapters/tree-store.mongo.ts';
import { merkleCollections } from '../hook-trees/models/hook-trees.ts';
import { mongoChainLog } from '../log/adapters/chain-log.mongo.ts';
import { mongoChainStatus } from '../log/adapters/chain-status.mongo.ts';
import { mongoMandates } from '../mandates/mandates.mongo.ts';
import { mongoPrepared } from '../prepared-calls/tracking/adapters/prepared-store.mongo.ts';
import { factsReader } from '../strategies/adapters/facts-reader.ts';
import { mongoRuns } from '../strategies/adapters/runs.mongo.ts';
import { mongoStrategies } from '../strategies/adapters/strategies.mongo.ts';
import { mongoIntents } from '../strategies/intents/store.mongo.ts';
import { strategyCollections } from '../strategies/models.ts';
import { mongoSnapshots } from '../vault/adapters/snapshot-store.mongo.ts';
import { vaultReader } from '../vault/use-cases/read-vault.ts';
import { rpcKeeperChain } from './adapters/chain.rpc.ts';
import { mongoHeartbeats, PASS_LATE_MS } from './adapters/heartbeat.mongo.ts';
import { mongoJournal } from './adapters/journal.mongo.ts';
import { mongoRefusals } from './adapters/refusals.mongo.ts';
import { mongoRelease } from './adapters/release.mongo.ts';
import { type KeeperConfig, settingsOn } from './config.ts';
import { keeperService } from './keeper.service.ts';
import { signersOf } from './key.ts';
import type { KeeperPorts } from './ports.ts';
import { keeperMetrics } from './telemetry.ts';
import { keeperPass } from './use-cases/pass.ts';
import { passesDue } from './use-cases/passes-due.ts';
import type { Keeping } from './use-cases/status.ts';

/** Half a block time, so that each block is looked at, within these bounds. */
const everyMsOf = (blockTimeSeconds: number) => Math.min(4_000, Math.max(250, blockTimeSeconds * 500));

/** Another process takes over so long after this one was killed. */
const LEASE_MS = 10_000;

/** Everything of the keeper but the chain itself, over the database of the vaults service. */
export function keeperAdapters({ mongo, log, registry }: Pick<ServiceContext, 'mongo' | 'log' | 'registry'>) {
  const chainLog = mongoChainLog(mongo);
  const merkle = merkleCollections(mongo);
  return {
    logger: log,
    metrics: keeperMetrics(registry),
    log: chainLog,
    status: mongoChainStatus(mongo),
    snapshots: mongoSnapshots(mongo),
    reader: vaultReader({ log: chainLog, pauseReason: mongoPrepared(mongo).pauseReason, now: () => new Date() }),
    strategyCollections: strategyCollections(mongo),
    intents: mongoIntents(mongo),
    hooks: mongoRegistryHooks(merkle),
    trees: mongoTrees(merkle),
    queuePlaces: new Map<string, number>(),
    journal: mongoJournal(mongo),
    runs: mongoRuns(mongo),
    refusals: mongoRefusals(mongo),
    mandates: mongoMandates(mongo, (id) => log.error('ignored a mandate that is malformed', { id: String(id) })),
    heartbeats: mongoHeartbeats(mongo),
    isReleased: mongoRelease(mongo),
    now: Date.now,
  };
}

type Running = Keeping & { signer: TransactionSigner; startedAt: number };
type Around = {
  adapters: ReturnType<typeof keeperAdapters>;
  chains: ChainDirectory;
  config: KeeperConfig;
  mongo: ServiceContext['mongo'];
};

/** The keeper of a chain; `state` is what its status says. The journal compares the token with each write. */
function keeping(chain: KnownChain, state: Running, around: Around): HeldLoop {
  const { adapters, chains, config, mongo } = around;
  const { chainId, blockTimeSeconds } = chain.config;
  const ports: KeeperPorts = {
    ...adapters,
    chain: rpcKeeperChain(chain),
    signer: state.signer,
    settings: settingsOn(config, chainId),
    strategies: mongoStrategies(adapters.strategyCollections, recorder(mongo)),
    facts: factsReader(
      { ...adapters, chains, priceMaxAgeSeconds: config.priceMaxAgeSeconds, now: () => new Date() },
      adapters.strategyCollections,
    ),
  };
  const due = passesDue(adapters, chainId);
  return heldLoop({
    lease: namedLease(mongo, { name: `keeper:${chainId}`, ttlMs: LEASE_MS }),
    pauseMs: everyMsOf(blockTimeSeconds),
    onLease: (token) => {
      due.forget();
      return adapters.journal.claim(chainId, token);
    },
    onHolding: (holds) => {
      state.holdsLease = holds;
      state.startedAt = Date.now();
      adapters.metrics.holdsLease.set({ chain_id: String(chainId) }, holds ? 1 : 0);
    },
    pass: async ({ token }) => {
      await due.run(() => keeperPass(ports, token));
      state.lastPassAt = new Date();
      return 'rest';
    },
    log: adapters.logger,
    fields: { chainId },
  });
}

async function build(config: KeeperConfig, context: ServiceContext): Promise<ServiceParts> {
  const adapters = keeperAdapters(context);
  const { log, health, mongo } = context;
  const signerOn = await signersOf(config.key, config.ofChains);
  const stopping = new AbortController();
  const { signal } = stopping;
  const running: Running[] = [];
  const loops: HeldLoop[] = [];
  const onChain = (chain: KnownChain) => {
    const { chainId } = chain.config;
    const signer = signerOn(chainId);
    const state: Running = { chain, signer, holdsLease: false, lastPassAt: null, startedAt: Date.now() };
    running.push(state);
    log.info('the keeper sends from', { chainId, address: signer.address });
    const loop = keeping(chain, state, { adapters, chains, config, mongo });
    loop.start();
    loops.push(loop);
    health.addReadiness(
      `keeper-${chain.config.slug}`,
      () => {
        const since = Math.max(state.startedAt, state.lastPassAt?.getTime() ?? 0);
        return !state.holdsLease || Date.now() - since < PASS_LATE_MS;
      },
      chain.config.slug,
    );
  };
  const connect = (chain: KnownChain['config']) =>
    chainClient(chain, {
      timeoutMs: config.rpcTimeoutMs,
      batchSize: config.rpcBatchSize,
      gatherReads: true,
      onRequest: adapters.metrics.observeRpc,
      onRefusal: adapters.metrics.observeRefusal,
      watch: adapters.metrics.watch,
    });
  const chains = chainDirectory({ sources: config.sources, connect, onChain, log, signal });
  health.addReadiness('deployment-file', () => chains.isComplete());
  const { fulfilsRedemptions } = config.keeper;
  const status = {
    keeping: () => running,
    journal: adapters.journal,
    fulfilsRedemptions,
  };
  return {
    schemas: [keeperService(status)],
    start: async () => chains.start(),
    stop: async () => {
      stopping.abort();
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

export const keeperDefinition = (config: KeeperConfig): ServiceDefinition => ({
  name: 'keeper',
  config,
  build: (context) => build(config, context),
});
