import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chainClient, deployments, endpointsOf, loadChains, x25519Shared } from '@castellan/chain';
import {
  ChainStream,
  FiguresStream,
  ListChains,
  ListLogEntries,
  ListVaultTransactions,
  type LogEntry,
  ProjectionStream,
} from '@castellan/contracts';
import {
  callAction,
  createBroker,
  createLogger,
  createRegistry,
  type RunningService,
  startService,
} from '@castellan/service-kit';
import {
  startTestNats,
  startTestStore,
  type TestNats,
  type TestStore,
  testIdentity,
  testKeysEnv,
  until,
} from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { toHex } from 'viem';
import { devnetValidators } from '../../packages/devnet/src/validators.ts';
import { feeDefaults } from '../../packages/transactor/src/index.ts';
import { compose as composeAnalytics } from '../../services/analytics/src/compose.ts';
import { loadConfig as loadAnalyticsConfig } from '../../services/analytics/src/config.ts';
import { ConfigTracker, type Running } from '../../services/validator-node/src/chain/config-tracker.ts';
import { EventWatcher, newestTimes, type WatchState } from '../../services/validator-node/src/chain/event-watcher.ts';
import { lookAtChain } from '../../services/validator-node/src/transmit/rpcs.ts';
import { transmitDefaults } from '../../services/validator-node/src/transmit/types.ts';
import { vaultsDefinition } from '../../services/vaults/src/compose.ts';
import { loadConfig as loadVaultsConfig } from '../../services/vaults/src/config.ts';
import { checkChains } from '../../tools/castellan/doctor/chains.ts';
import { costOf, l1Fee, type NodeServer, startNode } from './node-server.ts';
import { nodesOf } from './nodes.ts';
import { type RecordedChain, recordedChain } from './recorded-chain.ts';

/**
 * A dry run of Ethereum and Base: the configuration as docs/operations/real-chain.md has it, the published deployments, and in the
 * place of the network nodes that answer in the shapes of real ones, with the limits of real providers.
 */

const key = 'key-of-the-provider';
const chainIds = [1, 8453] as const;
type Id = (typeof chainIds)[number];
let servers: Record<Id, NodeServer[]>;
let recorded: Record<Id, RecordedChain>;
let chainsFile: string;
let folder: string;
let nats: TestNats;
let store: TestStore;
const services: RunningService[] = [];
let broker: ReturnType<typeof createBroker>;

const envOf = (service: 'vaults' | 'analytics') => ({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  NATS_URL: nats.url,
  NATS_NAMESPACE: nats.namespace,
  MONGODB_URI: store.uri,
  MONGODB_DATABASE: `${store.database}_${service}`,
  MONITORING_PORT: '0',
  ...testKeysEnv(service),
});

async function startBroker(): Promise<void> {
  const log = createLogger({ service: 'test', level: 'silent' });
  const config = { nats: { url: nats.url, namespace: nats.namespace }, registry: createRegistry('test'), log };
  broker = createBroker({ ...config, service: 'test', identity: testIdentity(), requestTimeoutMs: 15_000 });
  await broker.start();
  await broker.waitForServices(['vaults', 'analytics'].map((name) => ({ name, version: 1 })));
}

beforeAll(async () => {
  const now = BigInt(Math.floor(Date.now() / 1_000));
  recorded = { 1: recordedChain(1, now), 8453: recordedChain(8453, now) };
  const startAll = (id: Id) => Promise.all(nodesOf[id].map((node) => startNode(recorded[id], node, key)));
  servers = { 1: await startAll(1), 8453: await startAll(8453) };
  folder = mkdtempSync(join(tmpdir(), 'castellan-real-chain-'));
  chainsFile = join(folder, 'chains.json');
  const entries = chainIds.map((id) => ({ chain_id: id, rpc_urls: servers[id].map(({ url }) => url) }));
  writeFileSync(chainsFile, JSON.stringify(entries));
  [nats, store] = await Promise.all([startTestNats(), startTestStore()]);
  services.push(await startService(vaultsDefinition(loadVaultsConfig({ ...envOf('vaults'), CHAINS: chainsFile }))));
  const { base, historiesBytes } = loadAnalyticsConfig(envOf('analytics'));
  const streams = [ChainStream, FiguresStream, ProjectionStream];
  services.push(
    await startService({ name: 'analytics', config: base, streams, build: composeAnalytics(historiesBytes) }),
  );
  await startBroker();
  await until('both chains are indexed up to their heads', async () => {
    const { chains } = await callAction(broker, ListChains, {});
    return chainIds.every((id) => {
      const chain = chains.find(({ chain_id }) => chain_id === id);
      return chain?.indexed_block === Number(recorded[id].state.head);
    });
  });
});
afterAll(async () => {
  await broker?.stop();
  for (const service of services.reverse()) await service.stop();
  await Promise.all([
    store?.stop(),
    nats?.stop(),
    ...Object.values(servers ?? {}).flatMap((all) => all.map((node) => node.stop())),
  ]);
  rmSync(folder, { recursive: true, force: true });
});

async function logOf(id: Id): Promise<LogEntry[]> {
  const { entries } = await callAction(broker, ListLogEntries, { chain_id: id, after_seq: 0, limit: 1_000 });
  return entries;
}
const wordsOf = (id: Id, node: number) => [...(servers[id][node]?.refused.keys() ?? [])].join('\n');

