import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { restores } from '@castellan/service-kit';
import { mongo } from 'mongoose';
import { type DatabaseService, databaseServices, truthOf } from '../collections.ts';
import type { Databases } from './databases.ts';
import { unseal } from './envelope.ts';
import { type Begin, type Manifest, type Reader, readRecords, type Section } from './records.ts';

type File = { file: string; passphrase: string };
type Options = File & {
  client: mongo.MongoClient;
  databases: Databases;
  now: () => Date;
  /** Of progress; a line without its end. */
  say: (line: string) => void;
};

/** The restore would not lead to what was backed up; nothing was written. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/** Opens a sealed file and hands its records to a reader. @throws SealBroken, BackupDamaged */
export async function readSealed({ file, passphrase }: File, reader: Reader): Promise<Begin & Manifest> {
  let read: (Begin & Manifest) | undefined;
  await pipeline(
    createReadStream(file, { highWaterMark: 2 ** 20 }),
    (sealed) => unseal(sealed as AsyncIterable<Buffer>, passphrase),
    createGunzip(),
    async (content: AsyncIterable<Buffer>) => {
      read = await readRecords(content, reader);
    },
  );
  if (!read) throw new Error('The backup was not read to its end.');
  return read;
}

const nameOf = ({ service, collection }: Pick<Section, 'service' | 'collection'>) => `${service}.${collection}`;

/** The definition that a section belongs to. @throws RestoreRefused for what this release does not take from a backup. */
function requireKnown({ service, collection, version }: Section, release: string): void {
  const known = databaseServices
    .filter((each) => each === service)
    .flatMap((each) => truthOf(each))
    .find(({ name }) => name === collection);
  if (!known)
    throw new RestoreRefused(
      `${nameOf({ service, collection })} is nothing that this release restores. The backup was made by ${release}.`,
    );
  if (version > known.version)
    throw new RestoreRefused(
      `${nameOf({ service, collection })} has version ${version}, and this release knows ${known.version}. Restore with ${release} or later.`,
    );
}

/** Reads a backup to its end and writes nothing. @throws SealBroken, BackupDamaged, RestoreRefused */
export async function checkBackup(given: File, reader: Reader = {}): Promise<Begin & Manifest> {
  const read = await readSealed(given, reader);
  for (const section of read.collections) requireKnown(section, read.release);
  return read;
}

/** Documents of a restored database, and what a restore that was interrupted noted of it. */
const notes = (client: mongo.MongoClient, database: string) =>
  client.db(database).collection<{
    _id: 'restore';
    backup: string;
    complete: string[];
    ended_at: Date | null;
    keeper_released_at: Date | null;
  }>(restores.name);

/** Collections with documents, by database; those of a restore of the same backup are no strangers. */
async function strangersIn(client: mongo.MongoClient, database: string, backup: string): Promise<string[]> {
  const note = await notes(client, database).findOne({ _id: 'restore' });
  if (note?.backup === backup && note.ended_at === null) return [];
  const found: string[] = [];
  for (const { name } of await client.db(database).listCollections({}, { nameOnly: true }).toArray()) {
    if (name.startsWith('system.')) continue;
    const count = await client.db(database).collection(name).estimatedDocumentCount();
    if (count > 0) found.push(`${database}.${name} (${count})`);
  }
  return found;
}

async function requireEmpty(client: mongo.MongoClient, databases: Databases, backup: string): Promise<void> {
  const found: string[] = [];
  for (const database of Object.values(databases)) found.push(...(await strangersIn(client, database, backup)));
  if (found.length > 0)
    throw new RestoreRefused(
      `A restore is into empty databases only. These collections have documents: ${found.join(', ')}. ` +
        'Stop the services, and name other databases (--database) or drop these.',
    );
}

const leases = 'leases';
/** Who held it does not run on this database; the count of its holders goes on. */
const freed = (lease: mongo.BSON.Document) => ({ ...lease, holder: '', expires_at: new Date(0) });

const batchDocuments = 1000;
const batchBytes = 8 * 2 ** 20;

/** Writes collections one after another; what is noted as complete is left as it is, what is not begins anew. */
class Writer implements Reader {
  readonly #options: Options;
  readonly #backup: string;
  #target: mongo.Collection | undefined;
  #waiting: mongo.BSON.Document[] = [];
  #bytes = 0;

  constructor(options: Options, backup: string) {
    this.#options = options;
    this.#backup = backup;
  }

  #database({ service }: Section): string {
    return this.#options.databases[service as DatabaseService];
  }

  async section(section: Section): Promise<void> {
    const { client } = this.#options;
    const note = await notes(client, this.#database(section)).findOne({ _id: 'restore', backup: this.#backup });
    const isThere = note?.complete.includes(section.collection) === true;
    this.#target = isThere ? undefined : client.db(this.#database(section)).collection(section.collection);
    await this.#target?.deleteMany({});
  }

  async document(document: Buffer): Promise<void> {
    if (!this.#target) return;
    // With their types as they were: a number that was a double stays one.
    const read = mongo.BSON.deserialize(document, { promoteValues: false, bsonRegExp: true });
    this.#waiting.push(this.#target.collectionName === leases ? freed(read) : read);
    this.#bytes += document.length;
    if (this.#waiting.length >= batchDocuments || this.#bytes >= batchBytes) await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length > 0) await this.#target?.insertMany(this.#waiting, { ignoreUndefined: false });
    this.#waiting = [];
    this.#bytes = 0;
  }

  async ended(section: Section, { documents }: { documents: number }): Promise<void> {
    if (!this.#target) return;
    await this.#flush();
    const count = await this.#target.countDocuments({});
    if (count !== documents)
      throw new Error(`${nameOf(section)} has ${count} documents of ${documents}. Is anything else writing to it?`);
    const complete = { $addToSet: { complete: section.collection } };
    await notes(this.#options.client, this.#database(section)).updateOne({ _id: 'restore' }, complete);
    if (documents > 0) this.#options.say(`${nameOf(section)}: ${documents} documents`);
  }
}

/**
 * Reads the whole backup first, then writes it into empty databases. Until the end services refuse to start on them. One that was
 * interrupted is run again with the same file: each collection is complete or begins anew.
 */
export async function restore(options: Options): Promise<Begin & Manifest> {
  const { client, databases, now, say } = options;
  const checked = await checkBackup(options);
  say(`the backup ${checked.id} of ${checked.created_at} is whole`);
  await requireEmpty(client, databases, checked.id);
  for (const database of Object.values(databases)) {
    const begun = { $setOnInsert: { backup: checked.id, complete: [], ended_at: null, keeper_released_at: null } };
    await notes(client, database).updateOne({ _id: 'restore' }, begun, { upsert: true });
  }
  await readSealed(options, new Writer(options, checked.id));
  for (const database of Object.values(databases))
    await notes(client, database).updateOne({ _id: 'restore', backup: checked.id }, { $set: { ended_at: now() } });
  return checked;
}
