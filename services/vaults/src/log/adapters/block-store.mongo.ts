import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { type ChainBlockDocument, chainBlockCollection } from '../models/chain-block.ts';
import type { BlockStore } from '../ports.ts';

/** Blocks kept one by one below the newest; older ones only where a range ended. */
const KEPT_BLOCKS = 1_000;

/** `copy` is the log's: it fills the collection with what its writer decided, again and late without harm. */
export type CopiedBlockStore = BlockStore & { copy(committed: readonly ChainBlockDocument[]): Promise<void> };

export function mongoBlockStore(connection: Connection): CopiedBlockStore {
  const blocks = chainBlockCollection(connection);
  return {
    async living(chainId, { rollbacks }) {
      const found = await blocks.find({ chain_id: chainId }).sort({ number: -1 }).toArray();
      return found
        .filter(({ number, seq }) => !rollbacks.some((item) => item.seq > seq && item.fromBlock <= number))
        .map(({ number, hash, timestamp }) => ({
          number: BigInt(number),
          hash: hash as Hash,
          timestamp: BigInt(timestamp),
        }));
    },
    async timeUpTo(chainId, block) {
      const upTo = { chain_id: chainId, number: { $gte: block - KEPT_BLOCKS, $lte: block } };
      return (await blocks.findOne(upTo, { sort: { number: -1 } }))?.timestamp ?? null;
    },
    async copy(committed) {
      const last = committed.at(-1);
      if (!last) return;
      // A number is given to another block only after a rollback, which has a place in the log: the higher one is newer.
      const replacements = committed.map((replacement) => ({
        replaceOne: { filter: { _id: replacement._id, seq: { $lte: replacement.seq } }, replacement, upsert: true },
      }));
      try {
        await blocks.bulkWrite(replacements, { ordered: false });
      } catch (error) {
        // The upsert met a newer block, or another copier: both are as good.
        if (!isDuplicateKey(error)) throw error;
      }
      if (last.number % 100 < committed.length)
        await blocks.deleteMany({
          chain_id: last.chain_id,
          number: { $lt: last.number - KEPT_BLOCKS },
          checkpoint: false,
        });
    },
  };
}
