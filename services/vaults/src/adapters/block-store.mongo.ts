import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { type BlockStore, LogMoved } from '../indexer/ports.ts';
import { chainBlockCollection } from '../models/chain-block.ts';

/** Blocks kept one by one below the newest; older ones only where a range ended. */
const KEPT_BLOCKS = 1_000;

export function mongoBlockStore(connection: Connection): BlockStore {
  const blocks = chainBlockCollection(connection);
  return {
    async living(chainId, { rollbacks }) {
      const found = await blocks.find({ chain_id: chainId }).sort({ number: -1 }).toArray();
      return found
        .filter(({ number, seq }) => !rollbacks.some((item) => item.seq > seq && item.fromBlock <= number))
        .map(({ number, hash, timestamp, seq }) => ({
          number: BigInt(number),
          hash: hash as Hash,
          timestamp: BigInt(timestamp),
          seq,
        }));
    },
    async save(chainId, added, { seq, token, checkpoint }) {
      if (added.length === 0) return;
      try {
        await blocks.bulkWrite(
          added.map(({ number, hash, timestamp }) => {
            const fields = { chain_id: chainId, number: Number(number), hash, timestamp: Number(timestamp) };
            return {
              replaceOne: {
                filter: { _id: `${chainId}:${number}`, token: { $lte: token } },
                replacement: { ...fields, seq, token, checkpoint },
                upsert: true,
              },
            };
          }),
          { ordered: true },
        );
      } catch (error) {
        // The upsert met a document of a newer holder.
        if (isDuplicateKey(error)) throw new LogMoved();
        throw error;
      }
      const newest = Number(added.at(-1)?.number ?? 0n);
      if (newest % 100 < added.length)
        await blocks.deleteMany({ chain_id: chainId, number: { $lt: newest - KEPT_BLOCKS }, checkpoint: false });
    },
  };
}
