import type { LogEntry } from '@castellan/contracts';
import type { Block } from './domain/block.ts';
import type { StoredEntry } from './domain/entry-trace.ts';
import type { EntryDraft, Rollback } from './domain/log-entry.ts';
import type { ChainStatusDocument } from './models/chain-status.ts';

/** Where the log ends, as its writer knows it, and the lease token that the writer took it over with. */
export type LogHead = { token: number; seq: number; rollbacks: readonly Rollback[] };

/**
 * The canonical log of events with the blocks it covers, as its writer uses it. Each write is one atomic step that asks for
 * the writer's token and for the end of the log it was planned on, so a writer that was overtaken while it slept adds nothing.
 */
export type LogWriter = {
  /**
   * Shuts out every writer with a lower token, and goes on where the last one ended, in whatever it did.
   * @throws LeaseLost when a writer with a higher token has been here.
   */
  takeOver(chainId: number, token: number): Promise<LogHead>;
  /**
   * Appends what the living log does not hold yet, numbered after `head`.
   * @param trace - `traceparent` of the reading, kept with the entries; undefined unless it is recorded.
   * @throws LeaseLost when `head` is no longer the log's.
   */
  append(
    chainId: number,
    head: LogHead,
    drafts: readonly EntryDraft[],
    trace?: string,
  ): Promise<{ head: LogHead; appended: LogEntry[] }>;
  /**
   * Makes blocks known whose logs are all in the log; `checkpoint` keeps them for ever.
   * @throws LeaseLost when `head` is no longer the log's.
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
  /** Chain time of the newest of them up to a number, one that a rollback voided included; null without any. */
  timeUpTo(chainId: number, block: number): Promise<number | null>;
};

/** What readers of the log need. */
export type LogReader = {
  page(chainId: number, afterSeq: number, limit: number): Promise<StoredEntry[]>;
  headSeq(chainId: number): Promise<number>;
  /** Living entries of one vault (lower case) of some names, oldest first; `since`: of this moment (ISO 8601) or later. */
  livingOfVault(
    chainId: number,
    vault: string,
    names: readonly string[],
    options?: { since?: string },
  ): Promise<LogEntry[]>;
  /** All of them, oldest first. */
  rollbacks(chainId: number): Promise<readonly Rollback[]>;
  /** Living entries of all vaults of a chain of some names, oldest first. */
  livingOfChain(chainId: number, names: readonly string[]): Promise<LogEntry[]>;
  /** The newest living entry of one vault that `matches`. */
  newestOfVault(
    chainId: number,
    vault: string,
    name: string,
    matches: (entry: LogEntry) => boolean,
  ): Promise<LogEntry | null>;
};

export type ChainStatus = Omit<ChainStatusDocument, '_id'>;

/** The newest block of a chain. */
export type ChainHead = Pick<Block, 'number' | 'timestamp'>;

/**
 * The writer of a chain's log: the token it took the log over with, the rollback after which it goes on, and how often it has written
 * vaults.
 */
export type StatusWriter = { chainId: number; token: number; branch: number; revision: number };

/** @throws LeaseLost (what a writer sets) when one with a higher token has been here. */
export type ChainStatusStore = {
  get(chainId: number): Promise<ChainStatus>;
  setHead(writer: StatusWriter, head: ChainHead): Promise<void>;
  /**
   * The vaults as they are written now belong to this block.
   * @param head - Written with it, when there is a newer one.
   */
  setIndexed(writer: StatusWriter, tip: Block | null, head?: ChainHead): Promise<void>;
  setBackfilled(writer: StatusWriter): Promise<void>;
  setPublished(chainId: number, seq: number): Promise<void>;
};

/** Where files of the archive are. Their names say what is in them: files of one name are the same. */
export type ArchivePlace = {
  /** The file is there whole, or not at all. */
  write(name: string, content: Buffer): Promise<void>;
  read(name: string): Promise<Buffer>;
};
