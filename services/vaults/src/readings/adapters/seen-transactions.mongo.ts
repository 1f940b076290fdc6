import type { Connection } from 'mongoose';
import { seenTransactionCollection } from '../models/seen-transaction.ts';

type Known = { from?: string; nonce?: number; revert_reason?: string; reverted_in?: string };

/** What was learnt of transactions that somebody asked about. */
export type SeenTransactions = {
  get(chainId: number, hash: string): Promise<Known | null>;
  remember(chainId: number, hash: string, known: Known): Promise<void>;
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
