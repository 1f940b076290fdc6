import { ListLogEntries, type LogEntry } from '@castellan/contracts';
import { type CallAction, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { ProjectionStore } from '../../../services/analytics/src/adapters/projection-store.mongo.ts';
import { CHAIN, START, wallet } from '../../../services/analytics/src/domain/chain-log.fixture.ts';
import { factOf, vaultSubject } from '../../../services/analytics/src/domain/facts.ts';
import { VaultLog } from '../../../services/analytics/src/domain/vault-log.fixture.ts';
import { openCollections } from '../../../services/analytics/src/models/collections.ts';
import type { Measurer } from '../../../services/analytics/src/projector/measure.ts';
import { Projector } from '../../../services/analytics/src/projector/run.ts';
import { analyticsMetrics } from '../../../services/analytics/src/telemetry.ts';
import { type Connection, gatedConnection } from '../gated-store.ts';
import type { Component, Work } from '../play.ts';
import type { Process, World } from '../world.ts';
import { openDatabase } from './databases.ts';
import { log } from './silent.ts';

const pageSize = 6;
const measurer = { note: () => undefined, flush: async () => undefined } as unknown as Measurer;

class ProjectorScene {
  readonly connection: Connection;
  readonly #world: World;
  readonly #vault = new VaultLog();
  #deposits = 0;

  constructor(world: World, connection: Connection) {
    this.#world = world;
    this.connection = connection;
    this.#deposit(4);
  }

  #deposit(count: number): void {
    for (let n = 0; n < count; n += 1) {
      this.#deposits += 1;
      this.#vault.at(START + this.#deposits * 60).deposit(wallet(0x100), BigInt(this.#deposits) * 1_000_000n);
    }
  }

  get #entries(): readonly LogEntry[] {
    return this.#vault.entries;
  }

  /** The service whose log is projected, as one process reaches it. */
  #callOf(process: Process): CallAction {
    const page = ({ after_seq }: { after_seq: number }) => {
      const last = this.#entries.findLast(({ kind }) => kind !== 'rollback');
      return {
        entries: this.#entries.filter(({ seq }) => seq > after_seq).slice(0, pageSize),
        head_seq: this.#entries.at(-1)?.seq ?? 0,
        indexed_block: last?.block_number ?? null,
        indexed_time: last?.block_time ?? null,
      };
    };
    const answer = ({ name }: { name: string }, params: { after_seq: number }) =>
      name === ListLogEntries.name ? page(params) : { chains: [{ chain_id: CHAIN, lag_seconds: 0 }] };
    return ((action: { name: string }, params: { after_seq: number }) =>
      this.#world.request(process, 'vaults', 'call', async () => answer(action, params))) as unknown as CallAction;
  }

  start(process: Process): Work {
    const mongo = gatedConnection(this.connection, this.#world, process);
    const store = new ProjectionStore(openCollections(mongo));
    const metrics = analyticsMetrics(createRegistry('test'));
    const projector = new Projector({
      store,
      mongo,
      metrics,
      measurer,
      publishMove: () => Promise.resolve(),
      log,
      callAction: this.#callOf(process),
    });
    return { step: async () => ((await projector.step(CHAIN)) === 'rest' ? 'rest' : 'more') };
  }

  /** A fork takes the last two deposits away and brings others. */
  meanwhile(): void {
    this.#vault.chain.rollback(this.#vault.chain.block - 1);
    this.#deposit(3);
  }

  async accounts() {
    const store = new ProjectionStore(this.#collections());
    const cursor = await store.openCursor(CHAIN);
    const subject = vaultSubject(this.#vault.vault);
    const facts = await store.facts(cursor, subject, 0, Number.MAX_SAFE_INTEGER);
    const rollbacks = this.#entries.filter(({ kind }) => kind === 'rollback');
    const isLiving = ({ seq, block_number }: LogEntry) =>
      !rollbacks.some((rollback) => rollback.seq > seq && rollback.block_number <= block_number);
    const living = this.#entries.filter((entry) => isLiving(entry) && factOf(entry)?.subjects.includes(subject));
    return [
      {
        what: 'a fact of each living entry',
        expected: living.map(({ seq }) => `${seq}`),
        seen: facts.map(({ seq }) => `${seq}`),
      },
      {
        what: 'the cursor is at the end',
        expected: [`${this.#entries.at(-1)?.seq}`],
        seen: [`${cursor.after_seq}`],
      },
    ];
  }

  #collections() {
    return {
      cursors: this.connection.collection('cursors'),
      subjects: this.connection.collection('subjects'),
      segments: this.connection.collection('segments'),
    } as unknown as ReturnType<typeof openCollections>;
  }
}

/** Reads the log into the projections of analytics. */
export const analyticsProjector: Component = {
  name: 'the projector of analytics',
  needs: ['store', 'vaults'],
  open: async (world, store) => {
    const connection = await openDatabase(store);
    openCollections(connection);
    await ensureIndexes(connection);
    return new ProjectorScene(world, connection);
  },
};
