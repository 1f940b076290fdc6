import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { backups } from '@castellan/service-kit';
import type { mongo } from 'mongoose';
import { databaseServices, truthOf } from '../collections.ts';
import type { Databases } from './databases.ts';
import { seal } from './envelope.ts';
import { atOneMoment, type Moment, NoMoment } from './moment.ts';
import { type Begin, type Manifest, type Source, writeRecords } from './records.ts';

type Options = {
  client: mongo.MongoClient;
  databases: Databases;
  file: string;
  passphrase: string;
  release: string;
  now: () => Date;
  /** Of progress; a line without its end. */
  say: (line: string) => void;
};

function* sourcesOf(moment: Moment, databases: Databases): Generator<Source> {
  for (const service of databaseServices)
    for (const { name, version } of truthOf(service)) {
      const documents = moment.documents(databases[service], name);
      yield { service, collection: name, version, documents };
    }
}

/** The name stands for a whole backup: it is there once all of it is on the disk, and never replaces another file. */
async function publish(partial: string, file: string): Promise<void> {
  await sync(partial);
  await link(partial, file).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EEXIST' ? new Error(`${file} is there already; a backup never replaces a file.`) : error;
  });
  await sync(dirname(file));
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** A transaction of the store of npm start ends when an index is made meanwhile, as services do when they start. */
const mostTries = 5;

/** Writes the truth of all databases, as it is at one moment, into a sealed file that its owner alone may read. */
export async function backUp(options: Options): Promise<Begin & Manifest> {
  for (let tries = 1; ; tries += 1) {
    try {
      const made = await backUpOnce(options);
      await note(options, made);
      return made;
    } catch (error) {
      if (!(error instanceof NoMoment && error.isPassing) || tries === mostTries) throw error;
      options.say('the store ended the transaction: the backup begins anew');
    }
  }
}

/** For the alert that no backup was made for long. The file is there and good, whatever becomes of this. */
async function note({ client, databases, say }: Options, { id, created_at }: Begin): Promise<void> {
  const notes = client.db(databases.users).collection<{ _id: 'last'; at: Date; backup: string }>(backups.name);
  const made = { at: new Date(created_at), backup: id };
  await notes.updateOne({ _id: 'last' }, { $set: made }, { upsert: true }).catch((error: Error) => {
    say(`could not note the backup in ${databases.users}, so that BackupOld will fire: ${error.message}`);
  });
}

/** Writes records into a sealed file that its owner alone may read. @param onEnd - Called after each collection. */
export async function writeSealed(
  { file, passphrase }: Pick<Options, 'file' | 'passphrase'>,
  begin: Begin,
  sources: Iterable<Source>,
  onEnd: Parameters<typeof writeRecords>[2] = () => undefined,
): Promise<void> {
  const partial = `${file}.${begin.id}.partial`;
  try {
    await pipeline(
      writeRecords(begin, sources, onEnd),
      createGzip(),
      (content) => seal(content as AsyncIterable<Buffer>, passphrase),
      createWriteStream(partial, { flags: 'wx', mode: 0o600 }),
    );
    await publish(partial, file);
  } finally {
    await rm(partial, { force: true });
  }
}

async function backUpOnce(options: Options): Promise<Begin & Manifest> {
  const { client, databases, release, now, say } = options;
  const id = randomUUID();
  const collections: Manifest['collections'] = [];
  return await atOneMoment(client, async (moment) => {
    const begin: Begin = { format: 1, id, release, created_at: now().toISOString(), moment: moment.kind };
    await writeSealed(options, begin, sourcesOf(moment, databases), (ended) => {
      collections.push(ended);
      if (ended.documents > 0) say(`${ended.service}.${ended.collection}: ${ended.documents} documents`);
    });
    return { ...begin, collections };
  });
}
