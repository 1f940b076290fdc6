import type { LogEntry } from '@castellan/contracts';
import type { EntryDraft, Rollback } from './domain/log-entry.ts';
import type { Block } from './indexer/read-range.ts';

/** Where the log ends, as its writer knows it, and the lease token that the writer took it over with. */
export type LogHead = { token: number; seq: number; rollbacks: readonly Rollback[] };

/** Another writer has taken the log over or written since: what was planned on the old log must be planned again. */
export class LogMoved extends Error {
  constructor() {
    super('The log has moved on under this writer.');
    this.name = 'LogMoved';
  }
}

/**
 * The canonical log of events with the blocks it covers, as its writer uses it. Each write is one atomic step that asks for
 * the writer's token and for the end of the log it was planned on, so a writer that was overtaken while it slept adds nothing.
 */
export type LogWriter = {
  /**
   * Shuts out every writer with a lower token, and completes what the last one had begun.
   * @throws LogMoved when a writer with a higher token has been here.
   */
  takeOver(chainId: number, token: number): Promise<LogHead>;
  /**
   * Appends what the living log does not hold yet, numbered after `head`.
   * @throws LogMoved when `head` is no longer the log's.
   */
  append(
    chainId: number,
    head: LogHead,
    drafts: readonly EntryDraft[],
  ): Promise<{ head: LogHead; appended: LogEntry[] }>;
  /**
   * Makes blocks known whose logs are all in the log; `checkpoint` keeps them for ever.
   * @throws LogMoved when `head` is no longer the log's.
   */
  cover(chainId: number, head: LogHead, blocks: readonly Block[], options: { checkpoint: boolean }): Promise<void>;
  /** Blocks of living entries above a block, ascending by number. */
  blocksAbove(chainId: number, head: LogHead, block: bigint): Promise<Block[]>;
  /** Living entries of some names, oldest first. */
  livingNamed(chainId: number, head: LogHead, names: readonly string[]): Promise<LogEntry[]>;
};

/** The covered blocks; the newest living one is the tip. */
export type BlockStore = {
  /** Newest first; those that a rollback voids are left out. */
  living(chainId: number, head: LogHead): Promise<Block[]>;
};
