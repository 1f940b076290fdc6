import { AppError, type LogEntry } from '@castellan/contracts';
import { sharedRead } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { Hash } from 'viem';
import { archivedNames, gapAfter } from '../domain/archived-range.ts';
import type { Block } from '../domain/block.ts';
import { markBlocks, type StoredEntry } from '../domain/entry-trace.ts';
import { type EntryDraft, entryKey, isLive, missingDrafts, type Rollback } from '../domain/log-entry.ts';
import type { ChainBlockDocument } from '../models/chain-block.ts';
import { type ChainLogDocument, chainLogCollection } from '../models/chain-log.ts';
import type { LogHead, LogReader, LogWriter } from '../ports.ts';
import { mongoBlockStore } from './block-store.mongo.ts';
import { logEnds } from './fenced-log-end.mongo.ts';
import { mongoLogArchive } from './log-archive.mongo.ts';
import { LogTail } from './log-tail.ts';
import { OwnChains } from './own-chains.ts';
import { RememberedEntries } from './remembered-entries.ts';

/** Entries written in one go. More would hold up what else the store is asked, fewer write its indexes again for each batch. */
const BATCH = 2_000;
/** Entries of one answer where only the newest that fits is looked for. */
const NEWEST_READ = 10;

/** Entries have a number each. What has none, others may have written: it must not pass for the last entry. */
const numbered = { seq: { $lte: Number.MAX_SAFE_INTEGER } } as const;
/** The same of what was read by block: as a condition it would make the index of numbers look as good as that of blocks. */
const hasNumber = ({ seq }: ChainLogDocument): boolean => typeof seq === 'number' && seq <= Number.MAX_SAFE_INTEGER;

const rollbacksIn = (entries: readonly Pick<LogEntry, 'kind' | 'seq' | 'block_number'>[]): Rollback[] =>
  entries.filter(({ kind }) => kind === 'rollback').map(({ seq, block_number }) => ({ seq, fromBlock: block_number }));

/** @param vault - In lower case; null for all. */
const isOf = ({ vault_address, name }: LogEntry, vault: string | null, names: readonly string[]): boolean =>
  (vault === null || vault_address?.toLowerCase() === vault) && names.includes(name);

const toEntry = ({ _id, key, vault, trace, ...entry }: ChainLogDocument): LogEntry => entry;
const withoutTrace = ({ trace, ...entry }: StoredEntry): LogEntry => entry;
const toStored = ({ _id, key, vault, ...entry }: ChainLogDocument): StoredEntry => entry;

const toDocument = (chainId: number, seq: number, epoch: number, draft: EntryDraft): ChainLogDocument => ({
  _id: `${chainId}:${seq}`,
  chain_id: chainId,
  seq,
  ...draft,
  key: entryKey(draft, epoch),
  vault: draft.vault_address?.toLowerCase() ?? null,
});

const blockDocuments = (
  chainId: number,
  blocks: readonly Block[],
  rest: Pick<ChainBlockDocument, 'seq' | 'checkpoint'>,
): ChainBlockDocument[] =>
  blocks.map(({ number, hash, timestamp }) => {
    const numbers = { number: Number(number), timestamp: Number(timestamp) };
    return { _id: `${chainId}:${number}`, chain_id: chainId, hash, ...numbers, ...rest };
  });

/** What may have left the store is read page by page or since a moment; to read it by name alone is to read all of the archive. */
function requireKept(names: readonly string[]): void {
  const archived = names.filter((name) => archivedNames.has(name));
  if (archived.length > 0) throw new RangeError(`${archived.join(', ')} may be archived: say since when.`);
}

/**
 * @param own - Chains that this process writes: of these it knows the end of the log without asking.
 * @param archivePlace - Where older entries are; null where none is set.
 */
