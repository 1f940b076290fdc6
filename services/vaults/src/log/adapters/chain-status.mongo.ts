import { isDuplicateKey, LeaseLost } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import { chainStatusCollection } from '../models/chain-status.ts';
import type { ChainHead, ChainStatus, ChainStatusStore, StatusWriter } from '../ports.ts';

const headFields = ({ number, timestamp }: ChainHead): Partial<ChainStatus> => ({
  head_block: Number(number),
  head_time: Number(timestamp),
});

/** The revision of the vaults that a writer publishes. */
export const vaultsOf = ({ token, revision }: StatusWriter): NonNullable<ChainStatus['vaults']> => ({
  token,
  revision,
});

export function mongoChainStatus(connection: Connection): ChainStatusStore {
  const status = chainStatusCollection(connection);
  const set = async ({ chainId, token, branch }: StatusWriter, fields: Partial<ChainStatus>) => {
    const notLater = { _id: chainId, $or: [{ token: { $exists: false } }, { token: { $lte: token } }] };
    await status
      .updateOne(notLater, { $set: { ...fields, token, branch } }, { upsert: true })
      .catch((error: unknown) => {
        // The upsert met the document of a higher token.
        throw isDuplicateKey(error) ? new LeaseLost(`indexer:${chainId}`) : error;
      });
  };
  return {
    async get(chainId) {
      const { _id, ...found } = (await status.findOne({ _id: chainId })) ?? { _id: chainId };
      return found;
    },
    setHead: (writer, head) => set(writer, headFields(head)),
    setIndexed: (writer, tip, head) =>
      set(writer, {
        ...(head && headFields(head)),
        indexed_block: tip && Number(tip.number),
        indexed_hash: tip?.hash ?? null,
        indexed_time: tip && Number(tip.timestamp),
        vaults: vaultsOf(writer),
      }),
    setBackfilled: (writer) => set(writer, { backfilled: true }),
    async setPublished(chainId, seq) {
      await status.updateOne({ _id: chainId }, { $max: { published_seq: seq } }, { upsert: true });
    },
  };
}
