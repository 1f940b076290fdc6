import { randomUUID } from 'node:crypto';
import { ListChains, ListLogEntries, type LogEntry } from '@castellan/contracts';
import { acquireLease, type CallAction, type Logger, releaseLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { FeedItems } from '../adapters/feed.mongo.ts';
import { FeedStates } from '../adapters/feed-states.mongo.ts';
import type { FeedCollections } from '../models/feed-collections.ts';
import { closedCount } from './closed-entries.ts';
import type { Thresholds } from './notable.ts';
import { recordEntries } from './record-entries.ts';

const PAGE = 1000;
const LEASE_MS = 15_000;
/** A wake-up that is lost is made up for after this. */
const IDLE_MS = 2_000;
/** The indexer closes a block a moment after its entries are there. */
const CLOSING_MS = 100;
const RETRY_MS = 1_000;

export type FollowerDeps = {
  collections: FeedCollections;
  items?: Pick<FeedItems, 'tell' | 'void'>;
  mongo: Connection;
  callAction: CallAction;
  thresholds: Thresholds;
  log: Logger;
  now: () => Date;
};

const leaseOf = (chainId: number): string => `feed:${chainId}`;

/** Turns the log of every chain into items of the feed, one writer a chain. */
export class FeedFollower {
  readonly #deps: FollowerDeps;
  readonly #items: Pick<FeedItems, 'tell' | 'void'>;
  readonly #holder = randomUUID();
  readonly #chains = new Set<number>();
  readonly #running: Promise<void>[] = [];
  readonly #sleepers = new Set<() => void>();
  #stopping = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
    this.#items = deps.items ?? new FeedItems(deps.collections);
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
    while (!this.#stopping) {
      try {
        const next = await this.step(chainId);
        if (next !== 'more') await this.#sleep(next === 'closing' ? CLOSING_MS : IDLE_MS);
      } catch (error) {
        this.#deps.log.warn('the feed waits for the log', { chainId, error: error as Error });
        await this.#sleep(RETRY_MS);
      }
    }
  }

  /** One page. @returns whether there is more, or a block is about to be closed, or nothing to do. */
  async step(chainId: number): Promise<'more' | 'closing' | 'rest'> {
    const { collections, mongo, now, thresholds, log } = this.#deps;
    const lease = await acquireLease(mongo, { name: leaseOf(chainId), holder: this.#holder, ttlMs: LEASE_MS, now });
    if (!lease) return 'rest';
    const states = new FeedStates(collections, chainId);
    const cursor = await states.cursor();
    const { entries, closed, endsLog } = await this.#read(chainId, cursor.afterSeq);
    const page = entries.slice(0, closed);
    const deep = page.findLast(({ kind, block_number }) => kind === 'rollback' && block_number < cursor.keptFrom);
    if (deep) {
      log.info('the feed reads the log again, a rollback went far back', { chainId });
      await states.restart(cursor, deep.seq);
      return 'more';
    }
    const last = page.at(-1);
    if (last) {
      const vaults = await recordEntries({ items: this.#items, states }, page, thresholds);
      await states.advance(cursor, { seq: last.seq, block: last.block_number, vaults });
    }
    if (!endsLog) return 'more';
    return closed < entries.length ? 'closing' : 'rest';
  }

  /** Entries after `afterSeq`, until a block is whole or the log ends. */
  async #read(chainId: number, afterSeq: number): Promise<{ entries: LogEntry[]; closed: number; endsLog: boolean }> {
    const entries: LogEntry[] = [];
    for (;;) {
      const after_seq = entries.at(-1)?.seq ?? afterSeq;
      const page = await this.#deps.callAction(ListLogEntries, { chain_id: chainId, after_seq, limit: PAGE });
      entries.push(...page.entries);
      const endsLog = page.entries.length === 0 || (entries.at(-1)?.seq ?? afterSeq) >= page.head_seq;
      const closed = closedCount(entries, page.indexed_block, endsLog);
      if (closed > 0 || endsLog) return { entries, closed, endsLog };
    }
  }
}
