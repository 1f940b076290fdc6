import { type Action, ChainStream, ExportPage, GetOverview, type LogEntry } from '@castellan/contracts';
import {
  bindIdentity,
  callAction,
  connectMongo,
  createRegistry,
  type RunningService,
  startService,
} from '@castellan/service-kit';
import {
  startTestNats,
  startTestStore,
  type TestNats,
  type TestStore,
  testIdentity,
  testKeysEnv,
  until,
} from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProjectionStore } from '../src/adapters/projection-store.mongo.ts';
import { compose } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { CHAIN, START, wallet } from '../src/domain/chain-log.fixture.ts';
import { momentOf } from '../src/domain/moment.fixture.ts';
import { played, type Step, steps } from '../src/domain/random-vault.fixture.ts';
import type { VaultLog } from '../src/domain/vault-log.fixture.ts';
import { openCollections } from '../src/models/collections.ts';
import { historiesAt } from '../src/use-cases/histories.fixture.ts';
import { reads } from '../src/use-cases/reads.fixture.ts';
import { FakeVaults, reorganised } from './fake-vaults.ts';

/** The service as it runs: its own process on the bus, a real store, and the vaults service stood in for by a second broker. */

let nats: TestNats;
let store: TestStore;
let analytics: RunningService;
/** The service's database, seen from outside. */
let database: Awaited<ReturnType<typeof connectMongo>>;
let projection: ProjectionStore;
const vaults = new FakeVaults();

const sampled = (seed: number, count: number): Step[] =>
  fc.sample(
    fc.array(
      steps(1).map(([one]) => one as Step),
      { minLength: count, maxLength: count },
    ),
    { seed, numRuns: 1 },
  )[0] as Step[];
const COMMON = 60;
const common = sampled(1, COMMON);
/** Block 1 deploys the vault, each step is a block: ten of them will be void. */
const FORK = COMMON + 2;
const before = played([...common, ...sampled(2, 10)]);
// Its first block has an event: what a node says of a block without one is not known here.
const after = played([...common, ...sampled(5, 11)]);
const forked = reorganised(before.entries, after.entries, FORK, played(common).chain.time);

const configOf = (name: 'analytics' | 'vaults') =>
  loadConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    NATS_URL: nats.url,
    NATS_NAMESPACE: nats.namespace,
    MONGODB_URI: store.uri,
    MONGODB_DATABASE: `${store.database}_${name}`,
    MONITORING_PORT: '0',
    ...testKeysEnv(name),
  }).base;

const startAnalytics = () =>
  startService({
    name: 'analytics',
    config: configOf('analytics'),
    streams: [ChainStream],
    build: compose(100_000_000),
  });

const ask = (action: Action, params: Record<string, unknown>) =>
  callAction(vaultsBus.broker, action, params as never) as Promise<Record<string, unknown>>;
let vaultsBus: RunningService;

const about = (vault: VaultLog, more: object = {}) => ({ chain_id: CHAIN, vault_address: vault.vault, ...more });
const overview = (more: object = {}) => ask(GetOverview, about(before, more));

/** The bytes of every read of the service for a vault at a block. */
async function answers(vault: VaultLog, block?: number): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const [name, { action, needed }] of Object.entries(reads))
    found[name] = JSON.stringify(
      await ask(action, about(vault, { ...needed, receipt: true, ...(block === undefined ? {} : { block }) })),
    );
  return found;
}

/** The same, computed from the living log alone. */
async function expected(vault: VaultLog, block: number): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const histories = historiesAt(momentOf(vault, { block }));
  for (const [name, { read }] of Object.entries(reads))
    found[name] = JSON.stringify(await read({ histories }, about(vault, { receipt: true })));
  return found;
}

const seqOf = async () => (await projection.cursor(CHAIN))?.after_seq ?? 0;
const caughtUp = (entries: readonly LogEntry[]) =>
  until('the projection is caught up', async () => (await seqOf()) === entries.at(-1)?.seq);