describe.each(chainIds)('chain %i', (id) => {
  test('default: the log is what the chain has, each log once and in order, whatever the nodes refuse', async () => {
    const entries = await logOf(id);
    const found = entries
      .filter(({ kind }) => kind === 'log')
      .map(({ block_number, log_index }) => [block_number, log_index]);
    const expected = recorded[id].state.logs.map(({ blockNumber, logIndex }) => [Number(blockNumber), logIndex]);
    expect(found).toEqual(expected);
    expect(entries.filter(({ name }) => name === 'unknown' || name === 'rollback')).toEqual([]);
    const deposit = entries.find(({ name }) => name === 'Deposit');
    const { depositBlock, timeAt, vault } = recorded[id];
    expect(deposit).toMatchObject({
      block_number: Number(depositBlock),
      block_time: new Date(Number(timeAt(depositBlock)) * 1_000).toISOString(),
      vault_address: vault,
      args: { assets: '5000000' },
    });
  });

  test('behavior: what a transaction cost has its L1 fee in it, and nothing where Ethereum forced it', async () => {
    const { vault, depositBlock, forcedBlock } = recorded[id];
    const costs = await until('analytics has folded the log', async () => {
      const about = { chain_id: id, vault_address: vault, period: 'all' } as const;
      const answer = await callAction(broker, ListVaultTransactions, about).catch(() => undefined);
      return answer && new Map(answer.transactions.map(({ block, gas_cost }) => [block, gas_cost]));
    });
    expect(costs.get(Number(depositBlock))).toBe(`${costOf(id)}`);
    if (forcedBlock !== null) expect(costs.get(Number(forcedBlock))).toBe('0');
    expect(costOf(8453) - costOf(1)).toBe(l1Fee);
  });
});

test('default: the limits of the providers were met, and none of them kept anything from being read', () => {
  expect(wordsOf(1, 0)).toContain('old data not available due to pruning');
  expect(wordsOf(1, 1)).toContain('query returned more than N results');
  expect(wordsOf(8453, 0)).toContain('maximum N calls in N batch');
  expect(wordsOf(8453, 0)).toContain('eth_getLogs is limited to a N range');
  // What the first endpoint gave is asked of the second one for a second opinion.
  expect(wordsOf(8453, 1)).toContain('query exceeds max block range N');
});

describe('what a validator reads', () => {
  const clock = { now: () => performance.now(), after: () => () => undefined };
  const configOf = (id: Id) => {
    const config = loadChains(chainsFile).find(({ chainId }) => chainId === id);
    if (!config) throw new Error(`There is no chain ${id}.`);
    return config;
  };

  test('default: the configuration of the network, from the block of the published deployment on', async () => {
    const config = configOf(1);
    const client = chainClient(config);
    const switches: Running[] = [];
    const events: { type: string }[] = [];
    const { signer, transmitter, offchain, encryption } = devnetValidators[0] as (typeof devnetValidators)[number];
    const own = {
      signer: signer.address,
      transmitter: transmitter.address,
      offchainKey: offchain.publicKey,
      encryptionKey: encryption.publicKey,
    };
    const tracker = new ConfigTracker({
      chainId: 1,
      governor: config.governor,
      oracle: config.ppsOracle,
      startBlock: config.startBlock,
      client,
      head: () => client.getBlock(),
      witness: null,
      confirmations: 3n,
      pollMs: 5,
      clock,
      own,
      dh: async (point) => x25519Shared(encryption.privateKey, toHex(point)),
      store: { read: async () => null, write: async () => undefined },
      onSwitch: async (running) => void switches.push(running),
      emit: (event) => void events.push(event),
    });
    await tracker.poll();
    expect(switches).toMatchObject([{ kind: 'member', index: 0, config: { version: 1n, chainId: 1 } }]);
    expect(events.map(({ type }) => type)).toEqual(['config_active']);
  });

  test.each(chainIds)(
    'default: the newest price of a strategy on chain %i, and what is settled by its node',
    async (id) => {
      const config = configOf(id);
      const { state, strategy, timeAt } = recorded[id];
      const client = chainClient(config);
      const { aggregator, pps_oracle: oracle } = deployments[id];
      const kept: WatchState[] = [];
      const watcher = new EventWatcher({
        chainId: id,
        client,
        head: () => client.getBlock(),
        aggregator,
        oracle,
        clock,
        pollMs: 5,
        keepBlocks: 128n,
        store: { read: async () => null, write: async (_id, next) => void kept.push(next) },
        emit: () => undefined,
      });
      await watcher.poll();
      const times = newestTimes(kept.at(-1) as WatchState);
      const newest = Number(timeAt(state.head - 5n));
      for (const kind of ['validated', 'stored']) expect(times.get(`${kind}:${strategy.toLowerCase()}`)).toBe(newest);

      const rpcs = endpointsOf(client);
      const fees = { ...feeDefaults, maxFeeLimit: 10n ** 11n, maxTip: 10n ** 9n };
      const settings = { ...transmitDefaults, chainId: id, fees, finality: 'finalized', maxAgeSeconds: 270 } as const;
      const view = await lookAtChain(rpcs, strategy, { ...settings, l1FeeOracle: config.l1FeeOracle });
      expect(await view.settledHeight()).toBe(state.head - 75n);
      const fee = await view.l1Fee({ dataBytes: 900, gas: 500_000n });
      expect(fee).toBe(id === 8453 ? 1_000n * 10_000_000n : 0n);
    },
  );
});

test('default: the doctor names what the recorded nodes lack, of each URL, and not its key', async () => {
  const findings = await checkChains(loadChains(chainsFile));
  const found = findings
    .filter(({ state }) => state !== 'ok')
    .map(({ state, subject, found: what }) => `${state} ${subject.split(' ')[0]}: ${what}`);
  expect(found).toEqual([
    'warning ethereum: it has no state of block 23600000, where the log begins',
    expect.stringContaining('ethereum: it has no logs of block 23600000, where the log begins: old data not available'),
    'warning ethereum: it has no state of block 23600000, where the log begins',
  ]);
  expect(JSON.stringify(findings)).not.toContain(key);
});
