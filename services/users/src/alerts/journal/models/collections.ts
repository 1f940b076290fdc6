import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import { GlobalVeto } from '../domain/global-vetoes.ts';
import type { JournalItem } from '../domain/journal.ts';

export const alertJournal = defineCollection({
  name: 'alert_journal',
  kept: 'truth',
  about: 'Facts of a vault, in the order in which its rules judge them.',
  shape: z.object({
    chain_id: z.number(),
    /** Lower case. */
    vault: z.string(),
    id: z.string(),
    n: z.custom<JournalItem['n']>(),
    time: z.custom<JournalItem['time']>(),
    block: z.custom<JournalItem['block']>(),
    events: z.custom<JournalItem['events']>(),
  }),
  indexes: [
    { keys: { chain_id: 1, vault: 1, n: 1 }, unique: true },
    { keys: { chain_id: 1, vault: 1, id: 1 }, unique: true },
  ],
});

/** What a vault that is deployed later has to know: the log of its chain up to an entry, as far as it is about the global root. */
export const ChainVetoes = z.object({ after_seq: z.int(), list: z.array(GlobalVeto).readonly() });

export const alertClocks = defineCollection({
  name: 'alert_clocks',
  kept: 'truth',
  about: "How far the log of a chain is in the journals, and the chain's time there.",
  shape: z.object({
    chain_id: z.number(),
    after_seq: z.number(),
    time: z.number(),
    /** The log was read to its end once: what changes from then on is news. */
    is_live: z.boolean(),
    /** Counts what others than the evaluator stored for it: signals of services and settings of rules. */
    news: z.number().optional(),
    /** Vetoes of the global hooks root that stand at `after_seq`. */
    vetoes: ChainVetoes.optional(),
  }),
  indexes: [{ keys: { chain_id: 1 }, unique: true }],
});
export type StoredClock = DocumentOf<typeof alertClocks>;

/** The journals of vaults, and the clocks of chains. */
export const openJournalCollections = (connection: Connection) => ({
  journal: alertJournal.open(connection),
  clocks: alertClocks.open(connection),
});
export type JournalCollections = ReturnType<typeof openJournalCollections>;

/** Has the evaluator, in whichever process it runs, read what was stored for it. */
export async function announceNews({ clocks }: Pick<JournalCollections, 'clocks'>, chain_id: number): Promise<void> {
  await clocks.updateOne({ chain_id }, { $inc: { news: 1 } });
}
