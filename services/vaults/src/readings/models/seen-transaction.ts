import { defineCollection } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { z } from 'zod';

/** A transaction somebody asked about: what is needed to see that another took its nonce, or why it reverted. */
export type SeenTransactionDocument = {
  /** `<chain_id>:<hash>`. */
  _id: string;
  from?: string;
  nonce?: number;
  revert_reason?: string;
  seen_at: Date;
};

const keptSeconds = 7 * 86_400;
export const seenTransactions = defineCollection({
  name: 'seen_transactions',
  about: 'Transactions that were asked about: sender, nonce, and why they reverted.',
  shape: z.custom<SeenTransactionDocument>(),
  indexes: [{ keys: { seen_at: 1 }, ttlSeconds: keptSeconds }],
});

export const seenTransactionCollection = (connection: Connection) => seenTransactions.open(connection);
