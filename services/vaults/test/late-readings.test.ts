import { AppError } from '@castellan/contracts';
import { createLogger, createRegistry } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import {
  deployedLog,
  FakeChain,
  fakeConfig,
  singletons,
  somethingBy,
  trioOf,
} from '../src/log/indexer/fake-chain.fixture.ts';
import { MemoryLog, WriteCounter } from '../src/log/indexer/memory-stores.fixture.ts';
import { ChainIndexer } from '../src/log/indexer/run.ts';
import type { ChainStatus } from '../src/log/ports.ts';
import { logMetrics } from '../src/log/telemetry.ts';
import { vaultMetrics } from '../src/vault/telemetry.ts';
import type { VaultReader } from '../src/vault/use-cases/read-vault.ts';
import { VaultRefresher } from '../src/vault/use-cases/refresh.ts';

/** The indexer with a node that answers for logs, and late or not at all for the state of vaults. */

const VAULTS = 20;
const [touched] = trioOf(0);
const log = createLogger({ service: 'test', level: 'silent' });
const appointed = { wallet: '0xb0', grantedBy: null, grantedAt: '2026-01-01T00:00:00.000Z' };
/** Just enough of a vault that its observation can be written. */
const state = {
  ...{ totalSupply: 0n, idleAssets: 0n, precision: 1n, sources: [], secondaryManagers: [], price: null },
  ...{ asset: { address: touched, decimals: 6 }, fees: { recipient: touched }, upkeep: { costPerUpdate: null } },
  primaryManager: touched,
};

type Node = 'answers' | 'hangs' | 'refuses' | 'reverts';

class World {
  readonly chain = new FakeChain();
  readonly log = new MemoryLog(new WriteCounter());
  readonly clock = { ms: 0 };
  readonly status: ChainStatus = {};
  /** What was asked of the node, and what was stored of it. */
  readonly asked: { vault: string; block: number }[] = [];
  readonly kept: { vault: string; block: number }[] = [];
  readonly waits: number[] = [];
  node: Node = 'answers';
  /** The one vault that this is about; all of them without it. */
  only: string | undefined;
  #open: ((fault?: Error) => void)[] = [];
  #token = 0;

  constructor() {
    this.chain.mine(Array.from({ length: VAULTS }, (_, index) => deployedLog(index)));
  }

