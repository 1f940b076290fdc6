import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@castellan/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';

let dataDir: string;
const entry = join(import.meta.dirname, '../src/store-main.ts');
const children: ChildProcess[] = [];

async function startProcess(): Promise<{ child: ChildProcess; uri: string }> {
  const child = spawn(process.execPath, [entry], {
    env: { ...process.env, NODE_OPTIONS: '', STORE_PORT: '0', STORE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  for await (const line of lines) {
    const { port } = JSON.parse(line) as { port?: number };
    if (port) return { child, uri: `mongodb://127.0.0.1:${port}` };
  }
  throw new Error('the store ended before it was ready');
}

const ended = (child: ChildProcess) => new Promise<number | null>((done) => child.once('exit', (code) => done(code)));

/** Its folder may go once it has. */
const killed = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = ended(child);
  child.kill('SIGKILL');
  await gone;
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'castellan-crash-'));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(killed));
  rmSync(dataDir, { recursive: true, force: true });
});

test('kill -9 during writes loses nothing that was acknowledged and leaves the indexes right', async () => {
  const acknowledged = new Map<number, number>();
  for (let round = 0; round < 3; round += 1) {
    const { child, uri } = await startProcess();
    const client = await MongoClient.connect(uri);
    const coll = client.db('crash').collection<{ _id: number; n: number; tags: number[] }>('docs');
    await coll.createIndex({ n: 1 }, { unique: true });
    await coll.createIndex({ tags: 1 });
    let next = round * 1_000_000;
    const write = async (): Promise<void> => {
      for (;;) {
        const id = next++;
        await coll.insertOne({ _id: id, n: id * 2, tags: [id % 7, 100] });
        acknowledged.set(id, id * 2);
        if (id % 3 !== 0) continue;
        await coll.updateOne({ _id: id }, { $set: { n: id * 2 + 1, 'tags.0': 99 } });
        acknowledged.set(id, id * 2 + 1);
      }
    };
    const writers = Promise.allSettled(Array.from({ length: 8 }, write));
    const before = acknowledged.size;
    await until('writes to be under way', () => acknowledged.size >= before + 200);
    const gone = ended(child);
    child.kill('SIGKILL');
    await gone;
    // Closed first: the writers would look for another server.
    await client.close();
    await writers;
  }
  expect(acknowledged.size).toBeGreaterThan(20);

  const { child, uri } = await startProcess();
  const client = await MongoClient.connect(uri);
  const coll = client.db('crash').collection<{ _id: number; n: number; tags: number[] }>('docs');
  const stored = new Map((await coll.find().toArray()).map((doc) => [doc._id, doc]));
  const lost = [...acknowledged].filter(([id, n]) => {
    const found = stored.get(id)?.n;
    // An update that was on its way when the process died may have happened or not.
    return found !== n && found !== n + 1;
  });
  expect(lost).toEqual([]);
  const byIndex = await coll
    .find({ n: { $gte: 0 } })
    .sort({ n: 1 })
    .toArray();
  expect(byIndex.map((doc) => doc._id).sort()).toEqual([...stored.keys()].sort());
  const tagged = [...stored.values()].filter((doc) => doc.tags.includes(99)).length;
  expect(await coll.countDocuments({ tags: 99 })).toBe(tagged);
  await client.close();
  const stopped = ended(child);
  child.kill('SIGTERM');
  expect(await stopped).toBe(0);
});

test('two processes never share a data directory', async () => {
  await startProcess();
  const second = spawn(process.execPath, [entry], {
    env: { ...process.env, NODE_OPTIONS: '', STORE_PORT: '0', STORE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(second);
  let said = '';
  second.stderr.on('data', (data) => {
    said += String(data);
  });
  // Not at its exit: what it said may come behind that.
  expect(await new Promise((done) => second.once('close', done))).toBe(1);
  expect(said).toContain('in use by another store process');
});
