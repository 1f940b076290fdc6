import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { mongo } from 'mongoose';
import { z } from 'zod';
import { writeSealed } from './backup/backup.ts';
import { BackupDamaged, type Begin, type Section } from './backup/records.ts';
import { readSealed } from './backup/restore.ts';

/** The folder of a deployment's secrets as one sealed file, of the form that backups have; neither is taken for the other. */
const section: Section = { service: 'secrets', collection: 'files', version: 1 };

/** Of an import under way. */
const unfinishedFolder = '.import';

const Entry = z.strictObject({
  name: z.string().regex(/^(?!\/)(?!(.*\/)?\.\.(\/|$)).+$/, 'must stay in the folder'),
  content: z.instanceof(mongo.Binary),
});
type Entry = z.output<typeof Entry>;

/** @throws Error for a link to a folder, which would be left out. */
function namesIn(folder: string): string[] {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true });
  const unfinished = join(folder, unfinishedFolder);
  const entries = all.filter(({ parentPath }) => parentPath !== unfinished);
  const others = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  const strange = others.find((path) => !statSync(path).isFile());
  if (strange) throw new Error(`${strange} is no file: secrets are files and folders of them.`);
  return others.map((path) => relative(folder, path)).sort();
}

async function* documentsOf(folder: string, names: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const name of names)
    yield mongo.BSON.serialize({ name, content: new mongo.Binary(readFileSync(join(folder, name))) } satisfies Entry);
}

type Sealed = { file: string; folder: string; passphrase: string };

/** Seals every file of a folder. @returns their names. */
export async function exportSecrets(
  { file, folder, passphrase }: Sealed,
  made: { release: string; now: () => Date },
): Promise<string[]> {
  const names = namesIn(folder);
  if (names.length === 0) throw new Error(`There is no file in ${folder}.`);
  const created_at = made.now().toISOString();
  const begin: Begin = { format: 1, id: randomUUID(), release: made.release, created_at, moment: 'snapshot' };
  await writeSealed({ file, passphrase }, begin, [{ ...section, documents: documentsOf(folder, names) }]);
  return names;
}

/** Whether something else has the name. */
function isOther(folder: string, { name, content }: Entry): boolean {
  const path = join(folder, name);
  if (!existsSync(path)) return false;
  return !statSync(path).isFile() || !readFileSync(path).equals(content.value());
}

/** Each file appears whole or not at all: it is written in a folder of its own there, which an interrupted one may have left. */
function writeWhole(folder: string, entries: readonly Entry[]): void {
  const unfinished = join(folder, unfinishedFolder);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true, mode: 0o700 });
  try {
    for (const [index, { name, content }] of entries.entries()) {
      const path = join(folder, name);
      const written = join(unfinished, `${index}`);
      writeFileSync(written, content.value(), { flag: 'wx', mode: 0o600, flush: true });
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      // Unlike a rename, a link replaces nothing.
      linkSync(written, path);
    }
  } finally {
    rmSync(unfinished, { recursive: true });
  }
}

/**
 * Reads the whole file, then writes what was sealed, for its owner alone. No file is replaced; one that is there with the same text
 * stays, so that an import which was interrupted is run again. @returns their names.
 */
export async function importSecrets({ file, folder, passphrase }: Sealed): Promise<string[]> {
  const entries: Entry[] = [];
  await readSealed(
    { file, passphrase },
    {
      section: async ({ service, collection }) => {
        if (service !== section.service || collection !== section.collection)
          throw new Error(`${file} is a backup of databases: castellan restore takes it.`);
      },
      document: async (document) => {
        const read = Entry.safeParse(mongo.BSON.deserialize(document));
        if (!read.success) throw new BackupDamaged(`A record is malformed: ${z.prettifyError(read.error)}`);
        entries.push(read.data);
      },
    },
  );
  const others = entries.filter((entry) => isOther(folder, entry)).map(({ name }) => name);
  if (others.length > 0)
    throw new Error(`Nothing is replaced, and in ${folder} there are others: ${others.join(', ')}.`);
  writeWhole(
    folder,
    entries.filter(({ name }) => !existsSync(join(folder, name))),
  );
  return entries.map(({ name }) => name);
}
