import type { Connection } from 'mongoose';
import type { Block } from '../indexer/read-range.ts';
import { type ChainStatusDocument, chainStatusCollection } from '../models/chain-status.ts';

export type ChainStatus = Omit<ChainStatusDocument, '_id'>;

export type ChainStatusStore = {
  get(chainId: number): Promise<ChainStatus>;
  setHead(chainId: number, head: Block): Promise<void>;
  setIndexed(chainId: number, tip: Block | null): Promise<void>;
  setBackfilled(chainId: number): Promise<void>;
  setPublished(chainId: number, seq: number): Promise<void>;
};

export function mongoChainStatus(connection: Connection): ChainStatusStore {
  const status = chainStatusCollection(connection);
  const set = async (chainId: number, fields: Partial<ChainStatus>) => {
    await status.updateOne({ _id: chainId }, { $set: fields }, { upsert: true });
  };
  return {
    async get(chainId) {
      const { _id, ...found } = (await status.findOne({ _id: chainId })) ?? { _id: chainId };
      return found;
    },
    setHead: (chainId, { number, timestamp }) =>
      set(chainId, { head_block: Number(number), head_time: Number(timestamp) }),
    setIndexed: (chainId, tip) =>
      set(chainId, {
        indexed_block: tip && Number(tip.number),
        indexed_hash: tip?.hash ?? null,
        indexed_time: tip && Number(tip.timestamp),
      }),
    setBackfilled: (chainId) => set(chainId, { backfilled: true }),
    async setPublished(chainId, seq) {
      await status.updateOne({ _id: chainId }, { $max: { published_seq: seq } }, { upsert: true });
    },
  };
}
