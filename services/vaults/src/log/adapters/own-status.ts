import { sharedRead } from '@castellan/service-kit';
import type { ChainStatus, ChainStatusStore, StatusWriter } from '../ports.ts';
import { vaultsOf } from './chain-status.mongo.ts';
import type { OwnChains } from './own-chains.ts';

/** A head that no block was stored for is written this often at most: other processes see by it that the node answers. */
const HEAD_EVERY_MS = 5_000;

type Fields = Partial<ChainStatus>;

const merged = (status: ChainStatus | undefined, fields: Fields): ChainStatus | undefined =>
  status && { ...status, ...fields };

/**
 * The status of chains, answered from memory where this process writes it, and from the store while a tip is being written: the store
 * may have it already. The head is written together with the tip that follows it, and by itself only when none does. Where another
 * process writes the status, those who ask together are answered by one read.
 * @param now - Milliseconds from any beginning.
 */
export function ownStatus(stored: ChainStatusStore, own: OwnChains, now: () => number): ChainStatusStore {
  const headWrittenAt = new Map<number, number>();
  const reads = new Map<number, () => Promise<ChainStatus>>();

  const read = (chainId: number): Promise<ChainStatus> => {
    const shared = reads.get(chainId) ?? sharedRead(() => stored.get(chainId));
    reads.set(chainId, shared);
    return shared();
  };

  const write = (chainId: number, work: () => Promise<void>, fields: Fields): Promise<void> =>
    own.writing(chainId, work, (_done, known) => ({ ...known, status: merged(known.status, fields) }));
  const placeOf = ({ token, branch }: StatusWriter): Fields => ({ token, branch });

  return {
    async get(chainId) {
      return { ...(own.status(chainId) ?? (await own.reading(chainId, () => read(chainId)))) };
    },
    async setHead(writer, head) {
      const { chainId } = writer;
      const fields = { head_block: Number(head.number), head_time: Number(head.timestamp) };
      const known = own.status(chainId);
      const isYoung = now() - (headWrittenAt.get(chainId) ?? Number.NEGATIVE_INFINITY) < HEAD_EVERY_MS;
      const isSame = known?.head_block === fields.head_block && known.head_time === fields.head_time;
      if (known && known.token === writer.token && known.branch === writer.branch && (isSame || isYoung)) {
        own.note(chainId, (kept) => ({ ...kept, status: merged(kept.status, fields) }));
        return;
      }
      await write(chainId, () => stored.setHead(writer, head), { ...fields, ...placeOf(writer) });
      headWrittenAt.set(chainId, now());
    },
    async setIndexed(writer, tip) {
      const { chainId } = writer;
      const { head_block, head_time } = own.status(chainId) ?? {};
      const head =
        head_block === undefined || head_time === undefined
          ? undefined
          : { number: BigInt(head_block), timestamp: BigInt(head_time) };
      const fields = {
        indexed_block: tip && Number(tip.number),
        indexed_hash: tip?.hash ?? null,
        indexed_time: tip && Number(tip.timestamp),
        vaults: vaultsOf(writer),
      };
      const indexed = { ...fields, ...placeOf(writer) };
      await own.publishing(chainId, () => write(chainId, () => stored.setIndexed(writer, tip, head), indexed));
      if (head) headWrittenAt.set(chainId, now());
    },
    setBackfilled: (writer) =>
      write(writer.chainId, () => stored.setBackfilled(writer), { backfilled: true, ...placeOf(writer) }),
    setPublished: (chainId, seq) =>
      own.writing(
        chainId,
        () => stored.setPublished(chainId, seq),
        (_done, { status, ...known }) => ({
          ...known,
          status: merged(status, { published_seq: Math.max(status?.published_seq ?? 0, seq) }),
        }),
      ),
  };
}
