import { type DocumentOf, defineCollection } from '@castellan/service-kit';
import { z } from 'zod';

export const logArchives = defineCollection({
  name: 'log_archives',
  kept: 'truth',
  about:
    'Ranges of the log that are in files of the archive; of these, entries that are only read page by page leave `chain_log`.',
  shape: z.object({
    /** `<chain_id>:<from_seq>`. */
    _id: z.string(),
    chain_id: z.number(),
    from_seq: z.number(),
    to_seq: z.number(),
    from_block: z.number(),
    to_block: z.number(),
    /** ISO 8601, of the chain. */
    from_time: z.string(),
    to_time: z.string(),
    count: z.number(),
    /** Of the lines of the entries, in hex. */
    sha256: z.string(),
    /** Below the place that `LOG_ARCHIVE` names. */
    file: z.string(),
    bytes: z.number(),
    archived_at: z.date(),
    /** When the last of its entries that may leave had left the store; null until then. */
    removed_at: z.date().nullable(),
  }),
  indexes: [{ keys: { chain_id: 1, to_seq: 1 }, unique: true }, { keys: { chain_id: 1, to_time: 1 } }],
});
export type LogArchiveDocument = DocumentOf<typeof logArchives>;
