import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

const keptSeconds = 7 * 86_400;
export const seenTransactions = defineCollection({
  name: 'seen_transactions',
  kept: 'transient',
  about: 'Transactions that were asked about: sender, nonce, and why they reverted.',
  shape: z.object({
    /** `<chain_id>:<hash>`. */
    _id: z.string(),
    from: z.string().exactOptional(),
    nonce: z.number().exactOptional(),
    revert_reason: z.string().exactOptional(),
    /** Hash of the block in which it reverted for this reason; the former version wrote none. */
    reverted_in: z.string().exactOptional(),
    seen_at: z.date(),
  }),
  indexes: [{ keys: { seen_at: 1 }, ttlSeconds: keptSeconds }],
});

export const seenTransactionCollection = (connection: Connection) => seenTransactions.open(connection);
