import { OracleStream, ValidatorStream } from '@castellan/contracts';
import {
  connectDurable,
  connectMongo,
  createLogger,
  createOutbox,
  defineStreams,
  ensureIndexes,
  type Logger,
  mayDefine,
  type Outbox,
  pingMongo,
  Registry,
  Shutdown,
  thisBuild,
} from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { type Address, bytesToHex } from 'viem';
import { ConfigTracker } from '../chain/config-tracker.ts';
import type { NodeConfig } from '../config/load.ts';
import { loadKeys, type NodeKeys } from '../keys/bundle.ts';
import { fastestCurve } from '../keys/curve/fastest.ts';
import { createHealth } from '../monitoring/health.ts';
import { serveHealth, serveMetrics } from '../monitoring/http.ts';
import { createMetrics, type Metrics } from '../monitoring/metrics.ts';
import { databaseOf } from '../store/database.ts';
import { holdKeys, KeyInUseError, type KeyLease } from '../store/key-lease.ts';
import { createProtocolStore } from '../store/protocol-store.ts';
import { createSessions } from '../store/sessions.ts';
import { connectBus } from '../transport/bus.ts';
import { Announcer, announced } from './announcer.ts';
import type { ChainRuntime } from './chain-runtime.ts';
import { chainsOf } from './chains.ts';
import { followedState } from './followed-state.ts';
import { configEvents, ofPlugin, ofProtocol } from './metrics-of.ts';
import { NetworkRuntime } from './network-runtime.ts';
import { systemClock, systemRandom } from './system.ts';
import { timedKeys } from './timed-keys.ts';

const TICK_MS = 1_000;
const REAP_MS = 10 * 60_000;
const PENDING_MS = 24 * 3_600_000;
/** A killed process frees its keys within this. */
const KEY_WAIT_MS = 20_000;

/** `ready` rejects with what cannot be helped by waiting; `stop` may come before it. */
export type RunningNode = { ready: Promise<void>; stop(): Promise<void>; ended: Promise<number> };

/** Starts a node; it runs until `stop` or until it loses its keys. */
export function startNode(config: NodeConfig): RunningNode {
  const log = createLogger({ service: `validator-${config.node.node_id}`, level: config.monitoring.log_level });
  const ended = Promise.withResolvers<number>();
  const shutdown = new Shutdown(log, config.ocr2.shutdown_grace);
  let stopping: Promise<void> | undefined;
  const stop = (code = 0) => {
    stopping ??= shutdown.run().then(() => ended.resolve(code));
    return stopping;
  };
  const fatal = (reason: string) => {
    log.error('the node must stop', { reason });
    void stop(1);
  };
  const ready = compose(config, log, shutdown, fatal).catch(async (error: unknown) => {
    await shutdown.run();
    throw error;
  });
  return { ready, stop: () => stop(), ended: ended.promise };
}

async function compose(
  config: NodeConfig,
  log: Logger,
  shutdown: Shutdown,
  fatal: (reason: string) => void,
): Promise<void> {
  const { monitoring } = config;
  const keys = await loadKeys(config.keys);
  log.info('node starts', thisBuild);
  const metrics = metricsOf(config);
  const state: { connection?: Connection } = {};
  const health = createHealth({
    tickAge: metrics.tickAge,
    tickMs: TICK_MS,
    pingDatabase: () => (state.connection ? pingMongo(state.connection) : Promise.reject(new Error('not connected'))),
    now: Date.now,
    onDatabase: (up) => metrics.observe({ type: 'database', up }),
  });
  const host = monitoring.bind;
  const scrape = await serveMetrics({ host, port: monitoring.metrics_port, registry: metrics.registry });
  shutdown.add('metrics', () => scrape.stop());
  const probe = await serveHealth({ host, port: monitoring.health_port, report: () => health.report() });
  shutdown.add('health', () => probe.stop());
  const connection = await connectMongo({
    ...databaseOf(config),
    registry: new Registry(),
    log,
  });
  state.connection = connection;
  shutdown.add('database', () => connection.close());
  const lease = await keysHeld(connection, keys, log, fatal);
  shutdown.add('keys', () => lease.release());
  await connected({ config, log, shutdown, keys, metrics, connection, lease, fatal });
  shutdown.add('probes say no', () => {
    health.close();
    metrics.close();
  });
}

function metricsOf({ chains, monitoring }: NodeConfig): Metrics {
  return createMetrics({
    chains: chains.map((chain) => ({ chainId: chain.chain_id, strategies: chain.supported_strategies as Address[] })),
    version: thisBuild.version,
    now: Date.now,
    healthCheckIntervalMs: monitoring.health_check_interval,
    tickMs: TICK_MS,
  });
}

