import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { chainClient } from '@castellan/chain';
import {
  AlertSignalled,
  AlertSignalStream,
  AuditRecorded,
  AuditStream,
  ChainStream,
  DirectoryStream,
  DisplayNameChanged,
  type EventData,
  FiguresStream,
  MandateEnforced,
  OracleStream,
  PriceTransmitted,
  RoleStream,
  RolesChanged,
  UpdateStream,
  ValidatorStream,
  VaultMeasured,
  type VaultUpdate,
  VaultUpdated,
  ViewOnlyChanged,
} from '@castellan/contracts';
import {
  type Consumption,
  consumeDurable,
  type DurableBus,
  type HeldLoop,
  on,
  publishDurable,
  requireIdentity,
  type ServiceContext,
  type ServiceDefinition,
  type ServiceParts,
} from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import { chainDirectory, type KnownChain } from './chains/chain-directory.ts';
import { rpcTransactions } from './chains/transactions.rpc.ts';
import type { VaultsConfig } from './config.ts';
import { moveFormerEvents } from './former-events.ts';
import { composeMerkle, treeLeavesOf } from './hook-trees/compose.ts';
import { merkleCollections } from './hook-trees/models/hook-trees.ts';
import { mongoHeartbeats } from './keeper/adapters/heartbeat.mongo.ts';
import { mongoKeeperRecord } from './keeper/adapters/record.mongo.ts';
import { lastReport } from './keeper/use-cases/last-report.ts';
import { mongoBlockStore } from './log/adapters/block-store.mongo.ts';
import { mongoChainLog } from './log/adapters/chain-log.mongo.ts';
import { mongoChainStatus } from './log/adapters/chain-status.mongo.ts';
import { OwnChains } from './log/adapters/own-chains.ts';
import { ownStatus } from './log/adapters/own-status.ts';
import { indexingLoop } from './log/indexer/loop.ts';
import { logPublisher } from './log/indexer/publish.ts';
import { ChainIndexer } from './log/indexer/run.ts';
import { mongoMandates } from './mandates/mandates.mongo.ts';
import { mongoNetworkHistory } from './oracle-network/adapters/network-history.mongo.ts';
import { type ReceiptReader, rpcReceipts } from './oracle-network/adapters/receipts.rpc.ts';
import { mongoRoundList } from './oracle-network/adapters/round-list.mongo.ts';
import { mongoTransmissions } from './oracle-network/adapters/transmissions.mongo.ts';
import { mongoValidators } from './oracle-network/adapters/validator-network.mongo.ts';
import { followValidators } from './oracle-network/use-cases/follow-validators.ts';
import { recordTransmission } from './oracle-network/use-cases/record-transmission.ts';
import { rpcSimulate } from './prepared-calls/changes/adapters/simulate.rpc.ts';
import { rpcChangeReader } from './prepared-calls/changes/adapters/state.rpc.ts';
import { keepProvingPauses, pauseProofPorts } from './prepared-calls/pause-proof/compose.ts';
import { mongoPrepared } from './prepared-calls/tracking/adapters/prepared-store.mongo.ts';
import { followPreparedCalls, trackingPorts } from './prepared-calls/tracking/compose.ts';
import { rpcSourceDescriber } from './readings/adapters/described-source.rpc.ts';
import { mongoSeenTransactions } from './readings/adapters/seen-transactions.mongo.ts';
import { rpcSettingsChain } from './readings/adapters/settings.rpc.ts';
import { keepStrategies, strategyPorts } from './strategies/compose.ts';
import { KnownExits } from './strategies/known-exits.ts';
import { vaultsMetrics } from './telemetry.ts';
import { mongoDirectory } from './vault/adapters/directory.mongo.ts';
import { SnapshotCopy } from './vault/adapters/snapshot-copy.ts';
import { snapshotSeal } from './vault/adapters/snapshot-seal.ts';
import { mongoSnapshots, type Snapshot } from './vault/adapters/snapshot-store.mongo.ts';
import { rpcSourceTypes } from './vault/adapters/source-types.rpc.ts';
import { figureMetrics } from './vault/figures-telemetry.ts';
import { followDirectory } from './vault/use-cases/follow-directory.ts';
import { followMeasures } from './vault/use-cases/follow-measures.ts';
import { freshenSnapshot } from './vault/use-cases/freshen-snapshot.ts';
import { vaultReader } from './vault/use-cases/read-vault.ts';
import { type RefreshDeps, VaultRefresher } from './vault/use-cases/refresh.ts';
import { indexedChains, viewFor } from './vault/use-cases/vault-view.ts';
import { type VaultsPorts, vaultsService } from './vaults.service.ts';