  /** What hangs is answered, as of the block that it was asked for. */
  answer(): void {
    this.node = 'answers';
    for (const open of this.#open.splice(0)) open();
  }

  /** What hangs comes to nothing. */
  fail(): void {
    for (const open of this.#open.splice(0)) open(new Error('The contract is not there.'));
  }

  readonly #reader: VaultReader = {
    read: async (_chain, { vault }, tip) => {
      this.asked.push({ vault: vault.toLowerCase(), block: Number(tip.number) });
      const node = (this.only ?? vault.toLowerCase()) === vault.toLowerCase() ? this.node : 'answers';
      if (node === 'refuses') throw new AppError('RPC_UNAVAILABLE', 'The node refuses.');
      if (node === 'reverts') throw new Error('The contract reverted.');
      if (node === 'hangs')
        await new Promise<void>((resolve, reject) => this.#open.push((fault) => (fault ? reject(fault) : resolve())));
      const snapshot = {
        ...{ chain_id: fakeConfig.chainId, vault: vault.toLowerCase(), detail: {} },
        ...{ block_number: Number(tip.number), block_hash: tip.hash },
        managers: { primary: appointed, secondary: [] },
      };
      const block = { blockNumber: tip.number, blockHash: tip.hash, blockTimestamp: tip.timestamp };
      return { state: { ...state, ...block }, snapshot } as never;
    },
  };

  indexer(): ChainIndexer {
    const chain = this.chain.known();
    const refresher = new VaultRefresher(chain, {
      reader: this.#reader,
      snapshots: {
        save: async ({ vault, block_number }) => this.kept.push({ vault, block: block_number }) > 0,
      },
      announce: async () => undefined,
      announceRoles: async () => undefined,
      announceGone: async () => undefined,
      metrics: { ...vaultMetrics([createRegistry('test')]), observeVault: () => undefined },
      log,
      now: () => this.clock.ms,
      sleep: async (ms) => {
        // Whatever is answered at all has been by then.
        for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
        this.waits.push(ms);
      },
      snapshotMs: 13_000,
    });
    const set = async (fields: ChainStatus) => void Object.assign(this.status, fields);
    this.#token += 1;
    const deps = {
      ...{ chain, log: this.log, blocks: this.log, refresher, logger: log, revisions: { last: 0 } },
      status: {
        get: async () => ({ ...this.status }),
        setHead: async () => undefined,
        setIndexed: (_writer: unknown, tip: { number: bigint } | null) =>
          set({ indexed_block: tip && Number(tip.number) }),
        setBackfilled: () => set({ backfilled: true }),
        setPublished: async () => undefined,
      },
      snapshots: { rollBack: async () => [] },
      onAppended: () => undefined,
      metrics: logMetrics([createRegistry('test')]),
      initialRange: { size: 20, max: 20 },
    };
    return new ChainIndexer(deps, this.#token);
  }

  /** Mines a block and indexes it. */
  async block(indexer: ChainIndexer, logs = [somethingBy(touched)]): Promise<void> {
    this.chain.mine(logs);
    this.clock.ms += 1_000;
    await rest(indexer);
  }

  covered = () => this.log.livingHashes().length;
  observedAt = (vault: string) =>
    this.log.entries
      .filter(({ name, vault_address }) => name === 'state_observed' && vault_address?.toLowerCase() === vault)
      .map(({ block_number }) => block_number);
  /** Blocks of entries, in the order of the log. */
  order = () => this.log.entries.map(({ block_number }) => block_number);
}

async function rest(indexer: ChainIndexer): Promise<void> {
  while ((await indexer.step()) !== 'rest');
}

async function aRunningWorld() {
  const world = new World();
  const indexer = world.indexer();
  await rest(indexer);
  expect([world.covered(), world.status.indexed_block, world.kept.length]).toEqual([1, 0, VAULTS]);
  return { world, indexer };
}

test.each<Node>(['hangs', 'refuses'])(
  'default: the log goes on while the node %s, and readings follow',
  async (node) => {
    const { world, indexer } = await aRunningWorld();
    world.node = node;
    world.clock.ms += 20_000;
    await world.block(indexer, [somethingBy(singletons.aggregator)]);
    // No event was about a vault, so nothing that is answered of the block is older than it.
    expect([world.covered(), world.status.indexed_block]).toEqual([2, 1]);
    const before = world.asked.length;
    for (let blocks = 0; blocks < 5; blocks += 1) await world.block(indexer);
    expect([world.covered(), world.status.indexed_block]).toEqual([7, 1]);
    // Bounded: each vault is asked for once at a time, eight at once.
    expect(world.asked.length - before).toBeLessThanOrEqual(node === 'hangs' ? 0 : 6 * 2 * 8);
    world.answer();
    world.clock.ms += 2_000;
    for (let blocks = 0; blocks < 2; blocks += 1) await world.block(indexer, []);
    expect([world.covered(), world.status.indexed_block]).toEqual([9, 8]);
    expect(new Set(world.kept.slice(VAULTS).map(({ vault }) => vault)).size).toBe(VAULTS);
    // No vault is left out of the history because its node was late, and the log stays in the order of blocks.
    for (let index = 0; index < VAULTS; index += 1)
      expect(world.observedAt(trioOf(index)[0]).at(-1)).toBeGreaterThan(6);
    expect(world.order()).toEqual([...world.order()].sort((a, b) => a - b));
  },
);

test('behavior: what is read after a delay is the newest block, the vault with events first', async () => {
  const { world, indexer } = await aRunningWorld();
  world.node = 'refuses';
  world.clock.ms += 20_000;
  for (let blocks = 0; blocks < 3; blocks += 1) await world.block(indexer);
  world.answer();
  world.clock.ms += 15_000;
  world.asked.length = 0;
  await world.block(indexer, []);
  expect(world.asked[0]).toEqual({ vault: touched, block: 4 });
  expect(new Set(world.asked.map(({ block }) => block))).toEqual(new Set([4]));
  expect(world.asked).toHaveLength(VAULTS);
});

test('behavior: the log waits longer for an observation that is overdue, once in a cadence', async () => {
  const { world, indexer } = await aRunningWorld();
  world.node = 'hangs';
  for (let blocks = 0; blocks < 40; blocks += 1) await world.block(indexer);
  const long = world.waits.filter((ms) => ms > 2_000);
  expect(long.length).toBe(Math.floor(39 / fakeConfig.observationCadenceSeconds));
  expect(world.covered()).toBe(41);
});

test('error: a process that takes over does not count a block as indexed whose vaults its predecessor had not read', async () => {
  const { world, indexer } = await aRunningWorld();
  world.node = 'hangs';
  await world.block(indexer);
  expect([world.covered(), world.status.indexed_block]).toEqual([2, 0]);
  const next = world.indexer();
  await rest(next);
  expect(world.status.indexed_block).toBe(0);
  world.answer();
  await rest(next);
  await rest(next);
  expect(world.status.indexed_block).toBe(1);
});

test('error: after a reorganisation no block counts as indexed before all vaults are read on the new branch', async () => {
  const { world, indexer } = await aRunningWorld();
  for (let blocks = 0; blocks < 3; blocks += 1) await world.block(indexer);
  expect(world.status.indexed_block).toBe(3);
  world.node = 'hangs';
  world.chain.cut(2);
  for (let blocks = 0; blocks < 4; blocks += 1) world.chain.mine([]);
  await rest(indexer);
  await rest(indexer);
  expect([world.covered(), world.status.indexed_block]).toEqual([6, 1]);
  world.answer();
  await rest(indexer);
  await rest(indexer);
  expect(world.status.indexed_block).toBe(5);
});

test('error: a reading of the old branch that fails after a reorganisation says nothing of the new one', async () => {
  const { world, indexer } = await aRunningWorld();
  Object.assign(world, { node: 'hangs', only: touched });
  await world.block(indexer);
  world.chain.cut(1);
  for (let blocks = 0; blocks < 3; blocks += 1) world.chain.mine([]);
  await rest(indexer);
  world.fail();
  await rest(indexer);
  await rest(indexer);
  expect([world.covered(), world.status.indexed_block]).toEqual([4, 0]);
});

test('error: a vault that left the chain with its branch holds nothing back', async () => {
  const { world, indexer } = await aRunningWorld();
  world.node = 'hangs';
  await world.block(indexer, [deployedLog(VAULTS)]);
  expect(world.status.indexed_block).toBe(0);
  world.chain.cut(1);
  world.chain.mine([]);
  world.chain.mine([]);
  await rest(indexer);
  world.answer();
  await rest(indexer);
  await rest(indexer);
  expect(world.status.indexed_block).toBe(2);
});

test('error: a vault that no node can read holds nothing back', async () => {
  const { world, indexer } = await aRunningWorld();
  world.node = 'reverts';
  await world.block(indexer);
  expect([world.covered(), world.status.indexed_block]).toEqual([2, 1]);
});

test.each(['runs', 'is started'])(
  'error: many blocks that a process finds when it %s count when their vaults are read',
  async (when) => {
    const { world, indexer } = await aRunningWorld();
    for (let blocks = 0; blocks < 90; blocks += 1) world.chain.mine(blocks < 10 ? [somethingBy(touched)] : []);
    world.node = 'hangs';
    const next = when === 'runs' ? indexer : world.indexer();
    await rest(next);
    expect([world.covered() > 80, world.status.indexed_block]).toEqual([true, 0]);
    world.answer();
    await rest(next);
    await rest(next);
    expect(world.status.indexed_block).toBe(90);
  },
);
