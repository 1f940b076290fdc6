import type { LogEntry } from '@castellan/contracts';
import { ChainLease, ChainLoop, readWholeBlocks, type Step } from '@castellan/log-follower';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { FeedItems } from '../adapters/feed-items.mongo.ts';
import { FeedStates } from '../adapters/feed-states.mongo.ts';
import type { Thresholds } from '../domain/notable.ts';
import type { FeedCollections } from '../models/feed-collections.ts';
import { recordEntries } from './record-entries.ts';

export type FollowerDeps = {
  collections: FeedCollections;
  items?: Pick<FeedItems, 'record' | 'void'>;
  mongo: Connection;
  callAction: CallAction;
  thresholds: Thresholds;
  log: Logger;
};

/** A feed item names who did it. */
const needsSender = ({ kind }: LogEntry): boolean => kind === 'log';

/** Turns the log of every chain into items of the feed, one writer a chain. */
export class FeedFollower {
  readonly #deps: FollowerDeps;
  readonly #items: Pick<FeedItems, 'record' | 'void'>;
  readonly #lease: ChainLease;
  readonly #loop: ChainLoop;

  constructor(deps: FollowerDeps) {
    const { callAction, collections, log, mongo } = deps;
    this.#deps = deps;
    this.#items = deps.items ?? new FeedItems(collections);
    this.#lease = new ChainLease('feed', mongo);
    this.#loop = new ChainLoop({
      ...{ callAction, log },
      step: (chainId) => this.step(chainId),
      onFailure: (chainId, error) => log.warn('could not read the log for the feed, retrying', { chainId, error }),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** The log grew: do not wait any longer. */
  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#lease.release();
  }

  /** One page. @returns whether there is more, or a block is about to be closed, or nothing to do. */
  async step(chainId: number): Promise<Step> {
    const { callAction, collections, thresholds, log } = this.#deps;
    if (!(await this.#lease.hold(chainId))) return 'rest';
    const states = new FeedStates(collections, chainId);
    const cursor = await states.cursor();
    const read = await readWholeBlocks(callAction, { chainId, afterSeq: cursor.afterSeq, needsSender });
    const { entries, open, endsLog } = read;
    const deep = entries.findLast(({ kind, block_number }) => kind === 'rollback' && block_number < cursor.keptFrom);
    if (deep) {
      log.info('reading the log again for the feed after a deep rollback', { chainId });
      await states.restart(cursor, deep.seq);
      return 'more';
    }
    const last = entries.at(-1);
    if (last) {
      const vaults = await recordEntries({ items: this.#items, states }, entries, thresholds);
      await states.advance(cursor, { seq: last.seq, block: last.block_number, vaults });
    }
    if (!endsLog) return 'more';
    return open > 0 ? 'closing' : 'rest';
  }
}
