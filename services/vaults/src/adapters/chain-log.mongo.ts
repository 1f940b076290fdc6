import type { LogEntry } from '@castellan/contracts';
import { isDuplicateKey } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { type EntryDraft, entryKey, isLive, missingDrafts, type Rollback } from '../domain/log-entry.ts';
import { type LogHead, LogMoved, type LogWriter } from '../indexer/ports.ts';
import type { Block } from '../indexer/read-range.ts';
import { type ChainLogDocument, chainLogCollection } from '../models/chain-log.ts';

/** Documents per insert: bounds the size of one command. */
const INSERT_BATCH = 500;

const toEntry = ({ _id, key, vault, ...entry }: ChainLogDocument): LogEntry => entry;

const toDocument = (chainId: number, seq: number, epoch: number, draft: EntryDraft): ChainLogDocument => ({
  _id: `${chainId}:${seq}`,
  chain_id: chainId,
  seq,
  ...draft,
  key: entryKey(draft, epoch),
  vault: draft.vault_address?.toLowerCase() ?? null,
});

/** What readers of the log need. */
export type LogReader = {
  page(chainId: number, afterSeq: number, limit: number): Promise<LogEntry[]>;
  headSeq(chainId: number): Promise<number>;
  /** Living entries of one vault (lower case) of some names, oldest first. */
  livingOfVault(chainId: number, vault: string, names: readonly string[]): Promise<LogEntry[]>;
  /** The newest living entry of one vault that `matches`. */
  newestOfVault(
    chainId: number,
    vault: string,
    name: string,
    matches: (entry: LogEntry) => boolean,
  ): Promise<LogEntry | null>;
};

export function mongoChainLog(connection: Connection): LogWriter & LogReader {
  const log = chainLogCollection(connection);

  const headSeq = async (chainId: number): Promise<number> => {
    const [last] = await log.find({ chain_id: chainId }).sort({ seq: -1 }).limit(1).project({ seq: 1 }).toArray();
    return (last as { seq: number } | undefined)?.seq ?? 0;
  };
  const rollbacks = async (chainId: number): Promise<Rollback[]> => {
    const found = await log.find({ chain_id: chainId, name: 'rollback' }).sort({ seq: 1 }).toArray();
    return found
      .filter(({ kind }) => kind === 'rollback')
      .map(({ seq, block_number }) => ({ seq, fromBlock: block_number }));
  };
  const livingBetween = async (chainId: number, head: LogHead, drafts: readonly EntryDraft[]) => {
    const numbers = drafts.map(({ block_number }) => block_number);
    const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
    const found = await log.find({ chain_id: chainId, block_number: { $gte: from, $lte: to } }).toArray();
    return found.filter((entry) => isLive(entry, head.rollbacks));
  };

  return {
    headSeq,
    lastSeq: headSeq,
    async head(chainId) {
      // The number first: a rollback written meanwhile then makes the next append fail instead of being overlooked.
      const seq = await headSeq(chainId);
      return { seq, rollbacks: await rollbacks(chainId) };
    },
    async append(chainId, head, drafts) {
      if (drafts.length === 0) return { head, appended: [] };
      const isRollback = drafts[0]?.kind === 'rollback';
      const fresh = isRollback ? drafts : missingDrafts(drafts, await livingBetween(chainId, head, drafts));
      const documents = fresh.map((draft, index) =>
        toDocument(chainId, head.seq + 1 + index, head.rollbacks.length, draft),
      );
      try {
        for (let start = 0; start < documents.length; start += INSERT_BATCH)
          await log.insertMany(documents.slice(start, start + INSERT_BATCH), { ordered: true });
      } catch (error) {
        if (isDuplicateKey(error)) throw new LogMoved();
        throw error;
      }
      const appended = documents.map(toEntry);
      const added = appended
        .filter(({ kind }) => kind === 'rollback')
        .map(({ seq, block_number }) => ({ seq, fromBlock: block_number }));
      const next = { seq: head.seq + appended.length, rollbacks: [...head.rollbacks, ...added] };
      return { head: next, appended };
    },
    async blocksBeyond(chainId, head, { seq, block }) {
      const after = await log.find({ chain_id: chainId, seq: { $gt: seq } }).toArray();
      const above = await log.find({ chain_id: chainId, block_number: { $gt: Number(block) } }).toArray();
      const found = [...after, ...above];
      const blocks = new Map<string, Block>();
      for (const entry of found.filter((item) => isLive(item, head.rollbacks))) {
        blocks.set(entry.block_hash, {
          number: BigInt(entry.block_number),
          hash: entry.block_hash as Hash,
          timestamp: BigInt(Date.parse(entry.block_time) / 1000),
        });
      }
      return [...blocks.values()].sort((a, b) => Number(a.number - b.number));
    },
    async livingNamed(chainId, head, names) {
      const found = await log
        .find({ chain_id: chainId, name: { $in: [...names] } })
        .sort({ seq: 1 })
        .toArray();
      return found.filter((entry) => isLive(entry, head.rollbacks)).map(toEntry);
    },
    async page(chainId, afterSeq, limit) {
      const found = await log
        .find({ chain_id: chainId, seq: { $gt: afterSeq } })
        .sort({ seq: 1 })
        .limit(limit)
        .toArray();
      return found.map(toEntry);
    },
    async livingOfVault(chainId, vault, names) {
      const voids = await rollbacks(chainId);
      const found = await log
        .find({ chain_id: chainId, vault, name: { $in: [...names] } })
        .sort({ seq: 1 })
        .toArray();
      return found.filter((entry) => isLive(entry, voids)).map(toEntry);
    },
    async newestOfVault(chainId, vault, name, matches) {
      const voids = await rollbacks(chainId);
      const found = log.find({ chain_id: chainId, vault, name }).sort({ seq: -1 }).batchSize(10);
      try {
        for await (const entry of found) if (isLive(entry, voids) && matches(toEntry(entry))) return toEntry(entry);
        return null;
      } finally {
        await found.close();
      }
    },
  };
}
