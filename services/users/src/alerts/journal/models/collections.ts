import type { Connection } from 'mongoose';
import { openCollection, unique } from '../../../store/open-collection.ts';
import type { JournalItem } from '../domain/journal.ts';

/** `vault` is lower case. */
export type StoredItem = JournalItem & { chain_id: number; vault: string; id: string };

/** How far the log of a chain is in the journals, and the chain's time as far as that is so. */
export type StoredClock = {
  chain_id: number;
  after_seq: number;
  time: number;
  /** The log was read to its end once: what changes from then on is news. */
  is_live: boolean;
};

/** The journals of vaults, and the clocks of chains, with their indexes. */
export const openJournalCollections = (connection: Connection) => ({
  journal: openCollection<StoredItem>(connection, 'alert_journal', [
    [{ chain_id: 1, vault: 1, n: 1 }, unique],
    [{ chain_id: 1, vault: 1, id: 1 }, unique],
  ]),
  clocks: openCollection<StoredClock>(connection, 'alert_clocks', [[{ chain_id: 1 }, unique]]),
});
export type JournalCollections = ReturnType<typeof openJournalCollections>;