/** A quarter of the block time, so that a block is indexed soon after it is mined, within these bounds. */
const pollMsOf = (blockTimeSeconds: number) => Math.min(4_000, Math.max(200, blockTimeSeconds * 250));
/** A head older than this many block times (and a minute) means that the node stands still. */
const HEAD_BLOCKS_LATE = 30;
const HEAD_SECONDS_LATE = 60;
/** What could not be published is tried again, even when the log does not grow. */
const PUBLISH_RETRY_MS = 1_000;
/** The keeper, a process of its own, stores events in this service's outbox. */
const OUTBOX_SWEEP_MS = 1_000;
/** What strategies see is recorded this often at most; no chain that is worth it mines much faster. */
const STRATEGY_POLL_MS = 2_000;

/** What is published of vaults, beside what the entries of the log mean. */
function publications(durable: DurableBus) {
  const publish = async (update: VaultUpdate, msgId: string) => {
    await publishDurable(durable, VaultUpdated, update, { msgId });
  };
  const publishRoles = async (change: EventData<typeof RolesChanged>, msgId: string) => {
    await publishDurable(durable, RolesChanged, change, { msgId });
  };
  const announceRoles = ({ chain_id, detail: { vault_address }, block_number }: Snapshot) =>
    publishRoles({ chain_id, vault_address, block_number }, randomUUID());
  const announceGone: RefreshDeps['announceGone'] = async ({ chainId, vault, blockNumber }) => {
    const change = { chain_id: chainId, vault_address: getAddress(vault), block_number: blockNumber };
    await publishRoles(change, randomUUID());
    await publish({ ...change, kind: 'roles' }, randomUUID());
  };
  return { publish, publishRoles, announceRoles, announceGone };
}

/** @param chainIds - All chains that there are; empty while not all are known. */
function adaptersOf(
  { mongo, durable, log, registry }: ServiceContext,
  config: VaultsConfig,
  chainIds: () => readonly number[],
) {
  const metrics = vaultsMetrics(registry);
  const published = publications(durable);
  const own = new OwnChains();
  const chainLog = mongoChainLog(mongo, own, config.logArchive);
  const directory = mongoDirectory(mongo);
  const distrust = (collection: string, id: unknown) => {
    metrics.distrusted.inc({ collection });
    log.error('ignored a stored document that is malformed or forged', { collection, id: String(id) });
  };
  const stored = mongoSnapshots(mongo, {
    seal: snapshotSeal(requireIdentity(config, 'vaults').privateKey.d),
    distrust: (id) => distrust('vault_snapshots', id),
  });
  const status = ownStatus(mongoChainStatus(mongo), own, () => performance.now());
  const snapshots = new SnapshotCopy({ store: stored, status, chainIds, now: () => performance.now() });
  const exits = new KnownExits(Date.now);
  const announce = async (read: Snapshot) => {
    exits.seen(read);
    // As it is answered, with what its history says.
    const snapshot = (await snapshots.get(read.chain_id, read.vault)) ?? read;
    const detail = await viewFor(directory, snapshot, undefined);
    const { chain_id, vault_address, block_number } = detail;
    await published.publish({ chain_id, vault_address, kind: 'vault', block_number, detail }, randomUUID());
  };
  return {
    mongo,
    durable,
    logger: log,
    metrics,
    log: chainLog,
    blocks: mongoBlockStore(mongo),
    own,
    exits,
    status,
    stored,
    snapshots,
    directory,
    mandates: mongoMandates(mongo, (id) => distrust('mandates_in_force', id)),
    transmissions: mongoTransmissions(mongo, distrust),
    validators: mongoValidators(mongo, distrust),
    history: mongoNetworkHistory(mongo, distrust),
    roundList: mongoRoundList(mongo, { distrust, now: () => performance.now() }),
    reader: vaultReader({ log: chainLog, pauseReason: mongoPrepared(mongo).pauseReason, now: () => new Date() }),
    announce,
    ...published,
  };
}
type Adapters = ReturnType<typeof adaptersOf>;

