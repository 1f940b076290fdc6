import { randomUUID } from 'node:crypto';
import { type Chain, ListChains, ListLogEntries } from '@castellan/contracts';
import { acquireLease, type CallAction, type Logger, releaseLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { ProjectionMoved, type ProjectionStore } from '../adapters/projection-store.mongo.ts';
import type { CursorDocument } from '../models/collections.ts';
import type { AnalyticsMetrics } from '../telemetry.ts';
import type { Measurer } from './measure.ts';
import { projectPage } from './project.ts';

const PAGE = 1000;
const LEASE_MS = 15_000;
/** A wake-up that is lost is made up for after this. */
const IDLE_MS = 2_000;
/** The indexer closes a block a moment after its entries are there. */
const CLOSING_MS = 100;
const RETRY_MS = 1_000;
/** The first reading counts as complete once the indexer is this near its chain's head. */
const NEAR_HEAD_SECONDS = 120;

export type ProjectorDeps = {
  store: ProjectionStore;
  mongo: Connection;
  callAction: CallAction;
  metrics: AnalyticsMetrics;
  measurer: Measurer;
  log: Logger;
  now: () => Date;
};

/** Reads the log of every chain into the projections, one writer a chain. */
export class Projector {
  readonly #deps: ProjectorDeps;
  readonly #holder = randomUUID();
  readonly #chains = new Set<number>();
  readonly #running: Promise<void>[] = [];
  readonly #sleepers = new Set<() => void>();
  #stopping = false;
  #reachable = false;

  constructor(deps: ProjectorDeps) {
    this.#deps = deps;
  }

  /** Whether the log could be read lately. */
  get isReachable(): boolean {
    return this.#reachable;
  }

  start(): void {
    this.#running.push(this.#findChains());
  }

  /** The log grew: do not wait any longer. */
  wake(): void {
    for (const wakeUp of this.#sleepers) wakeUp();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await Promise.all(this.#running);
    for (const chainId of this.#chains)
      await releaseLease(this.#deps.mongo, { name: leaseOf(chainId), holder: this.#holder });
  }

  #sleep(ms: number): Promise<void> {
    if (this.#stopping) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#sleepers.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#sleepers.add(done);
    });
  }

  async #findChains(): Promise<void> {
    while (!this.#stopping) {
      try {
        const { chains } = await this.#deps.callAction(ListChains, {});
        for (const { chain_id } of chains) {
          if (this.#chains.has(chain_id)) continue;
          this.#chains.add(chain_id);
          this.#running.push(this.#follow(chain_id));
        }
      } catch (error) {
        this.#deps.log.debug('the chains are not known yet', { error: error as Error });
      }
      await this.#sleep(this.#chains.size === 0 ? RETRY_MS : 10 * IDLE_MS);
    }
  }

  async #follow(chainId: number): Promise<void> {
    const { log, metrics } = this.#deps;
    while (!this.#stopping) {
      try {
        const next = await this.#step(chainId);
        this.#reachable = true;
        if (next !== 'more') await this.#sleep(next === 'closing' ? CLOSING_MS : IDLE_MS);
      } catch (error) {
        this.#reachable = false;
        metrics.failures.inc({ chain_id: String(chainId) });
        const isRace = error instanceof ProjectionMoved;
        log[isRace ? 'info' : 'warn']('the projection waits', { chainId, error: error as Error });
        await this.#sleep(RETRY_MS);
      }
    }
  }

  /** One page. @returns whether there is more, or a block is about to be closed, or nothing to do. */
  async #step(chainId: number): Promise<'more' | 'closing' | 'rest'> {
    const { mongo, now, store, metrics, callAction, log } = this.#deps;
    const lease = await acquireLease(mongo, { name: leaseOf(chainId), holder: this.#holder, ttlMs: LEASE_MS, now });
    if (!lease) return 'rest';
    let cursor = await store.openCursor(chainId);
    if (cursor.rebuild_requested || cursor.busy) {
      // A removal that was cut short is not known to be whole: begin again.
      log.info('the projection begins again', { chainId, asked: cursor.rebuild_requested });
      cursor = await store.clear(cursor);
    }
    const page = await callAction(ListLogEntries, { chain_id: chainId, after_seq: cursor.after_seq, limit: PAGE });
    const endsLog = (page.entries.at(-1)?.seq ?? cursor.after_seq) >= page.head_seq;
    const isOpen = cursor.last !== null && cursor.last.block !== cursor.tip?.block;
    const isCovered = page.indexed_block === null || cursor.covered?.block === page.indexed_block;
    if (page.entries.length === 0 && !isOpen && isCovered && cursor.caught_up) return 'rest';
    const caughtUp = endsLog && !cursor.caught_up ? await this.#isIndexed(chainId) : false;
    const moved = await projectPage(store, cursor, page, caughtUp);
    metrics.entries.inc({ chain_id: String(chainId) }, page.entries.length);
    metrics.behind.set({ chain_id: String(chainId) }, Math.max(0, page.head_seq - moved.after_seq));
    tellFirst(log, cursor, moved);
    this.#deps.measurer.note(chainId, page.entries);
    if (!endsLog) return 'more';
    if (moved.last?.block !== moved.tip?.block) return 'closing';
    if (moved.caught_up) void this.#deps.measurer.flush(moved.after_seq);
    return 'rest';
  }

  /** Whether the indexer itself is near the head of its chain. */
  async #isIndexed(chainId: number): Promise<boolean> {
    const { chains } = await this.#deps.callAction(ListChains, {});
    const chain = chains.find(({ chain_id }: Chain) => chain_id === chainId);
    return chain?.lag_seconds !== null && chain?.lag_seconds !== undefined && chain.lag_seconds < NEAR_HEAD_SECONDS;
  }
}

const leaseOf = (chainId: number): string => `projector:${chainId}`;

function tellFirst(log: Logger, before: CursorDocument, after: CursorDocument): void {
  if (before.caught_up || !after.caught_up) return;
  log.info('the projection has caught up', { chainId: after.chain_id, seq: after.after_seq });
}
