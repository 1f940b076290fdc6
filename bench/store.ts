import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, MongoClient } from 'mongodb';
import { startDocumentStore } from '../packages/embedded/src/index.ts';
import { recordFigure } from './figures.ts';

/**
 * Speed of the document store as the driver sees it, over TCP on this machine. Runs against MONGODB_URI when it is
 * set, which gives the baseline of a real server. Usage: node bench/store.ts
 */
type Doc = { _id: number; vault: string; block: number; assets: string; at: Date };
type Result = { name: string; value: number; unit: 'per s' | 'ms'; goal: number | undefined };

const DOCUMENTS = 100_000;
const INSERTS = 5_000;
const FINDS = 10_000;
const RANGE = 500;
const WARM_UP = 500;

const docOf = (i: number): Doc => ({
  _id: i,
  vault: `0x${(i % 50).toString(16).padStart(40, '0')}`,
  block: i,
  assets: `${BigInt(i) * 10n ** 18n}`,
  at: new Date(1_700_000_000_000 + i * 12_000),
});

async function perSecond(times: number, work: (i: number) => Promise<unknown>): Promise<number> {
  for (let i = 0; i < WARM_UP; i += 1) await work(-1 - i);
  const start = performance.now();
  for (let i = 0; i < times; i += 1) await work(i);
  return times / ((performance.now() - start) / 1000);
}

async function medianMs(times: number, work: (i: number) => Promise<unknown>): Promise<number> {
  const spent: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const start = performance.now();
    await work(i);
    spent.push(performance.now() - start);
  }
  return spent.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}

async function inserts(coll: Collection<Doc>): Promise<Result[]> {
  const single = await perSecond(INSERTS, (i) => coll.insertOne(docOf(i)));
  await coll.deleteMany({});
  const journaled = await perSecond(1_000, (i) => coll.insertOne(docOf(i), { writeConcern: { w: 1, j: true } }));
  await coll.deleteMany({});
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < INSERTS) await coll.insertOne(docOf(next++));
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: 16 }, lane));
  const together = INSERTS / ((performance.now() - start) / 1000);
  await coll.deleteMany({});
  return [
    { name: 'single inserts, one after another', value: single, unit: 'per s', goal: 3_000 },
    { name: 'single inserts with j: true', value: journaled, unit: 'per s', goal: undefined },
    { name: 'single inserts, 16 at a time', value: together, unit: 'per s', goal: undefined },
  ];
}

async function reads(coll: Collection<Doc>): Promise<Result[]> {
  const loadStart = performance.now();
  for (let from = 0; from < DOCUMENTS; from += 5_000) {
    await coll.insertMany(Array.from({ length: 5_000 }, (_, i) => docOf(from + i)));
  }
  const loaded = DOCUMENTS / ((performance.now() - loadStart) / 1000);
  const spread = (i: number) => (Math.abs(i) * 7_919) % DOCUMENTS;
  const point = await perSecond(FINDS, (i) => coll.findOne({ _id: spread(i) }));
  const range = await medianMs(100, (i) => {
    const from = spread(i * 13) % (DOCUMENTS - RANGE);
    return coll.find({ block: { $gte: from, $lt: from + RANGE } }, { batchSize: RANGE }).toArray();
  });
  const vault = docOf(7).vault;
  const latest = await medianMs(100, () => coll.find({ vault }).sort({ block: -1 }).limit(100).toArray());
  const updates = await perSecond(INSERTS, (i) => coll.updateOne({ _id: spread(i) }, { $set: { assets: String(i) } }));
  const grouped = await medianMs(5, () =>
    coll
      .aggregate([
        { $match: { block: { $gte: 50_000 } } },
        { $group: { _id: '$vault', n: { $sum: 1 }, last: { $max: '$block' } } },
      ])
      .toArray(),
  );
  return [
    { name: 'batch load with two indexes', value: loaded, unit: 'per s', goal: undefined },
    { name: 'point finds by _id', value: point, unit: 'per s', goal: 5_000 },
    { name: `indexed range of ${RANGE} in ${DOCUMENTS}`, value: range, unit: 'ms', goal: 10 },
    { name: 'latest 100 of a vault by index', value: latest, unit: 'ms', goal: undefined },
    { name: 'updates by _id', value: updates, unit: 'per s', goal: undefined },
    { name: 'group over 50000 documents', value: grouped, unit: 'ms', goal: undefined },
  ];
}

function print(target: string, results: Result[]): void {
  const rows = results.map(({ name, value, unit, goal }) => {
    const ratio = goal === undefined ? undefined : unit === 'ms' ? goal / value : value / goal;
    const shown = unit === 'ms' ? value.toFixed(2) : value.toFixed(0);
    return [
      name,
      `${shown} ${unit}`,
      goal === undefined ? '' : `${goal} ${unit}`,
      ratio === undefined ? '' : `${ratio.toFixed(2)}x`,
    ];
  });
  const lines = [['measure', 'result', 'goal', 'ratio to goal'], ...rows];
  for (const { name, value, unit, goal } of results) recordFigure({ name, value, unit, goal });
  process.stdout.write(`document store at ${target}\n`);
  for (const [name = '', ...cells] of lines) {
    process.stdout.write(`${name.padEnd(38)}${cells.map((cell) => cell.padStart(16)).join('')}\n`);
  }
}

async function main(): Promise<void> {
  const given = process.env.MONGODB_URI;
  const dataDir = mkdtempSync(join(tmpdir(), 'castellan-bench-'));
  const store = given ? undefined : await startDocumentStore({ port: 0, dataDir });
  const client = await MongoClient.connect(given ?? store?.uri ?? '');
  const db = client.db(`castellan_bench_${process.pid}`);
  const coll = db.collection<Doc>('readings');
  try {
    const written = await inserts(coll);
    await coll.createIndex({ block: 1 });
    await coll.createIndex({ vault: 1, block: -1 });
    print(given ? new URL(given).host : 'the embedded store', [...written, ...(await reads(coll))]);
  } finally {
    await db.dropDatabase();
    await client.close();
    await store?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

await main();
