import { isDuplicateKey, LeaseLost } from '@castellan/service-kit';
import type { Connection } from 'mongoose';
import type { ChainBlockDocument } from '../models/chain-block.ts';
import { chainCommitCollection, SHUT } from '../models/chain-commit.ts';
import { type ChainLogDocument, chainLogCollection, type LogEndDocument } from '../models/chain-log.ts';
import type { LogHead } from '../ports.ts';
import type { CopiedBlockStore } from './block-store.mongo.ts';

/** Takeovers that may come in between; each of them ends. */
const MOST_TRIES = 10;

const lost = (chainId: number) => new LeaseLost(`indexer:${chainId}`);
const placeOf = (chainId: number, seq: number): string => `${chainId}:${seq}`;
const seqOf = ({ _id }: LogEndDocument): number => Number(_id.slice(_id.indexOf(':') + 1)) - 1;

/**
 * The end of a chain's log: a document in the place of the next entry, which the newest writer has marked with its token. Writing
 * the first entry of a batch replaces it, and only its own writer can; the place behind the batch is taken by the next end. So
 * two writers never both write, an entry is written once, and whatever a writer left behind is a log without a gap.
 */
export function logEnds(
  connection: Connection,
  blocks: CopiedBlockStore,
  headSeq: (chainId: number) => Promise<number>,
) {
  const log = chainLogCollection(connection);
  const ends = connection.collection<LogEndDocument>('chain_log');
  const commits = chainCommitCollection(connection);

  const endOf = (chainId: number, token: number, seq: number, covered: ChainBlockDocument[] = []): LogEndDocument => ({
    _id: placeOf(chainId, seq + 1),
    chain_id: chainId,
    seq: null,
    key: null,
    token,
    blocks: covered,
  });

  /** What the former version had decided and not copied. @returns its blocks. @throws LeaseLost when it was overtaken meanwhile. */
  const moveOn = async (chainId: number, token: number): Promise<ChainBlockDocument[]> => {
    const commit = await commits.findOne({ _id: chainId });
    if (!commit) return [];
    if (commit.token !== SHUT) {
      if (commit.token > token) throw lost(chainId);
      const shut = await commits.updateOne(
        { _id: chainId, token: commit.token, seq: commit.seq },
        { $set: { token: SHUT } },
      );
      if (shut.matchedCount === 0) return moveOn(chainId, token);
    }
    const copied = await headSeq(chainId);
    const missing = commit.entries.filter(({ seq }) => seq > copied);
    if (missing.length > 0) await log.insertMany(missing, { ordered: true });
    const moved = await headSeq(chainId);
    if (moved < commit.seq)
      throw new Error(`The log of chain ${chainId} ends at ${moved}, and its former end was ${commit.seq}.`);
    return commit.blocks;
  };

  const tryTakeOver = async (chainId: number, token: number): Promise<number | undefined> => {
    const end = await ends.findOne({ chain_id: chainId, seq: null });
    if (end) {
      if (end.token > token) throw lost(chainId);
      const taken = await ends.updateOne({ _id: end._id, seq: null, token: { $lte: token } }, { $set: { token } });
      if (taken.matchedCount === 0) return undefined;
      await blocks.copy(end.blocks);
      return seqOf(end);
    }
    // The first writer of this version, or one that ended in the middle of a batch.
    const covered = await moveOn(chainId, token);
    const seq = await headSeq(chainId);
    await ends.insertOne(endOf(chainId, token, seq, covered));
    await blocks.copy(covered);
    return seq;
  };

  return {
    /** Shuts out every writer with a lower token. @returns where the log ends. @throws LeaseLost. */
    async takeOver(chainId: number, token: number): Promise<number> {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const seq = await tryTakeOver(chainId, token).catch((error: unknown) => {
          // Another writer has taken the place meanwhile.
          if (isDuplicateKey(error)) return undefined;
          throw error;
        });
        if (seq !== undefined) return seq;
      }
      throw lost(chainId);
    },
    /** @throws LeaseLost when the log ends elsewhere, or is another's. */
    async append(
      chainId: number,
      { token, seq }: Pick<LogHead, 'token' | 'seq'>,
      entries: ChainLogDocument[],
    ): Promise<void> {
      const [first, ...rest] = entries;
      if (!first) return;
      const { _id, ...content } = first;
      const { matchedCount } = await ends.replaceOne({ _id, seq: null, token }, content as never);
      if (matchedCount === 0) throw lost(chainId);
      try {
        // In order, so that readers never see a gap.
        await log.insertMany([...rest, endOf(chainId, token, seq + entries.length) as never], { ordered: true });
      } catch (error) {
        throw isDuplicateKey(error) ? lost(chainId) : error;
      }
    },
    /** @throws LeaseLost when the log ends elsewhere, or is another's. */
    async cover(
      chainId: number,
      { token, seq }: Pick<LogHead, 'token' | 'seq'>,
      covered: ChainBlockDocument[],
    ): Promise<void> {
      const place = { _id: placeOf(chainId, seq + 1), seq: null, token };
      const { matchedCount } = await ends.updateOne(place, { $set: { blocks: covered } });
      if (matchedCount === 0) throw lost(chainId);
      await blocks.copy(covered);
    },
  };
}
