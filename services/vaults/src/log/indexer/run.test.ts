import { LeaseLost, Registry } from '@castellan/service-kit';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { EntryDraft } from '../domain/log-entry.ts';
import { logMetrics } from '../telemetry.ts';
import {
  deployedLog,
  FakeChain,
  type FakeLog,
  foreign,
  singletons,
  somethingBy,
  trioOf,
} from './fake-chain.fixture.ts';
import { Crash, MemoryLog, WriteCounter } from './memory-stores.fixture.ts';
import { readsNothing } from './reads-nothing.fixture.ts';
import { ChainIndexer, type IndexerDeps } from './run.ts';

const silent = { error: () => undefined, warn: () => undefined, info: () => undefined, debug: () => undefined };
const logger = { ...silent, child: () => logger } as IndexerDeps['logger'];
const metrics = logMetrics([new Registry()]);

/** Observes each touched vault once, as the real one does. */
const refresher: IndexerDeps['refresher'] = {
  ...readsNothing,
  readDue: async (_vaults, tip, touched = new Map()) => ({
    observations: [...touched.keys()].map(
      (vault): EntryDraft => ({
        kind: 'observation',
        block_number: Number(tip.number),
        block_hash: tip.hash,
        block_time: new Date(Number(tip.timestamp) * 1000).toISOString(),
        tx_hash: null,
        log_index: null,
        address: vault,
        contract: 'vault',
        vault_address: vault,
        name: 'state_observed',
        args: {},
      }),
    ),
    count: touched.size,
    commit: async () => undefined,
    announce: () => undefined,
  }),
};

class World {
  readonly chain = new FakeChain();
  readonly writes = new WriteCounter();
  readonly log = new MemoryLog(this.writes);
  #token = 0;

