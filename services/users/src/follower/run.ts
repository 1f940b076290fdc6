import { randomUUID } from 'node:crypto';
import { ListChains, ListLogEntries, type LogEntry } from '@castellan/contracts';
import { acquireLease, type CallAction, type Logger, releaseLease } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { AuditLog } from '../adapters/audit-log.mongo.ts';
import { closedCount } from '../domain/closed-entries.ts';
import type { Collections } from '../models/collections.ts';
import { recordEntries } from './record-entries.ts';

const PAGE = 1000;
const LEASE_MS = 15_000;
/** A wake-up that is lost is made up for after this. */
const IDLE_MS = 2_000;
/** The indexer closes a block a moment after its entries are there. */
const CLOSING_MS = 100;
const RETRY_MS = 1_000;

export type FollowerDeps = {
  collections: Pick<Collections, 'cursors'>;
  auditLog: AuditLog;
  mongo: Connection;
  callAction: CallAction;
  log: Logger;
  now: () => Date;
};

const leaseOf = (chainId: number): string => `audit:${chainId}`;

/** Turns the log of every chain into audit rows, one writer a chain. */
export class LogFollower {
  readonly #deps: FollowerDeps;
  readonly #holder = randomUUID();
  readonly #chains = new Set<number>();
  readonly #running: Promise<void>[] = [];
  readonly #sleepers = new Set<() => void>();
  #stopping = false;

  constructor(deps: FollowerDeps) {
    this.#deps = deps;
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
        this.#deps.log.warn('changes on chain wait for their audit rows', { chainId, error: error as Error });
        await this.#sleep(RETRY_MS);
      }
    }
  }

  /** One page. @returns whether there is more, or a block is about to be closed, or nothing to do. */
  async step(chainId: number): Promise<'more' | 'closing' | 'rest'> {
    const { auditLog, collections, mongo, now } = this.#deps;
    const lease = await acquireLease(mongo, { name: leaseOf(chainId), holder: this.#holder, ttlMs: LEASE_MS, now });
    if (!lease) return 'rest';
    const cursor = await collections.cursors.findOne({ chain_id: chainId });
    const { entries, closed, endsLog } = await this.#read(chainId, cursor?.after_seq ?? 0);
    const last = entries[closed - 1];
    if (last) {
      await recordEntries(auditLog, entries.slice(0, closed));
      const moved = { $max: { after_seq: last.seq } };
      await collections.cursors.updateOne({ chain_id: chainId }, moved, { upsert: true });
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