export function mongoChainLog(
  connection: Connection,
  own = new OwnChains(),
  archivePlace: string | null = null,
): LogWriter & LogReader {
  const log = chainLogCollection(connection);
  const archive = mongoLogArchive(connection, archivePlace);

  const sharedHeads = new Map<number, () => Promise<number>>();
  const headSeq = async (chainId: number): Promise<number> => {
    const shared = sharedHeads.get(chainId) ?? sharedRead(() => storedHeadSeq(chainId));
    sharedHeads.set(chainId, shared);
    return own.head(chainId)?.seq ?? shared();
  };
  const storedHeadSeq = async (chainId: number): Promise<number> => {
    const inOrder = log.find({ chain_id: chainId, ...numbered });
    const [last] = await inOrder.sort({ seq: -1 }).limit(1).project({ seq: 1 }).toArray();
    return (last as { seq: number } | undefined)?.seq ?? 0;
  };
  const rollbacks = async (chainId: number): Promise<readonly Rollback[]> =>
    own.head(chainId)?.rollbacks ?? storedRollbacks(chainId);
  const storedRollbacks = async (chainId: number): Promise<Rollback[]> => {
    const found = await log
      .find({ chain_id: chainId, name: 'rollback', ...numbered })
      .sort({ seq: 1 })
      .toArray();
    return rollbacksIn(found);
  };
  const livingBetween = async (chainId: number, head: LogHead, drafts: readonly EntryDraft[]) => {
    const numbers = drafts.map(({ block_number }) => block_number);
    const [from, to] = [Math.min(...numbers), Math.max(...numbers)];
    const found = await log.find({ chain_id: chainId, block_number: { $gte: from, $lte: to } }).toArray();
    return found.filter((entry) => hasNumber(entry) && isLive(entry, head.rollbacks));
  };

  const page = async (chainId: number, afterSeq: number, limit: number): Promise<StoredEntry[]> => {
    const found = await log
      .find({ chain_id: chainId, seq: { $gt: afterSeq } })
      .sort({ seq: 1 })
      .limit(limit)
      .toArray();
    const gap = gapAfter(found, afterSeq);
    if (gap === null) return found.map(toStored);
    const archived = await archive.after(chainId, afterSeq);
    if (archived) return archived.slice(0, limit);
    const what = `The log of chain ${chainId} lacks what follows entry ${gap}, and no archive holds it.`;
    throw new AppError('SERVICE_UNAVAILABLE', what);
  };
  const tail = new LogTail(page);
  const remembered = new RememberedEntries();
  const rememberedOf = (chainId: number, vault: string | null, names: readonly string[]) =>
    remembered.read(
      `${chainId}:${vault}:${names.join()}`,
      () => headSeq(chainId),
      async (seq, head) => {
        const news = await tail.after(chainId, seq, head);
        if (news) {
          const entries = news.filter((entry) => isOf(entry, vault, names)).map(withoutTrace);
          return { entries, rollbacks: rollbacksIn(news) };
        }
        const above = { chain_id: chainId, seq: { $gt: seq } };
        const [found, voids] = await Promise.all([
          log
            .find({ ...above, ...(vault === null ? {} : { vault }), name: { $in: [...names] } })
            .sort({ seq: 1 })
            .toArray(),
          rollbacks(chainId),
        ]);
        return { entries: found.map(toEntry), rollbacks: voids.filter((each) => each.seq > seq) };
      },
    );
  const ends = logEnds(connection, mongoBlockStore(connection), storedHeadSeq);

  const appendTo = async (
    chainId: number,
    head: LogHead,
    drafts: readonly EntryDraft[],
    trace: string | undefined,
  ): Promise<{ head: LogHead; appended: LogEntry[] }> => {
    const isRollback = drafts[0]?.kind === 'rollback';
    const fresh = isRollback ? drafts : missingDrafts(drafts, await livingBetween(chainId, head, drafts));
    const documents = fresh.map((draft, index) =>
      toDocument(chainId, head.seq + 1 + index, head.rollbacks.length, draft),
    );
    markBlocks(documents, trace);
    for (let start = 0; start < documents.length; start += BATCH) {
      const place = { token: head.token, seq: head.seq + start };
      await ends.append(chainId, place, documents.slice(start, start + BATCH));
    }
    const appended = documents.map(toStored);
    tail.add(chainId, appended);
    const added = appended
      .filter(({ kind }) => kind === 'rollback')
      .map(({ seq, block_number }) => ({ seq, fromBlock: block_number }));
    const next = { ...head, seq: head.seq + appended.length, rollbacks: [...head.rollbacks, ...added] };
    return { head: next, appended };
  };

  return {
    headSeq,
    async takeOver(chainId, token) {
      const taken = async () => {
        const seq = await ends.takeOver(chainId, token);
        return { token, seq, rollbacks: await storedRollbacks(chainId) };
      };
      return own.writing(chainId, taken, (head) => ({ head }));
    },
    async append(chainId, head, drafts, trace) {
      if (drafts.length === 0) return { head, appended: [] };
      return own.writing(
        chainId,
        () => appendTo(chainId, head, drafts, trace),
        (done, known) => ({ ...known, head: done.head }),
      );
    },
    async cover(chainId, head, blocks, { checkpoint }) {
      const covered = blockDocuments(chainId, blocks, { seq: head.seq, checkpoint });
      await own.writing(
        chainId,
        () => ends.cover(chainId, head, covered),
        (_done, known) => ({ ...known, head }),
      );
    },
    async blocksAbove(chainId, head, block) {
      const found = await log.find({ chain_id: chainId, block_number: { $gt: Number(block) } }).toArray();
      const blocks = new Map<string, Block>();
      for (const entry of found.filter((item) => hasNumber(item) && isLive(item, head.rollbacks))) {
        blocks.set(entry.block_hash, {
          number: BigInt(entry.block_number),
          hash: entry.block_hash as Hash,
          timestamp: BigInt(Date.parse(entry.block_time) / 1000),
        });
      }
      return [...blocks.values()].sort((a, b) => Number(a.number - b.number));
    },
    async livingNamed(chainId, head, names) {
      requireKept(names);
      const found = await log
        .find({ chain_id: chainId, name: { $in: [...names] }, ...numbered })
        .sort({ seq: 1 })
        .toArray();
      return found.filter((entry) => isLive(entry, head.rollbacks)).map(toEntry);
    },
    rollbacks,
    async page(chainId, afterSeq, limit) {
      const head = own.head(chainId);
      const known = head && (await tail.after(chainId, afterSeq, head.seq));
      return known ? known.slice(0, limit) : page(chainId, afterSeq, limit);
    },
    async livingOfVault(chainId, vault, names, { since } = {}) {
      if (since === undefined) {
        requireKept(names);
        const { entries, rollbacks: known } = await rememberedOf(chainId, vault, names);
        return entries.filter((entry) => isLive(entry, known));
      }
      const voids = await rollbacks(chainId);
      const found = await log
        .find({ chain_id: chainId, vault, name: { $in: [...names] }, block_time: { $gte: since }, ...numbered })
        .sort({ seq: 1 })
        .toArray();
      // Asked after the store: an entry that had left it by then was noted before.
      const mayHaveLeft = names.filter((name) => archivedNames.has(name));
      const archived = mayHaveLeft.length === 0 ? [] : await archive.ofVault(chainId, vault, mayHaveLeft, since);
      const bySeq = new Map([...archived, ...found.map(toEntry)].map((entry) => [entry.seq, entry]));
      return [...bySeq.values()].sort((a, b) => a.seq - b.seq).filter((entry) => isLive(entry, voids));
    },
    async livingOfChain(chainId, names) {
      requireKept(names);
      const { entries, rollbacks: known } = await rememberedOf(chainId, null, names);
      return entries.filter((entry) => isLive(entry, known));
    },
    async newestOfVault(chainId, vault, name, matches) {
      requireKept([name]);
      const voids = await rollbacks(chainId);
      // In answers of their own: a cursor that is left open has to be closed by a further request.
      for (let below = Number.MAX_SAFE_INTEGER; ; ) {
        const found = await log
          .find({ chain_id: chainId, vault, name, seq: { $lte: below } })
          .sort({ seq: -1 })
          .limit(NEWEST_READ)
          .toArray();
        const newest = found.find((entry) => isLive(entry, voids) && matches(toEntry(entry)));
        if (newest) return toEntry(newest);
        if (found.length < NEWEST_READ) return null;
        below = (found.at(-1) as ChainLogDocument).seq - 1;
      }
    },
  };
}
