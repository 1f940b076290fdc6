import type { BaseConfig } from '@castellan/service-kit';
import { mongo } from 'mongoose';
import { loadConfig } from '../../../services/vaults/src/config.ts';
import { openArchivePlace } from '../../../services/vaults/src/log/adapters/archive-place.ts';
import { decodeRange } from '../../../services/vaults/src/log/domain/archived-range.ts';
import { type LogArchiveDocument, logArchives } from '../../../services/vaults/src/log/models/log-archive.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';
import type { Process } from './processes.ts';

const store = findingsOf('store');
const patienceMs = 5_000;

/** Where vaults reads the archive of the log; null where none is set, or where its configuration cannot be read, which is reported elsewhere. */
function placeOf({ env }: Process): string | null {
  try {
    return loadConfig(env).logArchive;
  } catch {
    return null;
  }
}

async function checkNewest(range: LogArchiveDocument, place: string | null): Promise<Finding> {
  const subject = `archive of chain ${range.chain_id}`;
  try {
    if (place === null) throw new Error('LOG_ARCHIVE is not set');
    decodeRange(await (await openArchivePlace(place)).read(range.file), range);
    return store.ok(subject, `${range.file} is whole`);
  } catch (error) {
    const remedy =
      'Set LOG_ARCHIVE of vaults to where castellan archive-log wrote it, and see that vaults may read there.';
    return store.fault(subject, `${range.file} cannot be read: ${messageOf(error)}`, remedy);
  }
}

/** Reads the newest file of each chain's archive, as vaults reads it; a store that cannot be reached is reported elsewhere. */
export async function checkArchive(process: Process, { uri, database }: BaseConfig['mongo']): Promise<Finding[]> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: patienceMs, appName: 'castellan-doctor' });
  try {
    const ranges = client.db(database).collection<LogArchiveDocument>(logArchives.name);
    const found: Finding[] = [];
    for (const chainId of await ranges.distinct('chain_id')) {
      const [newest] = await ranges.find({ chain_id: chainId }).sort({ to_seq: -1 }).limit(1).toArray();
      if (newest) found.push(await checkNewest(newest, placeOf(process)));
    }
    return found;
  } catch {
    return [];
  } finally {
    await client.close();
  }
}