const lastBlock = (entries: readonly LogEntry[]) => entries.at(-1)?.block_number ?? 0;

beforeAll(async () => {
  [nats, store] = await Promise.all([startTestNats(), startTestStore()]);
  vaults.lagSeconds = 3_600;
  vaultsBus = await vaults.start(configOf('vaults'));
  bindIdentity(vaultsBus.broker, testIdentity());
  database = await connectMongo({ ...configOf('analytics').mongo, registry: createRegistry('test') });
  projection = new ProjectionStore(openCollections(database));
  analytics = await startAnalytics();
  await vaultsBus.broker.waitForServices({ name: 'analytics', version: 1 });
});
afterAll(async () => {
  await analytics?.stop();
  await vaults.stop();
  await database?.close();
  await store?.stop();
  await nats?.stop();
});

/** NOT_READY while the log is read for the first time, CHAIN_NOT_FOUND for another chain. */
async function readsAreClosedAtFirst(): Promise<void> {
  await vaults.grow(before.entries.slice(0, 40));
  await until('a first page is read', async () => (await seqOf()) === 40);
  await expect(overview()).rejects.toMatchObject({ code: 'NOT_READY', retryable: true });
  await expect(overview({ chain_id: 1 })).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' });
}

/** Once the indexer is near its head, every read answers what the log says. */
async function readsAnswerWhatTheLogSays(): Promise<void> {
  vaults.lagSeconds = 1;
  await vaults.grow(before.entries);
  await caughtUp(before.entries);
  const block = lastBlock(before.entries);
  await until('the reads are open', () =>
    overview().then(
      () => true,
      () => false,
    ),
  );
  expect(await answers(before)).toEqual(await expected(before, block));
}

/** What is not there is named. */
async function whatIsNotThereIsNamed(): Promise<void> {
  const code = (name: string) => ({ code: name });
  await expect(overview({ vault_address: wallet(0xdead) })).rejects.toMatchObject(code('VAULT_NOT_FOUND'));
  await expect(overview({ block: 10_000_000 })).rejects.toMatchObject(code('BLOCK_IN_FUTURE'));
  await expect(overview({ at: '2100-01-01T00:00:00.000Z' })).rejects.toMatchObject(code('BLOCK_IN_FUTURE'));
  await expect(overview({ block: 0 })).rejects.toMatchObject(code('BEFORE_CREATION'));
  const early = new Date((START - 10) * 1000).toISOString();
  await expect(overview({ at: early })).rejects.toMatchObject(code('BEFORE_CREATION'));
  await expect(overview({ at: early, block: 1 })).rejects.toMatchObject(code('VALIDATION_FAILED'));
  const { action } = reads.transactions as (typeof reads)[string];
  await expect(ask(action, about(before, { cursor: 'bm9ib2R5' }))).rejects.toMatchObject(code('CURSOR_INVALID'));
  const { action: pps } = reads.pps as (typeof reads)[string];
  await expect(ask(pps, about(before, { points: 1_000_000_000 }))).rejects.toMatchObject(code('VALIDATION_FAILED'));
}

/** Pages of a list and of an export are of one moment though the vault goes on. */
async function pagesAreOfOneMoment(): Promise<void> {
  const block = lastBlock(before.entries) - 5;
  const { action } = reads.transactions as (typeof reads)[string];
  const whole = (await ask(action, about(before, { block, limit: 500 }))) as {
    transactions: unknown[];
    total: number;
  };
  const pages: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page = (await ask(action, about(before, { block, limit: 7, ...(cursor ? { cursor } : {}) }))) as never as {
      transactions: unknown[];
      next_cursor: string | null;
    };
    pages.push(...page.transactions);
    cursor = page.next_cursor;
  } while (cursor);
  expect(pages).toEqual(whole.transactions);
  expect(pages).toHaveLength(whole.total);
  const rows: unknown[] = [];
  let next: string | null = null;
  do {
    const params: object = about(before, { dataset: 'pps', limit: 9, ...(next ? { after: next } : { block }) });
    const page = (await ask(ExportPage, params as Record<string, unknown>)) as never as {
      rows: unknown[];
      next: string | null;
    };
    rows.push(...page.rows);
    next = page.next;
  } while (next);
  const all = (await ask(ExportPage, about(before, { dataset: 'pps', limit: 1_000, block }))) as { rows: unknown[] };
  expect(rows).toEqual(all.rows);
}

