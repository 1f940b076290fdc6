import type { LogEntry } from '@castellan/contracts';
import type { EntryDraft, Rollback } from '../domain/log-entry.ts';
import type { Block } from './read-range.ts';

/** Where the log ends, as its writer knows it. */
export type LogHead = { seq: number; rollbacks: readonly Rollback[] };

/** Another writer has written since: what was planned on the old log must be planned again. */
export class LogMoved extends Error {
  constructor() {
    super('The log has moved on under this writer.');
    this.name = 'LogMoved';
  }
}

/** The canonical log of events, as its writer uses it. */
export type LogWriter = {
  head(chainId: number): Promise<LogHead>;
  /**
   * Appends what the living log does not hold yet, numbered after `head`.
   * @throws LogMoved when `head` is no longer the log's: two writers never both succeed with the same number.
   */
  append(
    chainId: number,
    head: LogHead,
    drafts: readonly EntryDraft[],
  ): Promise<{ head: LogHead; appended: LogEntry[] }>;
  /** Number of the log's last entry. */
  lastSeq(chainId: number): Promise<number>;
  /** Blocks of living entries that come after a place in the log or lie above a block, ascending by number. */
  blocksBeyond(chainId: number, head: LogHead, beyond: { seq: number; block: bigint }): Promise<Block[]>;
  /** Living entries of some names, oldest first. */
  livingNamed(chainId: number, head: LogHead, names: readonly string[]): Promise<LogEntry[]>;
};

/** `seq`: where the log ended when the block was stored. */
export type StoredBlock = Block & { seq: number };

/** Blocks whose logs are all in the log; the newest living one is the tip. */
export type BlockStore = {
  /** Newest first; those that a rollback voids are left out. */
  living(chainId: number, head: LogHead): Promise<StoredBlock[]>;
  /** `checkpoint` keeps them for ever. `token` is the writer's lease: an older holder cannot overwrite what a newer one stored. @throws LogMoved then. */
  save(
    chainId: number,
    blocks: readonly Block[],
    options: { seq: number; token: number; checkpoint: boolean },
  ): Promise<void>;
};