/** Waits for the keys of a process that was killed a moment ago. @throws KeyInUseError when somebody goes on using them. */
async function keysHeld(
  connection: Connection,
  keys: NodeKeys,
  log: Logger,
  fatal: (reason: string) => void,
): Promise<KeyLease> {
  const deadline = Date.now() + KEY_WAIT_MS;
  const names = [keys.onchain.address, keys.transmitter.address];
  for (;;) {
    try {
      return await holdKeys({
        connection,
        keys: names,
        clock: systemClock,
        log,
        onLost: (key) => fatal(`the lease of the key ${key} is lost`),
      });
    } catch (error) {
      if (!(error instanceof KeyInUseError) || Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
  }
}

type Parts = {
  config: NodeConfig;
  log: Logger;
  shutdown: Shutdown;
  keys: NodeKeys;
  metrics: Metrics;
  connection: Connection;
  lease: KeyLease;
  /** Ends the node with code 1. */
  fatal: (reason: string) => void;
};

async function outboxOf({ config, log, shutdown, connection }: Parts): Promise<Outbox | null> {
  const { url, namespace } = config.events;
  if (url === undefined) return null;
  const durable = await connectDurable({ url, namespace, service: `validator-${config.node.node_id}`, log });
  shutdown.add('events', () => durable.nats.drain());
  // On a bus with permissions the services define them; until they have, the outbox keeps what is to be reported.
  await defineStreams(
    durable,
    [ValidatorStream, OracleStream].filter((stream) => mayDefine(durable, stream)),
  );
  const outbox = createOutbox({ connection, bus: durable, events: announced, log, now: Date.now });
  shutdown.add('outbox', () => outbox.stop());
  outbox.start();
  return outbox;
}

async function connected(parts: Parts): Promise<void> {
  const { config, log, shutdown, metrics, connection } = parts;
  const emit = metrics.observe;
  const keys = timedKeys(parts.keys, emit, Date.now);
  const announcer = new Announcer({
    connection,
    outbox: await outboxOf(parts),
    log,
    clock: systemClock,
    now: () => new Date(),
    nodeId: config.node.node_id,
    network: config.bus.network,
    transmitter: keys.transmitter.address,
  });
  await announcer.start();
  shutdown.add('announcer', () => announcer.stop());
  const bus = await connectBus(config.bus, { name: `castellan-validator-${config.node.node_id}`, log });
  shutdown.add('bus', () => bus.close());
  emit({ type: 'bus_connection', up: true });
  bus.onState((up) => emit({ type: 'bus_connection', up }));
  const followed = followedState(connection);
  const chains = chainsOf(parts, announcer, followed.watch);
  await ensureIndexes(connection);
  for (const chain of chains) {
    chain.start();
    shutdown.add(`chain ${chain.chainId}`, () => chain.stop());
  }
  const store = createProtocolStore({
    connection,
    signer: keys.onchain.address,
    leaseToken: () => parts.lease.token(keys.onchain.address),
  });
  const network = new NetworkRuntime({
    config,
    keys,
    bus,
    connection,
    store,
    chains,
    log,
    emit,
    sessions: createSessions(connection),
    clock: systemClock,
    random: systemRandom,
    onRefused: parts.fatal,
    onPlugin: (event) => ofPlugin(event, config.ocr2.config_sync_chain_id).forEach(emit),
    onProtocol: (event) => {
      ofProtocol(event).forEach(emit);
      announcer.protocol(event);
    },
  });
  shutdown.add('protocol', () => network.stop());
  const tracker = trackerOf({ ...parts, keys }, { announcer, chains, network, store: followed.config });
  shutdown.add('configuration', () => tracker.stop());
  await tracker.start();
  startTimers({ shutdown, metrics, announcer, reap: () => store.reapPending(Date.now() - PENDING_MS), log });
  log.info('node started', {
    signer: keys.onchain.address,
    transmitter: keys.transmitter.address,
    curve: fastestCurve.name,
  });
}

function trackerOf(
  { config, keys, metrics, log }: Parts,
  {
    announcer,
    chains,
    network,
    store,
  }: {
    announcer: Announcer;
    chains: readonly ChainRuntime[];
    network: NetworkRuntime;
    store: ReturnType<typeof followedState>['config'];
  },
): ConfigTracker {
  const home = config.chains.find(({ chain_id }) => chain_id === config.ocr2.config_sync_chain_id);
  const runtime = chains.find(({ chainId }) => chainId === config.ocr2.config_sync_chain_id);
  if (!home || !runtime) throw new Error('The chain of the configuration is not among the chains.');
  const toMetrics = configEvents();
  return new ConfigTracker({
    chainId: home.chain_id,
    client: runtime.client,
    head: runtime.head,
    witness: runtime.witness(),
    clock: systemClock,
    store,
    governor: home.super_governor_address as Address,
    oracle: home.ecdsa_oracle_address as Address,
    startBlock: BigInt(home.start_block),
    confirmations: BigInt(config.ocr2.confirmations),
    pollMs: config.ocr2.poll,
    own: {
      signer: keys.onchain.address,
      transmitter: keys.transmitter.address,
      offchainKey: bytesToHex(keys.offchain.publicKey),
      encryptionKey: bytesToHex(keys.encryption.publicKey),
    },
    dh: keys.encryption.dh,
    onSwitch: async (running) => {
      const index = running.kind === 'member' ? running.index : null;
      metrics.setIndex(index);
      if (running.kind !== 'refused') announcer.configured(running.config, index);
      await network.switchTo(running);
    },
    emit: (event) => {
      toMetrics(event).forEach(metrics.observe);
      if (event.type === 'config_warning' || event.type === 'config_refused') log.warn(event.message, { ...event });
      else if (event.type === 'poll_failed')
        log.debug('could not read the configuration', { error: event.error as Error });
      else log.info('configuration', { ...event });
    },
  });
}

function startTimers({
  shutdown,
  metrics,
  announcer,
  reap,
  log,
}: {
  shutdown: Shutdown;
  metrics: Metrics;
  announcer: Announcer;
  reap: () => Promise<number>;
  log: Logger;
}): void {
  const ticking = setInterval(() => {
    metrics.tick();
    for (const transition of metrics.staleness.transitions()) {
      log[transition.kind === 'stale' ? 'warn' : 'info']('strategy freshness changed', { ...transition });
      announcer.strategy(transition);
    }
    announcer.beat();
  }, TICK_MS);
  const reaping = setInterval(() => {
    reap().catch((error: unknown) => log.warn('old transmissions could not be removed', { error: error as Error }));
  }, REAP_MS);
  shutdown.add('timers', () => {
    clearInterval(ticking);
    clearInterval(reaping);
  });
}
