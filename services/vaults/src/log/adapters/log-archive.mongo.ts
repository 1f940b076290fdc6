import { AppError, type LogEntry } from '@castellan/contracts';
import type { Connection } from 'mongoose';
import { decodeRange, type KeyedEntry } from '../domain/archived-range.ts';
import { type LogArchiveDocument, logArchives } from '../models/log-archive.ts';
import type { ArchivePlace } from '../ports.ts';
import { openArchivePlace } from './archive-place.ts';

/** Ranges that are kept unpacked: one for each chain that is read through, and some more. A range takes some 15 MB. */
const MOST_OPEN = 4;

/** What of the log is no longer in the store, or not all of it. */
export type LogArchive = {
  /** Entries above a sequence, up to the end of the range that holds the next one; undefined when that is not archived. */
  after(chainId: number, afterSeq: number): Promise<LogEntry[] | undefined>;
  /** Entries of some names of one vault (lower case), of this moment (ISO 8601) or later, oldest first. */
  ofVault(chainId: number, vault: string, names: readonly string[], since: string): Promise<LogEntry[]>;
};

const toEntry = ({ key, ...entry }: KeyedEntry): LogEntry => entry;

/** What went wrong, in a word: messages of file systems and services may hold more than a reader is to see. */
const kindOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.name : 'Error');

function unreadable({ chain_id, from_seq, to_seq, file }: LogArchiveDocument, why: string, cause?: unknown): AppError {
  const what = `Entries ${from_seq} to ${to_seq} of the log of chain ${chain_id} are in the archive, and ${file} cannot be read`;
  return new AppError('SERVICE_UNAVAILABLE', `${what}: ${why}. Check LOG_ARCHIVE of vaults.`, { cause });
}

/** @param place - The path of a folder or an S3 URL; null where no archive is set. */
export function mongoLogArchive(connection: Connection, place: string | null): LogArchive {
  const ranges = logArchives.open(connection);
  const unpacked = new Map<string, Promise<LogEntry[]>>();
  let opened: Promise<ArchivePlace> | undefined;

  const read = async (range: LogArchiveDocument): Promise<LogEntry[]> => {
    if (place === null) throw unreadable(range, 'none is set');
    try {
      opened ??= openArchivePlace(place);
      return decodeRange(await (await opened).read(range.file), range).map(toEntry);
    } catch (error) {
      throw unreadable(range, kindOf(error), error);
    }
  };
  const entriesOf = (range: LogArchiveDocument): Promise<LogEntry[]> => {
    const known = unpacked.get(range.file) ?? read(range);
    // The one that was used last is dropped last.
    unpacked.delete(range.file);
    unpacked.set(range.file, known);
    known.catch(() => unpacked.delete(range.file));
    const [oldest] = unpacked.keys();
    if (unpacked.size > MOST_OPEN && oldest !== undefined) unpacked.delete(oldest);
    return known;
  };

  return {
    async after(chainId, afterSeq) {
      const next = { chain_id: chainId, to_seq: { $gt: afterSeq } };
      const [range] = await ranges.find(next).sort({ to_seq: 1 }).limit(1).toArray();
      if (!range || range.from_seq > afterSeq + 1) return undefined;
      return (await entriesOf(range)).slice(afterSeq + 1 - range.from_seq);
    },
    async ofVault(chainId, vault, names, since) {
      const later = { chain_id: chainId, to_time: { $gte: since } };
      const found: LogEntry[] = [];
      for (const range of await ranges.find(later).sort({ to_seq: 1 }).toArray())
        for (const entry of await entriesOf(range)) {
          const isOfVault = entry.vault_address?.toLowerCase() === vault;
          if (isOfVault && names.includes(entry.name) && entry.block_time >= since) found.push(entry);
        }
      return found;
    },
  };
}
