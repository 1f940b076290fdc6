import type { ChildProcess } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { startDocumentStore } from '../src/index.ts';
import { spawnStore } from './store-process.ts';

let dataDir: string;
let path: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'castellan-file-'));
  path = join(dataDir, 'store.sqlite');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const start = () => startDocumentStore({ port: 0, dataDir });

/** A store with some documents, stopped. */
async function filled(): Promise<void> {
  const store = await start();
  const client = await MongoClient.connect(store.uri);
  const docs = Array.from({ length: 2_000 }, (_, n) => ({ n, text: `document ${n} `.repeat(20) }));
  await client.db('file').collection('docs').insertMany(docs);
  await client.close();
  await store.stop();
}

const remedy = /store\.sqlite is damaged: .*backup.*move the directory away/;

test('default: a directory without a file begins an empty store, which is there after a restart', async () => {
  await filled();
  const store = await start();
  const client = await MongoClient.connect(store.uri);
  expect(await client.db('file').collection('docs').countDocuments()).toBe(2_000);
  await client.close();
  await store.stop();
});

test('behavior: one more small document writes a few kB', async () => {
  await filled();
  const store = await start();
  const client = await MongoClient.connect(store.uri);
  const docs = client.db('file').collection<{ _id: number; text: string }>('small');
  await docs.insertOne({ _id: 0, text: 'the collection is there' });
  const size = () => statSync(`${path}-wal`).size;
  const before = size();
  for (let n = 1; n <= 10; n += 1) await docs.insertOne({ _id: n, text: `document ${n}` });
  // Three pages: of its row, of its key, of the collection's last row number.
  expect((size() - before) / 10).toBeLessThan(7_000);
  await client.close();
  await store.stop();
});

const damages: [string, () => void][] = [
  ['error: an empty file is not a fresh store', () => truncateSync(path, 0)],
  ['error: a file cut short is named with the remedy', () => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ['error: a file that is no database is named with the remedy', () => writeFileSync(path, 'x'.repeat(100_000))],
  [
    'error: pages overwritten in the middle are named with the remedy',
    () => {
      const file = openSync(path, 'r+');
      const middle = Math.floor(statSync(path).size / 2 / 4096) * 4096;
      writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, middle);
      closeSync(file);
    },
  ],
  [
    'error: one changed byte of one document is named with the remedy',
    () => {
      const bytes = readFileSync(path);
      const at = bytes.indexOf('document 777 document 777');
      writeFileSync(path, bytes.fill('D', at, at + 1));
    },
  ],
  [
    'error: a log without its file is not a fresh store',
    () => {
      rmSync(path);
      writeFileSync(`${path}-wal`, 'x'.repeat(5_000));
    },
  ],
];
test.each(damages)('%s', async (_name, damage) => {
  await filled();
  damage();
  await expect(start()).rejects.toThrow(remedy);
});

test('behavior: a file of before checksums is taken over, and checked from the next write on', async () => {
  await filled();
  const old = new DatabaseSync(path);
  const [{ id } = { id: 0 }] = old.prepare('SELECT id FROM collections').all();
  old.exec(`ALTER TABLE c_${id} DROP COLUMN sum; PRAGMA user_version = 1`);
  old.close();
  const store = await start();
  const client = await MongoClient.connect(store.uri);
  const docs = client.db('file').collection('docs');
  await docs.updateOne({ n: 777 }, { $set: { text: 'written again' } });
  expect(await docs.countDocuments({ n: { $gte: 0 } })).toBe(2_000);
  await client.close();
  await store.stop();
  const bytes = readFileSync(path);
  const at = bytes.indexOf('written again');
  writeFileSync(path, bytes.fill('W', at, at + 1));
  await expect(start()).rejects.toThrow(/of file\.docs differs from its checksum/);
});

test('error: an empty file and its log are left as they are', async () => {
  await filled();
  truncateSync(path, 0);
  writeFileSync(`${path}-wal`, 'what could be saved');
  await expect(start()).rejects.toThrow(remedy);
  expect(readFileSync(`${path}-wal`, 'utf8')).toBe('what could be saved');
});

test('behavior: SIGTERM in the moment of "ready" stops the store cleanly', async () => {
  const preload = `const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (text) => { write(text); if (String(text).includes('ready')) process.kill(process.pid, 'SIGTERM'); };`;
  const { child, ended } = spawnStore(dataDir, preload);
  children.push(child);
  expect(await ended).toEqual({ code: 0, signal: null, said: '' });
});
