import type { Block } from '../domain/block.ts';
import type { EntryDraft } from '../domain/log-entry.ts';
import type { StatusWriter } from '../ports.ts';
import type { VaultTrio } from './address-book.ts';

/** What was read of vaults since the last time. */
export type DueReadings = {
  /** For the log, of the block that is being stored. */
  observations: EntryDraft[];
  /** How many there are to keep. */
  count: number;
  /** Keeps them. */
  commit(writer: StatusWriter): Promise<void>;
  /** Publishes that these vaults changed; to be called once reads answer what was kept. */
  announce(): void;
};

/** What is read of the vaults themselves, beside the log. */
export type VaultReadings = {
  /**
   * Goes on reading the vaults that are due, now at this tip, and waits a bounded time for them. What is not there by then comes with a
   * later call.
   * @param touched - While the tip is being stored: vaults (lower case) with new events, and the first block of these.
   */
  readDue(vaults: readonly VaultTrio[], tip: Block, touched?: ReadonlyMap<string, bigint>): Promise<DueReadings>;
  /** Vaults with new events, and the first block of these, in blocks that are stored on the way to the head: nothing is read there. */
  noteEvents(touched: ReadonlyMap<string, bigint>, tip: Block): void;
  /** The first block with an event about a vault that was not read and kept since; null without one. */
  unreadFrom(): bigint | null;
  /** What is known of these vaults may be of another branch or older: blocks from `from` on do not count before they are read. */
  holdBack(vaults: readonly VaultTrio[], blocks: { from: bigint; readAt: bigint }): void;
  /** Whether each of them was read once. */
  isComplete(vaults: readonly VaultTrio[]): boolean;
  /** The chain left these blocks. */
  forget(fromBlock: bigint): void;
  /** Publishes that vaults (lower case) are not on the chain any more. */
  announceGone(vaults: readonly string[], blockNumber: number): void;
};
