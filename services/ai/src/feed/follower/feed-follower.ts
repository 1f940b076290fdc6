import type { LogEntry } from '@castellan/contracts';
import { ChainFollower, readWholeBlocks, type Step } from '@castellan/log-follower';
import type { CallAction, Logger } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { FeedItems } from '../adapters/feed-items.mongo.ts';
import { type Cursor, FeedStates } from '../adapters/feed-states.mongo.ts';
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

/** A block without entries means nothing here. */
const SWEEP_MS = 20_000;

/** Turns the log of every chain into items of the feed, one writer a chain. */
export class FeedFollower extends ChainFollower {
  readonly #deps: FollowerDeps;
  readonly #items: Pick<FeedItems, 'record' | 'void'>;
  /** As the last step of this process left them; dropped by a step that fails, or that another process was ahead of. */
  readonly #cursors = new Map<number, Cursor>();

  constructor(deps: FollowerDeps) {
    super({ ...deps, purpose: 'feed', sweepMs: SWEEP_MS });
    this.#deps = deps;
    this.#items = deps.items ?? new FeedItems(deps.collections);
  }

  protected override onFailure(chainId: number, error: Error): void {
    this.#deps.log.warn('could not read the log for the feed, retrying', { chainId, error });
  }

  protected override async readOn(chainId: number): Promise<Step> {
    const { callAction, collections, thresholds, log } = this.#deps;
    const states = new FeedStates(collections, chainId);
    const cursor: Cursor = this.#cursors.get(chainId) ?? (await states.cursor());
    this.#cursors.delete(chainId);
    const read = await readWholeBlocks(callAction, { chainId, afterSeq: cursor.afterSeq, needsSender });
    const { entries, open, endsLog } = read;
    const { keptFrom } = cursor;
    const deep = entries.findLast(({ kind, block_number }) => kind === 'rollback' && block_number < keptFrom);
    if (deep) {
      log.info('reading the log again for the feed after a deep rollback', { chainId });
      await states.restart(cursor, deep.seq);
      return 'more';
    }
    const last = entries.at(-1);
    const advance = async (to: LogEntry): Promise<Cursor | undefined> => {
      const vaults = await recordEntries({ items: this.#items, states }, entries, thresholds);
      return states.advance(cursor, { seq: to.seq, block: to.block_number, vaults });
    };
    const advanced = last ? await this.inTracesOf(chainId, read.traces, () => advance(last)) : cursor;
    if (advanced) this.#cursors.set(chainId, advanced);
    if (!endsLog) return 'more';
    return open > 0 ? 'closing' : 'rest';
  }
}
