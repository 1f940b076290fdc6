import { UsageError } from '@castellan/cli';
import type { mongo } from 'mongoose';
import { isArchivePlace, openArchivePlace } from '../../services/vaults/src/log/adapters/archive-place.ts';
import type { ChainStatusDocument } from '../../services/vaults/src/log/models/chain-status.ts';
import { logArchives } from '../../services/vaults/src/log/models/log-archive.ts';
import { archiveLog } from '../../services/vaults/src/log/use-cases/archive-log.ts';

/** Which entries may be archived: those of earlier blocks, and older than so many days of chain time. */
type Cut = { chainId: number; keepDays: number; beforeBlock: number };

/** Blocks of so many days are final on every chain, and what settings and strategies look back at stays in the store. */
const fewestDays = 2;
const daySeconds = 86_400;

const numberOf = (text: string | undefined, option: string, least: number): number => {
  if (!text || !/^\d{1,15}$/.test(text) || Number(text) < least)
    throw new UsageError(`${option} takes a whole number of ${least} or more.`);
  return Number(text);
};

/** @throws UsageError */
export const cutOf = (given: {
  chain?: string | undefined;
  keepDays: string;
  beforeBlock?: string | undefined;
}): Cut => ({
  chainId: numberOf(given.chain, '--chain', 1),
  keepDays: numberOf(given.keepDays, '--keep-days', fewestDays),
  beforeBlock:
    given.beforeBlock === undefined ? Number.MAX_SAFE_INTEGER : numberOf(given.beforeBlock, '--before-block', 1),
});

type Options = {
  /** Of the vaults service. */
  db: mongo.Db;
  /** The path of a folder, or `s3://bucket/prefix`. */
  place: string;
  cut: Cut;
  now: () => Date;
  /** A line without its end. */
  say: (line: string) => void;
};

/** Archives what is old enough of a chain's log. */
export async function archiveChainLog({
  db,
  place,
  cut,
  now,
  say,
}: Options): Promise<{ chain_id: number; entries: number }> {
  const { chainId, keepDays, beforeBlock } = cut;
  if (!isArchivePlace(place)) throw new UsageError('--to takes a folder or s3://bucket/prefix.');
  // A release that does not know of archives would read a log with gaps.
  const made = await db.listCollections({ name: logArchives.name }, { nameOnly: true }).toArray();
  if (made.length === 0)
    throw new Error(
      `${db.databaseName} was not opened by this release. Start vaults of this release first, everywhere.`,
    );
  const status = await db.collection<ChainStatusDocument>('chain_status').findOne({ _id: chainId });
  if (typeof status?.indexed_time !== 'number')
    throw new Error(`Chain ${chainId} is not indexed in ${db.databaseName}.`);
  const archived = await archiveLog({
    db,
    place: await openArchivePlace(place),
    chainId,
    before: { block: beforeBlock, time: new Date((status.indexed_time - keepDays * daySeconds) * 1000).toISOString() },
    now,
    say,
  });
  say(`${archived} entries of chain ${chainId} were archived.`);
  return { chain_id: chainId, entries: archived };
}