function indexing(chain: KnownChain, adapters: Adapters, config: VaultsConfig): HeldLoop {
  const { chainId, blockTimeSeconds } = chain.config;
  const { metrics, logger } = adapters;
  const publisher = logPublisher({ ...adapters, chainId, bus: adapters.durable });
  const refresher = () =>
    new VaultRefresher(chain, {
      ...adapters,
      snapshots: adapters.stored,
      log: logger,
      now: Date.now,
      sleep: (ms) => sleep(ms, undefined, { ref: false }),
      snapshotMs: config.snapshotMs,
    });
  const revisions = { last: 0 };
  let republish: NodeJS.Timeout | undefined;
  const loop = indexingLoop({
    chainId,
    connection: adapters.mongo,
    pauseMs: pollMsOf(blockTimeSeconds),
    makeIndexer: (token) =>
      new ChainIndexer(
        {
          ...adapters,
          snapshots: adapters.stored,
          chain,
          refresher: refresher(),
          revisions,
          onAppended: () => void publisher.flush(),
        },
        token,
      ),
    onHolding: (holds) => {
      metrics.holdsLease.set({ chain_id: String(chainId) }, holds ? 1 : 0);
      clearInterval(republish);
      if (holds) republish = setInterval(() => void publisher.flush(), PUBLISH_RETRY_MS);
    },
    logger,
  });
  adapters.own.follow(chainId, () => loop.heldToken);
  return loop;
}

const consumeEvents = (adapters: Adapters, receipts: ReceiptReader): Promise<Consumption[]> => {
  const people = followDirectory(adapters);
  return Promise.all([
    consumeDurable(adapters.durable, {
      stream: DirectoryStream,
      durable: 'vaults-directory',
      handlers: [
        on(ViewOnlyChanged, people.viewOnlyChanged),
        on(DisplayNameChanged, people.nameChanged),
        on(MandateEnforced, adapters.mandates.enforced),
      ],
    }),
    consumeDurable(adapters.durable, {
      stream: OracleStream,
      durable: 'vaults-transmissions',
      handlers: [on(PriceTransmitted, recordTransmission(adapters))],
    }),
    consumeDurable(adapters.durable, {
      stream: ValidatorStream,
      durable: 'vaults-validators',
      handlers: followValidators({ ...adapters, receipts, now: Date.now }),
    }),
    consumeDurable(adapters.durable, {
      stream: FiguresStream,
      durable: 'vaults-measures',
      handlers: [on(VaultMeasured, followMeasures(adapters))],
    }),
  ]);
};

