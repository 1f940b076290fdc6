import { closeSync, existsSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

const FILE_NAME = 'store.sqlite';
// 2 added the documents' checksums.
const FORMAT = 2;
/** Most commits change one small document: with pages of 4 096 bytes they write a third more. */
const PAGE_BYTES = 2048;
const SCHEMA = `CREATE TABLE collections (id INTEGER PRIMARY KEY AUTOINCREMENT, db TEXT NOT NULL,
    name TEXT NOT NULL, uuid BLOB NOT NULL, UNIQUE (db, name)) STRICT;
  CREATE TABLE indexes (id INTEGER PRIMARY KEY AUTOINCREMENT, collection INTEGER NOT NULL,
    name TEXT NOT NULL, spec BLOB NOT NULL, multikey INTEGER NOT NULL, UNIQUE (collection, name)) STRICT;
  PRAGMA user_version = ${FORMAT}`;

// SQLite's primary result codes; the upper bits say more.
const CORRUPT = 11;
const FULL = 13;
const NOT_A_DATABASE = 26;

const resultCode = (error: unknown): number => ((error as { errcode?: number } | null)?.errcode ?? 0) & 0xff;

/** True when SQLite found no space for a write. */
export const isDiskFull = (error: unknown): boolean => resultCode(error) === FULL;

/** True when SQLite could not make sense of its file. */
export const isDamage = (error: unknown): boolean => [CORRUPT, NOT_A_DATABASE].includes(resultCode(error));

/** What is wrong with a data file, and what its operator can do. */
export const damageMessage = (path: string, fault: string): string =>
  `${path} is damaged: ${fault}. Stop the store and put a backup of its whole directory in its place, or move the directory away to begin with an empty store; sqlite3's ".recover" saves what can still be read.`;

function createFile(dataDir: string, path: string): void {
  const draft = join(dataDir, `${FILE_NAME}.new-${process.pid}`);
  rmSync(draft, { force: true });
  const db = new DatabaseSync(draft);
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = OFF; BEGIN; ${SCHEMA}; COMMIT`);
  db.close();
  const file = openSync(draft, 'r');
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, path);
  } catch (error) {
    // Another process was first: its file is used, and its lock decides. Some file systems have no hard links.
    if ((error as { code?: string }).code !== 'EEXIST') renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * The path of the data file, made with its tables when the directory holds none. It appears whole or not at all, so an
 * empty file, or a log without its file, was never a store of ours that is still to be filled.
 * @throws {Error} when documents were there and are gone.
 */
export function dataFileOf(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, FILE_NAME);
  if (existsSync(path)) {
    if (statSync(path).size === 0) throw new Error(damageMessage(path, 'it is empty'));
    return path;
  }
  if (existsSync(`${path}-wal`) && statSync(`${path}-wal`).size > 0) {
    throw new Error(damageMessage(path, 'it is missing, while its log is there'));
  }
  createFile(dataDir, path);
  return path;
}

type Owner = { id: number; db: string; name: string };

const owners = (db: DatabaseSync): Owner[] =>
  db.prepare('SELECT id, db, name FROM collections').all() as unknown as Owner[];

/** Documents of before have no checksum until they are written again; neither have those a store of before wrote since. */
function upgrade(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  for (const { id } of owners(db)) {
    const known = db.prepare(`SELECT 1 FROM pragma_table_info('c_${id}') WHERE name = 'sum'`).get();
    db.exec(known ? `UPDATE c_${id} SET sum = NULL` : `ALTER TABLE c_${id} ADD COLUMN sum INTEGER`);
  }
  db.exec(`PRAGMA user_version = ${FORMAT}; COMMIT`);
}

/** SQLite checks how its pages hang together, not what is in them. */
function checkDocuments(db: DatabaseSync, path: string): void {
  for (const { id, db: database, name } of owners(db)) {
    const rows = db.prepare(`SELECT rid, doc, sum FROM c_${id} WHERE sum IS NOT NULL`).iterate();
    for (const { rid, doc, sum } of rows) {
      if (crc32(doc as Uint8Array) === sum) continue;
      throw new Error(damageMessage(path, `row ${rid} of ${database}.${name} differs from its checksum`));
    }
  }
}

/** Reads the whole file once. @throws {Error} that names the file and what to do when a page or a document of it is wrong. */
export function checkDataFile(db: DatabaseSync, path: string): void {
  const { user_version: format } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (format !== FORMAT && format !== 1) throw new Error(damageMessage(path, `its format is ${format}, not ${FORMAT}`));
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('collections', 'indexes')").get();
  if (tables?.n !== 2) throw new Error(damageMessage(path, 'its list of collections is missing'));
  const found = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (found.quick_check !== 'ok') throw new Error(damageMessage(path, found.quick_check.replaceAll('\n', ' ')));
  if (format === 1) upgrade(db);
  checkDocuments(db, path);
}
