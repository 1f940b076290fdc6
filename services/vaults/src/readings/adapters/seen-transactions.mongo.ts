import type { Connection } from 'mongoose';
import { seenTransactionCollection } from '../models/seen-transaction.ts';

/** What was learnt of transactions that somebody asked about. */
export type SeenTransactions = {
  get(chainId: number, hash: string): Promise<{ from?: string; nonce?: number; revert_reason?: string } | null>;
  remember(
    chainId: number,
    hash: string,
    known: { from?: string; nonce?: number; revert_reason?: string },
  ): Promise<void>;
};

export function mongoSeenTransactions(connection: Connection, now: () => Date): SeenTransactions {
  const seen = seenTransactionCollection(connection);
  return {
    get: (chainId, hash) => seen.findOne({ _id: `${chainId}:${hash}` }),
    async remember(chainId, hash, known) {
      await seen.updateOne(
        { _id: `${chainId}:${hash}` },
        { $set: known, $setOnInsert: { seen_at: now() } },
        { upsert: true },
      );
    },
  };
}
