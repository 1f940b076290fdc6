import type { LogEntry } from '@castellan/contracts';
import type { mongo } from 'mongoose';
import { archivedNames, decodeRange, encodeRange, gapAfter, type KeyedEntry } from '../domain/archived-range.ts';
import { type ChainLogDocument, chainLog } from '../models/chain-log.ts';
import { type LogArchiveDocument, logArchives } from '../models/log-archive.ts';
import type { ArchivePlace } from '../ports.ts';

/** Entries of one file: about 4 MB of JSON, 0.5 MB packed. */
const RANGE_ENTRIES = 5_000;

export type ArchiveOptions = {
  /** Of the vaults service; its writes count once most members have them on disk. */
  db: mongo.Db;
  place: ArchivePlace;
  chainId: number;
  /** Entries stay that are of this block or a later one, or of this moment (ISO 8601) or later. */
  before: { block: number; time: string };
  now: () => Date;
  /** Of progress; a line without its end. */
  say: (line: string) => void;
  rangeEntries?: number;
};

/** Nobody keeps traces for as long as an archive. */
const toKeyed = ({ _id, vault, trace, ...entry }: ChainLogDocument): KeyedEntry => entry;
const fileOf = ({ chain_id, from_seq, to_seq, sha256 }: Omit<LogArchiveDocument, 'file'>): string =>
  `${chain_id}/${String(from_seq).padStart(12, '0')}-${String(to_seq).padStart(12, '0')}-${sha256.slice(0, 16)}.jsonl.gz`;

/**
 * Moves the oldest entries of a chain's log to files, range by range: a file is written and read back, then the range is noted, and only
 * then do entries leave the store. Whatever it was cut short in, the next run completes: until an entry has left it is in both places.
 * @returns how many entries were archived.
 */
export async function archiveLog(options: ArchiveOptions): Promise<number> {
  const { db, chainId, say } = options;
  const ranges = db.collection<LogArchiveDocument>(logArchives.name);
  for await (const begun of ranges.find({ chain_id: chainId, removed_at: null }).sort({ to_seq: 1 }))
    await removeArchived(options, await readBack(options, begun));
  const [last] = await ranges.find({ chain_id: chainId }).sort({ to_seq: -1 }).limit(1).toArray();
  let archived = 0;
  for (let after = last?.to_seq ?? 0; ; ) {
    const entries = await nextRange(options, after);
    if (!entries) return archived;
    const range = await archiveRange(options, entries);
    await removeArchived(options, range);
    say(`${range.file}: entries ${range.from_seq} to ${range.to_seq}, ${range.bytes} bytes`);
    archived += range.count;
    after = range.to_seq;
  }
}

/** Undefined when entries of a whole range are not all old enough. The newest entry of a log stays: its number is the end of the log. */
async function nextRange(
  { db, chainId, before, rangeEntries = RANGE_ENTRIES }: ArchiveOptions,
  after: number,
): Promise<KeyedEntry[] | undefined> {
  const found = await db
    .collection<ChainLogDocument>(chainLog.name)
    .find({ chain_id: chainId, seq: { $gt: after } })
    .sort({ seq: 1 })
    .limit(rangeEntries + 1)
    .toArray();
  const gap = gapAfter(found, after);
  if (gap !== null) throw new Error(`The log of chain ${chainId} has a gap after entry ${gap}. Nothing was archived.`);
  const entries = found.slice(0, rangeEntries).map(toKeyed);
  const isOld = ({ block_number, block_time }: LogEntry) => block_number < before.block && block_time < before.time;
  return found.length > rangeEntries && entries.every(isOld) ? entries : undefined;
}

/** @throws RangeDamaged */
async function readBack(
  { place }: Pick<ArchiveOptions, 'place'>,
  range: LogArchiveDocument,
): Promise<LogArchiveDocument> {
  decodeRange(await place.read(range.file), range);
  return range;
}

async function archiveRange(
  { db, place, now }: ArchiveOptions,
  entries: readonly KeyedEntry[],
): Promise<LogArchiveDocument> {
  const { range: summary, content } = encodeRange(entries);
  const described = {
    _id: `${summary.chain_id}:${summary.from_seq}`,
    ...summary,
    bytes: content.length,
    archived_at: now(),
    removed_at: null,
  };
  const range: LogArchiveDocument = { ...described, file: fileOf(described) };
  await place.write(range.file, content);
  await readBack({ place }, range);
  await db.collection<LogArchiveDocument>(logArchives.name).insertOne(range);
  return range;
}

/** Takes entries out of the store that a file holds which was read back. */
async function removeArchived({ db, now }: ArchiveOptions, range: LogArchiveDocument): Promise<void> {
  const { chain_id, from_seq, to_seq } = range;
  await db
    .collection<ChainLogDocument>(chainLog.name)
    .deleteMany({ chain_id, seq: { $gte: from_seq, $lte: to_seq }, name: { $in: [...archivedNames] } });
  await db
    .collection<LogArchiveDocument>(logArchives.name)
    .updateOne({ _id: range._id }, { $set: { removed_at: now() } });
}