function build(config: VaultsConfig, context: ServiceContext): ServiceParts {
  const chainIds = () => (chains.isComplete() ? chains.all().map(({ config: { chainId } }) => chainId) : []);
  const adapters = adaptersOf(context, config, chainIds);
  const { log, health, mongo } = context;
  const stopping = new AbortController();
  const loops: HeldLoop[] = [];
  const connect = (chain: KnownChain['config']) =>
    chainClient(chain, {
      timeoutMs: config.rpcTimeoutMs,
      batchSize: config.rpcBatchSize,
      gatherReads: true,
      onRequest: adapters.metrics.observeRpc,
      onRefusal: adapters.metrics.observeRefusal,
      watch: adapters.metrics.watch,
    });
  const onChain = (chain: KnownChain) => {
    const { chainId, slug, blockTimeSeconds } = chain.config;
    const kept = { ...strategies, snapshots: adapters.snapshots, exits: adapters.exits, logger: log };
    const found = [
      indexing(chain, adapters, config),
      ...followPreparedCalls(calls, chainId, { connection: mongo, pauseMs: pollMsOf(blockTimeSeconds) }),
      keepProvingPauses(proofs, chainId, { connection: mongo, metrics: adapters.metrics.pauseProofs }),
      keepStrategies(kept, chainId, { connection: mongo, pauseMs: STRATEGY_POLL_MS }),
    ];
    for (const loop of found) loop.start();
    loops.push(...found);
    merkle
      .seed(chain)
      .catch((error: Error) => log.error('hooks of the configuration are not in the registry', { error }));
    const isBackfilled = async () => (await adapters.status.get(chainId)).backfilled === true;
    health.addReadiness(`backfill-${slug}`, isBackfilled, slug);
    const isHeadYoung = async () => {
      const { head_time = 0 } = await adapters.status.get(chainId);
      return Date.now() / 1000 - head_time < Math.max(HEAD_SECONDS_LATE, blockTimeSeconds * HEAD_BLOCKS_LATE);
    };
    health.addReadiness(`rpc-head-${slug}`, isHeadYoung, slug);
  };
  const chains = chainDirectory({ sources: config.sources, connect, onChain, log, signal: stopping.signal });
  health.addReadiness('deployment-file', () => chains.isComplete());
  const collections = merkleCollections(mongo);
  const changes = rpcChangeReader({ ...adapters, treeLeaves: treeLeavesOf(collections) });
  const transactions = rpcTransactions();
  const calls = trackingPorts({ ...adapters, outbox: context.outbox, log, chains, changes, transactions, config });
  const proofs = pauseProofPorts({ ...adapters, log, chains, transactions, config });
  const freshen = freshenSnapshot({ ...adapters, chains, log, now: Date.now });
  const receipts = rpcReceipts(chains, (error, about) =>
    log.warn('could not read what a transmission cost', { ...about, error: error as Error }),
  );
  const keeper = lastReport({ heartbeats: mongoHeartbeats(mongo), now: Date.now });
  const strategies = strategyPorts({
    ...adapters,
    chains,
    freshen,
    keeper,
    record: mongoKeeperRecord(mongo),
    outbox: context.outbox,
    priceMaxAgeSeconds: config.priceMaxAgeSeconds,
  });
  const ports: VaultsPorts = {
    ...adapters,
    ...calls,
    ...proofs,
    freshen,
    receipts,
    keeper,
    strategies,
    changes,
    settingsChain: rpcSettingsChain(),
    simulate: rpcSimulate(),
    stepUpSeconds: config.stepUpSeconds,
    sourceTypes: rpcSourceTypes(Date.now),
    describer: rpcSourceDescriber(),
    seen: mongoSeenTransactions(mongo, () => new Date()),
  };
  if (config.vaultMetrics)
    figureMetrics([context.registry], async () =>
      (await ports.snapshots.all(await indexedChains(ports))).map(({ detail }) => detail),
    );
  const merkle = composeMerkle({ ...ports, collections, outbox: context.outbox, log, chainLog: adapters.log, config });
  let consuming: Consumption[] = [];
  return {
    schemas: [vaultsService(ports), merkle.schema],
    start: async () => {
      await moveFormerEvents(context);
      consuming = await consumeEvents(adapters, receipts);
      chains.start();
      merkle.worker.start();
    },
    stop: async () => {
      stopping.abort();
      await Promise.all([merkle.worker, ...loops, ...consuming].map((part) => part.stop()));
    },
  };
}

export const vaultsDefinition = (config: VaultsConfig): ServiceDefinition => ({
  name: 'vaults',
  config,
  streams: [
    ChainStream,
    UpdateStream,
    DirectoryStream,
    OracleStream,
    ValidatorStream,
    FiguresStream,
    RoleStream,
    AuditStream,
    AlertSignalStream,
  ],
  publishes: [AuditRecorded, AlertSignalled, VaultUpdated],
  outboxSweepMs: OUTBOX_SWEEP_MS,
  build: (context) => build(config, context),
});
