/**
 * How fast `vaults` indexes a chain from nothing: `node bench/backfill.ts [--events 200000] [--profile FOLDER]`. A chain with so many logs is
 * made once; then the service runs on it, as a process of its own beside a store and a bus, until the log is complete and published.
 * Goal: 16 000 events a second. Baseline: `getLogs` of viem and `insertMany`, without checks, order or anything that is published.
 * The short form, `--events 20000`, takes half a minute.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort, startTestNats, testKeysEnv } from '@castellan/testkit';
import { type Db, MongoClient } from 'mongodb';
import { createPublicClient, http, parseAbiItem } from 'viem';
import { end, run, startStore } from './analytics-system.ts';
import { type BackfillChain, startBackfillChain } from './backfill-chain.ts';
import { recordFigure } from './figures.ts';
import { cpuMsOf } from './processes.ts';

const GOAL = 16_000;
const CHAIN_ID = 31_337;
/** Blocks of one request of the baseline: as many logs as the service asks for at most. */
const BASELINE_BLOCKS = 50n;
const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '200000' }, profile: { type: 'string' } },
});

type Measured = { wallMs: number; cpuMs: number; storeMs: number };

/** Measures `work` by the clock and by the processor time of the process that does it and of the store. */
async function measured(pid: number, storePid: number | undefined, work: () => Promise<void>): Promise<Measured> {
  const storeCpu = () => (storePid === undefined ? 0 : cpuMsOf(storePid));
  const before = { at: performance.now(), cpu: cpuMsOf(pid), store: storeCpu() };
  await work();
  return {
    wallMs: performance.now() - before.at,
    cpuMs: cpuMsOf(pid) - before.cpu,
    storeMs: storeCpu() - before.store,
  };
}

/** What anybody would write first: logs of a range, decoded, inserted. */
async function plainLoop({ anvil, vaults, lastBlock }: BackfillChain, db: Db): Promise<void> {
  const client = createPublicClient({ transport: http(anvil.rpcUrl) });
  const event = parseAbiItem(
    'event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)',
  );
  const collection = db.collection('plain_logs');
  for (let fromBlock = 0n; fromBlock <= lastBlock; fromBlock += BASELINE_BLOCKS) {
    const toBlock = fromBlock + BASELINE_BLOCKS - 1n;
    const logs = await client.getLogs({ address: [...vaults], event, fromBlock, toBlock });
    const documents = logs.map(({ args, ...log }) => JSON.parse(textOf({ ...log, args })) as object);
    if (documents.length > 0) await collection.insertMany(documents);
  }
}

const textOf = (value: unknown) =>
  JSON.stringify(value, (_name, item) => (typeof item === 'bigint' ? String(item) : item));

async function main(): Promise<void> {
  const events = Number(options.events);
  const chain = await startBackfillChain(events);
  const folder = mkdtempSync(join(tmpdir(), 'castellan-bench-'));
  const deploymentFile = join(folder, 'deployment.json');
  const store = await startStore();
  const nats = await startTestNats();
  const mongo = await MongoClient.connect(store.uri);
  const database = `castellan_bench_${process.pid}`;
  const db = mongo.db(database);
  const profiling = options.profile ? `--cpu-prof --cpu-prof-dir=${options.profile}` : '';
  const service = run('services/vaults/src/main.ts', {
    NODE_OPTIONS: profiling,
    // The contracts of this chain answer no view: at the end the service would log that no vault can be read.
    LOG_LEVEL: 'silent',
    DEVNET_DEPLOYMENT_FILE: deploymentFile,
    DEVNET_RPC_URL: chain.anvil.rpcUrl,
    NATS_URL: nats.url,
    NAMESPACE: 'castellan',
    MONGODB_URI: store.uri,
    MONGODB_DATABASE: database,
    MONITORING_PORT: String(await freePort()),
    ...testKeysEnv('vaults'),
  });
  const collections = () => db.listCollections().toArray();
  const isPublished = async () => {
    const status = await db.collection<{ _id: number }>('chain_status').findOne({ _id: CHAIN_ID });
    return ((status as { published_seq?: number } | null)?.published_seq ?? 0) >= chain.entries;
  };
  const wait = async (done: () => Promise<boolean>) => {
    while (!(await done())) {
      if (service.exitCode !== null) throw new Error(`The vaults service ended with code ${service.exitCode}.`);
      await sleep(50);
    }
  };
  try {
    // It has started, and waits for the file.
    await wait(async () => (await collections()).length > 10);
    await sleep(1_000);
    const { governor, aggregator, ppsOracle } = chain;
    const deployment = { chain_id: CHAIN_ID, start_block: 0, governor, aggregator, pps_oracle: ppsOracle };
    const indexed = await measured(service.pid as number, store.pid, async () => {
      writeFileSync(deploymentFile, JSON.stringify(deployment));
      await wait(isPublished);
    });
    await end(service);
    const plain = await measured(process.pid, store.pid, () => plainLoop(chain, db));
    print(events, indexed, plain);
  } finally {
    await end(service);
    await db.dropDatabase();
    await mongo.close();
    await Promise.all([store.stop(), nats.stop(), chain.anvil.stop()]);
    rmSync(folder, { recursive: true });
  }
}

function print(events: number, indexed: Measured, plain: Measured): void {
  const rate = (ms: number) => (1_000 * events) / ms;
  const rows = [
    ['events a second', rate(indexed.wallMs), rate(plain.wallMs), GOAL],
    ['events a second of processor time', rate(indexed.cpuMs), rate(plain.cpuMs), GOAL],
    ['events a second of processor time of the store', rate(indexed.storeMs), rate(plain.storeMs), undefined],
  ] as const;
  process.stdout.write(`${''.padEnd(50)}${['vaults', 'getLogs', 'goal'].map((cell) => cell.padStart(10)).join('')}\n`);
  for (const [name, value, baseline, goal] of rows) {
    recordFigure({ name, unit: 'per s', value, baseline, goal });
    const cells = [value, baseline, goal].map((cell) => (cell === undefined ? '' : cell.toFixed(0)).padStart(10));
    process.stdout.write(`${name.padEnd(50)}${cells.join('')}\n`);
  }
}

await main();