  indexer(): ChainIndexer {
    this.#token += 1;
    const deps: IndexerDeps = {
      chain: this.chain.known(),
      log: this.log,
      blocks: this.log,
      status: {
        get: async () => ({}),
        setHead: () => this.writes.write(),
        setIndexed: () => this.writes.write(),
        setBackfilled: () => this.writes.write(),
        setPublished: async () => undefined,
      },
      snapshots: {
        rollBack: async () => {
          await this.writes.write();
          return [];
        },
      },
      refresher,
      onAppended: () => undefined,
      metrics,
      logger,
      revisions: { last: 0 },
      initialRange: { size: 3, max: 5 },
    };
    return new ChainIndexer(deps, this.#token);
  }

  /** The living logs, in the order of the log. */
  logged(): string[] {
    return this.log
      .livingEntries()
      .filter(({ kind }) => kind === 'log')
      .map(({ block_hash, log_index }) => `${block_hash}:${log_index}`);
  }
}

/** Steps until there is nothing to do. */
async function settle(world: World, indexer: ChainIndexer): Promise<void> {
  let rests = 0;
  for (let steps = 0; rests < 2; steps += 1) {
    if (steps > 2_000) throw new Error('The indexer never comes to rest.');
    if ((await indexer.step()) === 'rest') rests += 1;
  }
  expect(world.logged()).toEqual(world.chain.expected());
  expect(world.log.entries.map(({ seq }) => seq)).toEqual(world.log.entries.map((_, index) => index + 1));
  const hashes = new Set<string>(world.chain.blocks.map(({ hash }) => hash));
  expect(world.log.livingEntries().filter(({ block_hash }) => !hashes.has(block_hash))).toEqual([]);
  expect(world.log.livingHashes()).toEqual([...hashes].reverse());
}

type LogKind = 'ours' | 'foreign' | 'deploy' | 'vault';
const logKinds = fc.constantFrom<LogKind>('ours', 'foreign', 'deploy', 'vault');
const block = fc.array(logKinds, { maxLength: 3 });
const who = fc.integer({ min: 0, max: 1 });
const operation = fc.oneof(
  fc.record({ do: fc.constant('mine' as const), blocks: fc.array(block, { minLength: 1, maxLength: 8 }) }),
  fc.record({
    do: fc.constant('reorg' as const),
    depth: fc.integer({ min: 1, max: 12 }),
    blocks: fc.array(block, { maxLength: 14 }),
  }),
  fc.record({ do: fc.constant('goBack' as const) }),
  fc.record({ do: fc.constant('step' as const), times: fc.integer({ min: 1, max: 12 }), who }),
  fc.record({ do: fc.constant('crash' as const), afterWrites: fc.integer({ min: 0, max: 12 }), who }),
  // The process stands still before a write; it holds the lease no longer, and does not know.
  fc.record({ do: fc.constant('pause' as const), afterWrites: fc.integer({ min: 0, max: 12 }), who }),
  fc.record({ do: fc.constant('wake' as const) }),
  fc.record({ do: fc.constant('takeLease' as const), who }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

let deployments = 0;
/** A vault's own logs come before its `VaultDeployed`, as on chain: nobody can know its address then. */
function mine(chain: FakeChain, kinds: readonly LogKind[]): void {
  const logs: FakeLog[] = [];
  for (const kind of kinds) {
    const known = chain.deployed().at(-1);
    if (kind === 'ours') logs.push(somethingBy(singletons.aggregator));
    if (kind === 'foreign') logs.push(somethingBy(foreign));
    if (kind === 'vault' && known !== undefined) logs.push(somethingBy(trioOf(known)[0]));
    if (kind === 'deploy') {
      const [vault, , escrow] = trioOf(deployments);
      logs.push(somethingBy(vault), somethingBy(escrow), deployedLog(deployments));
      deployments += 1;
    }
  }
  chain.mine(logs);
}

async function steps(indexer: ChainIndexer, times: number): Promise<'crashed' | 'alive'> {
  for (let nr = 0; nr < times; nr += 1) {
    try {
      await indexer.step();
    } catch (error) {
      if (error instanceof Crash) return 'crashed';
      // A fork in the middle of a range, or another writer: both are done again.
      if (!(error instanceof LeaseLost) && (error as { code?: string }).code !== 'RPC_UNAVAILABLE') throw error;
    }
  }
  return 'alive';
}

/** Two processes that index one chain, and those that were paused and come back when others have taken their place. */
class Writers {
  readonly #world: World;
  readonly #writers: ChainIndexer[];
  readonly #paused: { resume: () => void; done: Promise<unknown> }[] = [];

  constructor(world: World) {
    this.#world = world;
    this.#writers = [world.indexer(), world.indexer()];
  }

  replace(who: number): void {
    this.#writers[who] = this.#world.indexer();
  }

  step(who: number, times: number): Promise<'crashed' | 'alive'> {
    return steps(this.#writers[who] as ChainIndexer, times);
  }

  async crash(who: number, afterWrites: number): Promise<void> {
    const { writes } = this.#world;
    writes.left = afterWrites;
    const end = await this.step(who, 30);
    writes.left = Number.POSITIVE_INFINITY;
    if (end === 'crashed') this.replace(who);
  }

  async pause(who: number, afterWrites: number): Promise<void> {
    const { writes } = this.#world;
    const pausing = writes.pauseAfter(afterWrites);
    const done = this.step(who, 30);
    const resume = await Promise.race([pausing, done.then(() => undefined)]);
    writes.neverPause();
    if (!resume) return;
    this.#paused.push({ resume, done });
    this.replace(who);
  }

  async wake(): Promise<void> {
    const paused = this.#paused.shift();
    paused?.resume();
    await paused?.done;
  }

  /** Everybody who ever held the lease and may still be there tries to write. */
  async allTry(): Promise<void> {
    while (this.#paused.length > 0) await this.wake();
    for (const who of [0, 1]) await this.step(who, 5);
  }
}

async function play(world: World, writers: Writers, item: Operation): Promise<void> {
  switch (item.do) {
    case 'reorg':
      world.chain.cut(item.depth);
      for (const kinds of item.blocks) mine(world.chain, kinds);
      return;
    case 'mine':
      for (const kinds of item.blocks) mine(world.chain, kinds);
      return;
    case 'goBack':
      return world.chain.goBack();
    case 'step':
      return void (await writers.step(item.who, item.times));
    case 'crash':
      return writers.crash(item.who, item.afterWrites);
    case 'pause':
      return writers.pause(item.who, item.afterWrites);
    case 'wake':
      return writers.wake();
    case 'takeLease':
      return writers.replace(item.who);
  }
}

describe('ChainIndexer', () => {
  test('property: whatever forks, crashes and overtaken writers there are, the living log is the chain', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
        deployments = 0;
        const world = new World();
        world.chain.mine([]);
        const writers = new Writers(world);
        for (const item of operations) await play(world, writers, item);
        world.chain.outgrow();
        await settle(world, world.indexer());
        const settled = [...world.log.entries];
        await writers.allTry();
        await settle(world, world.indexer());
        expect(world.log.entries).toEqual(settled);
      }),
      runs(1_000),
    );
  });

  test('behavior: a crash after any single write is repaired by doing the step again', async () => {
    for (let afterWrites = 0; afterWrites < 60; afterWrites += 1) {
      deployments = 0;
      const world = new World();
      for (let nr = 0; nr < 12; nr += 1) mine(world.chain, nr === 3 ? ['deploy'] : ['ours', 'vault', 'foreign']);
      world.writes.left = afterWrites;
      await steps(world.indexer(), 50);
      world.writes.left = Number.POSITIVE_INFINITY;
      await settle(world, world.indexer());
    }
  });

  test('behavior: a writer that was overtaken while it stood still adds nothing, wherever that was', async () => {
    for (let afterWrites = 0; afterWrites < 60; afterWrites += 1) {
      for (const depth of [1, 2, 4, 7, 12]) {
        deployments = 0;
        const world = new World();
        for (let nr = 0; nr < 12; nr += 1) mine(world.chain, nr % 3 === 0 ? ['ours', 'ours', 'ours'] : []);
        const writers = new Writers(world);
        await writers.pause(0, afterWrites);
        const waiting = world.indexer();
        // Nothing of ours is on the new branch, so the end of the log may be where the late writer believes it is.
        world.chain.cut(depth);
        world.chain.outgrow();
        await settle(world, world.indexer());
        const settled = [...world.log.entries];
        await writers.wake();
        await expect(waiting.step()).rejects.toThrow(LeaseLost);
        await settle(world, world.indexer());
        expect(world.log.entries).toEqual(settled);
      }
    }
  });

  test('behavior: a reorg appends a rollback, rewrites nothing, and returned blocks get new entries', async () => {
    const world = new World();
    const indexer = world.indexer();
    for (let nr = 0; nr < 20; nr += 1) world.chain.mine([somethingBy(singletons.aggregator)]);
    await settle(world, indexer);
    const before = structuredClone(world.log.entries);
    world.chain.cut(10);
    for (let nr = 0; nr < 11; nr += 1) world.chain.mine([somethingBy(singletons.aggregator)]);
    await settle(world, indexer);
    expect(world.log.entries.slice(0, before.length)).toEqual(before);
    const [rollback] = world.log.entries.slice(before.length);
    expect(rollback).toMatchObject({ kind: 'rollback', name: 'rollback', block_number: 10 });
    expect(rollback?.block_hash).toBe(world.chain.blocks[9]?.hash);
    world.chain.goBack();
    world.chain.mine([]);
    world.chain.mine([]);
    await settle(world, indexer);
    expect(world.log.entries.filter(({ kind }) => kind === 'rollback')).toHaveLength(2);
  });

  test('behavior: a node that lags behind is waited for, not rolled back to', async () => {
    const world = new World();
    const indexer = world.indexer();
    for (let nr = 0; nr < 20; nr += 1) world.chain.mine([somethingBy(singletons.aggregator)]);
    await settle(world, indexer);
    const ahead = [...world.chain.blocks];
    world.chain.blocks = ahead.slice(0, 15);
    for (let nr = 0; nr < 6; nr += 1) await indexer.step();
    expect(world.log.entries.some(({ kind }) => kind === 'rollback')).toBe(false);
    world.chain.blocks = ahead;
    await settle(world, indexer);
  });

  test('behavior: an allow-list keeps foreign vaults of the same aggregator out', async () => {
    const world = new World();
    world.chain.mine([deployedLog(0), somethingBy(trioOf(0)[0])]);
    const known = world.chain.known();
    const chain = { ...known, config: { ...known.config, vaults: [trioOf(5)[0]] } };
    const indexer = new ChainIndexer(
      {
        chain,
        log: world.log,
        blocks: world.log,
        status: {
          get: async () => ({}),
          setHead: async () => undefined,
          setIndexed: async () => undefined,
          setBackfilled: async () => undefined,
          setPublished: async () => undefined,
        },
        snapshots: {
          rollBack: async () => [],
        },
        refresher,
        onAppended: () => undefined,
        metrics,
        logger,
        revisions: { last: 0 },
      },
      1,
    );
    for (let nr = 0; nr < 6; nr += 1) await indexer.step();
    expect(world.log.entries.map(({ name, vault_address }) => [name, vault_address])).toEqual([
      ['VaultDeployed', null],
    ]);
  });
});
