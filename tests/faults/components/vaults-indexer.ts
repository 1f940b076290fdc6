import { ChainStream, type EventData, LogGrew, RoleStream, UpdateStream } from '@castellan/contracts';
import { createRegistry, defineStreams, ensureIndexes, streamNameOf } from '@castellan/service-kit';
import { mongoBlockStore } from '../../../services/vaults/src/log/adapters/block-store.mongo.ts';
import { mongoChainLog } from '../../../services/vaults/src/log/adapters/chain-log.mongo.ts';
import { mongoChainStatus } from '../../../services/vaults/src/log/adapters/chain-status.mongo.ts';
import { isLive, rollbacksOf } from '../../../services/vaults/src/log/domain/log-entry.ts';
import {
  deployedLog,
  FakeChain,
  fakeConfig,
  singletons,
  somethingBy,
  trioOf,
} from '../../../services/vaults/src/log/indexer/fake-chain.fixture.ts';
import { logPublisher } from '../../../services/vaults/src/log/indexer/publish.ts';
import { readsNothing } from '../../../services/vaults/src/log/indexer/reads-nothing.fixture.ts';
import { ChainIndexer, type IndexerDeps } from '../../../services/vaults/src/log/indexer/run.ts';
import { vaultsMetrics } from '../../../services/vaults/src/telemetry.ts';
import { type Connection, gatedConnection } from '../gated-store.ts';
import { MemoryBus } from '../memory-bus.ts';
import type { Component, Work } from '../play.ts';
import { Process, type World } from '../world.ts';
import { openDatabase } from './databases.ts';
import { log } from './silent.ts';

const { chainId } = fakeConfig;
const namespace = 'faults';

/** What reads vaults at the head is not part of the scene. */
const withoutVaults: Pick<IndexerDeps, 'snapshots' | 'refresher'> = {
  snapshots: {
    rollBack: async () => [],
  },
  refresher: readsNothing,
};

class IndexerScene {
  readonly connection: Connection;
  readonly #world: World;
  readonly #bus: MemoryBus;
  readonly #chain = new FakeChain();
  #token = 0;

  constructor(world: World, connection: Connection) {
    this.#world = world;
    this.connection = connection;
    this.#bus = new MemoryBus(world, log);
    this.#chain.mine([]);
    this.#chain.mine([somethingBy(singletons.aggregator), deployedLog(0)]);
    for (let block = 0; block < 4; block += 1)
      this.#chain.mine([somethingBy(trioOf(0)[0]), somethingBy(singletons.aggregator)]);
  }

  async prepare(): Promise<void> {
    this.#parts(this.connection);
    await ensureIndexes(this.connection);
  }

  #parts(connection: Connection) {
    return {
      log: mongoChainLog(connection),
      blocks: mongoBlockStore(connection),
      status: mongoChainStatus(connection),
    };
  }

  /** The chain's node as one process reaches it. */
  #nodeOf(process: Process): FakeChain {
    const chain = this.#chain;
    return Object.assign(Object.create(chain) as FakeChain, {
      answer: (method: string, params: readonly unknown[]) =>
        this.#world.request(process, 'node', method, async () => chain.answer(method, params)),
    });
  }

  async start(process: Process): Promise<Work> {
    this.#token += 1;
    const parts = this.#parts(gatedConnection(this.connection, this.#world, process));
    const bus = this.#bus.of(process, namespace);
    await defineStreams(bus, [ChainStream, UpdateStream, RoleStream]);
    const metrics = vaultsMetrics(createRegistry('test'));
    const shared = { metrics, logger: log, revisions: { last: 0 } };
    const chain = this.#nodeOf(process).known();
    const initialRange = { size: 3, max: 5 };
    const indexer = new ChainIndexer(
      { ...parts, ...withoutVaults, ...shared, chain, onAppended: () => undefined, initialRange },
      this.#token,
    );
    const publisher = logPublisher({ ...parts, ...shared, chainId, bus });
    return {
      step: async () => {
        await publisher.flush();
        // At its end the indexer polls and rests by turns.
        return (await indexer.step()) === 'rest' ? 'rest' : indexer.step();
      },
    };
  }

  /** A fork that takes blocks away which may be in the log, and goes on longer. */
  meanwhile(): void {
    this.#chain.cut(2);
    for (let block = 0; block < 3; block += 1) this.#chain.mine([somethingBy(trioOf(0)[0])]);
    this.#chain.outgrow();
  }

  async accounts() {
    const { log: stored } = this.#parts(gatedConnection(this.connection, this.#world, new Process()));
    const entries = await stored.page(chainId, 0, 10_000);
    const living = entries.filter((entry) => entry.kind === 'log' && isLive(entry, rollbacksOf(entries)));
    const woken = this.#bus.messages(streamNameOf(namespace, LogGrew.stream)) as EventData<typeof LogGrew>[];
    return [
      {
        what: 'the living log is the chain',
        expected: this.#chain.expected(),
        seen: living.map(({ block_hash, log_index }) => `${block_hash}:${log_index}`),
      },
      {
        what: 'the log has no gap',
        expected: entries.map((_, index) => `${index + 1}`),
        seen: entries.map(({ seq }) => `${seq}`),
      },
      {
        what: 'readers are woken up to the end of the log',
        expected: [`${entries.length}`],
        seen: [`${Math.max(...woken.map(({ head_seq }) => head_seq))}`],
      },
    ];
  }
}

/** Reads a chain into the canonical log, and publishes it. */
export const vaultsIndexer: Component = {
  name: 'the indexer of vaults and its publisher',
  needs: ['store', 'bus', 'node'],
  open: async (world, store) => {
    const scene = new IndexerScene(world, await openDatabase(store));
    await scene.prepare();
    return scene;
  },
};