/** Ten blocks are replaced; answers of the blocks before stay the same bytes, those after are the branch's. */
async function replacedBlocksChangeNothingBefore(): Promise<void> {
  const early = await answers(before, FORK - 1);
  const voided = await answers(before);
  await vaults.grow(forked);
  await caughtUp(forked);
  expect(await answers(before, FORK - 1)).toEqual(early);
  expect(await answers(before)).not.toEqual(voided);
  for (const block of [FORK, FORK + 4, lastBlock(forked)])
    expect(await answers(before, block)).toEqual(await expected(after, block));
  expect(await answers(before)).toEqual(await expected(after, lastBlock(forked)));
}

/** The same block by its time, and asked once more later, is the same answer. */
async function blockByItsTimeIsTheSame(): Promise<void> {
  const time = forked.find(({ block_number, kind }) => block_number >= FORK - 20 && kind !== 'rollback');
  const byBlock = await overview({ block: time?.block_number });
  expect(await overview({ at: time?.block_time })).toEqual(byBlock);
  const more = played([...common, ...sampled(5, 11), ...sampled(4, 10)]);
  const added = more.entries.slice(after.entries.length);
  const seq = forked.at(-1)?.seq ?? 0;
  const grown = [...forked, ...added.map((entry, n) => ({ ...entry, seq: seq + 1 + n }))];
  await vaults.grow(grown);
  await caughtUp(grown);
  expect(await overview({ block: time?.block_number })).toEqual(byBlock);
  expect(await answers(before)).toEqual(await expected(more, lastBlock(grown)));
}

/** A rebuild that was asked for gives the same bytes. */
async function rebuildGivesTheSame(): Promise<void> {
  const was = await answers(before);
  const generation = (await projection.cursor(CHAIN))?.generation ?? 0;
  expect(await projection.requestRebuild(CHAIN)).toBe(true);
  await until('the projection begins again', async () => {
    const cursor = await projection.cursor(CHAIN);
    return cursor !== null && cursor.generation > generation && !cursor.rebuild_requested;
  });
  await caughtUp(vaults.entries);
  await until('the reads are open', () =>
    overview().then(
      () => true,
      () => false,
    ),
  );
  expect(await answers(before)).toEqual(was);
}

/** A database that was dropped gives the same bytes too. */
async function droppedDatabaseGivesTheSame(): Promise<void> {
  const was = await answers(before);
  const old = await answers(before, FORK - 10);
  await analytics.stop();
  await database.dropDatabase();
  analytics = await startAnalytics();
  await vaultsBus.broker.waitForServices({ name: 'analytics', version: 1 });
  await until('the reads are open', () =>
    overview().then(
      () => true,
      () => false,
    ),
  );
  await caughtUp(vaults.entries);
  expect(await answers(before)).toEqual(was);
  expect(await answers(before, FORK - 10)).toEqual(old);
}

test('default: every read answers what the log says, whatever comes later, and so it does from nothing again', async () => {
  await readsAreClosedAtFirst();
  await readsAnswerWhatTheLogSays();
  await whatIsNotThereIsNamed();
  await pagesAreOfOneMoment();
  await replacedBlocksChangeNothingBefore();
  await blockByItsTimeIsTheSame();
  await rebuildGivesTheSame();
  await droppedDatabaseGivesTheSame();
});
