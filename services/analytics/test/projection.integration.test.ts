import type { LogEntry } from '@castellan/contracts';
import { connectMongo, createRegistry, ensureIndexes, LeaseLost } from '@castellan/service-kit';
import { startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryHistories } from '../src/adapters/histories.ts';
import { ProjectionStore } from '../src/adapters/projection-store.mongo.ts';
import { CHAIN, HOUR, START, wallet } from '../src/domain/chain-log.fixture.ts';
import { assetSubject, blocksSubject, type Fact, vaultSubject } from '../src/domain/facts.ts';
import { momentOf } from '../src/domain/moment.fixture.ts';
import { played, type Step, steps } from '../src/domain/random-vault.fixture.ts';
import { secondsOf } from '../src/domain/timeline.ts';
import { VaultLog } from '../src/domain/vault-log.fixture.ts';
import { type Collections, openCollections } from '../src/models/collections.ts';
import { projectPage } from '../src/projector/project.ts';
import { analyticsMetrics } from '../src/telemetry.ts';
import { reads } from '../src/use-cases/reads.fixture.ts';
import { aProjector, endOf, head } from './a-projector.ts';
import { reorganised } from './fake-vaults.ts';

/** The projections on a real store: what crashes, repetitions, rollbacks and a second writer leave behind. */

let server: TestStore;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let store: ProjectionStore;
let collections: Collections;
let count = 0;

beforeAll(async () => {
  server = await startTestStore();
});
afterAll(async () => {
  await connection?.close();
  await server.stop();
});
beforeEach(async () => {
  await connection?.close();
  count += 1;
  const database = `${server.database.slice(0, 30)}_${count}`;
  connection = await connectMongo({ uri: server.uri, database, registry: createRegistry('test') });
  collections = openCollections(connection);
  store = new ProjectionStore(collections);
  await ensureIndexes(connection);
});

const common = fc.sample(
  fc.array(
    steps(1).map(([one]) => one as Step),
    { minLength: 60, maxLength: 60 },
  ),
  {
    seed: 5,
    numRuns: 1,
  },
)[0] as Step[];
const FORK = 50;
/** Block 1 deploys the vault, each step is a block. */
const before = played(common);
const stays = played(common.slice(0, FORK - 2));
const after = played([...common.slice(0, FORK - 2), ...common.toReversed().slice(0, 14)]);
const forked = reorganised(before.entries, after.entries, FORK, stays.chain.time);

/** A block without entries has, in these logs, the time of the last one with some. */
const blockTime = (_chain: number, block: number) => {
  const last = before.entries.findLast(({ block_number }) => block_number <= block);
  return Promise.resolve(secondsOf(last?.block_time ?? ''));
};
const lastBlock = ({ entries }: VaultLog) => entries.at(-1)?.block_number ?? 0;
const subjects = (vault: VaultLog) => [blocksSubject, vaultSubject(vault.vault), assetSubject(vault.asset)];

/** One page after the cursor. */
async function page(entries: readonly LogEntry[], limit: number, on = store) {
  const cursor = await on.openCursor(CHAIN);
  const next = entries.filter(({ seq }) => seq > cursor.after_seq).slice(0, limit);
  return projectPage(on, cursor, { entries: next, ...endOf(entries) }, true);
}
async function project(entries: readonly LogEntry[], limit = 1_000, on = store) {
  for (;;) if ((await page(entries, limit, on)).after_seq >= head(entries)) return;
}
/** What is kept of a vault. A page that begins within a block repeats that block; readers skip it. */
async function facts(vault: VaultLog): Promise<Fact[][]> {
  const cursor = await store.openCursor(CHAIN);
  const lists = await Promise.all(
    subjects(vault).map((subject) => store.facts(cursor, subject, 0, Number.MAX_SAFE_INTEGER)),
  );
  const isAgain = (fact: Fact, at: number, list: Fact[]) => fact.name === 'block' && fact.block === list[at - 1]?.block;
  return lists.map((list) => list.filter((fact, at) => !isAgain(fact, at, list)));
}
/** Facts without their numbers in the log, which differ between a log with a rollback and one without. */
const factsWithoutSeq = async (vault: VaultLog) =>
  (await facts(vault)).map((list) => list.map(({ seq: _seq, ...fact }) => fact));

async function answered(vault: VaultLog, block?: number): Promise<string> {
  const metrics = analyticsMetrics(createRegistry('test'));
  const histories = new MemoryHistories({
    store,
    metrics,
    isKnownChain: () => Promise.resolve(true),
    blockTime,
    memoryBytes: 100_000_000,
  });
  const params = { chain_id: CHAIN, vault_address: vault.vault, ...(block === undefined ? {} : { block }) };
  return JSON.stringify(await reads.overview?.read({ histories }, params));
}

describe('a page', () => {
  test('behavior: projected twice is projected once', async () => {
    await project(before.entries);
    const once = await facts(before);
    const cursor = await store.openCursor(CHAIN);
    await projectPage(
      store,
      { ...cursor, after_seq: cursor.after_seq },
      { entries: before.entries, ...endOf(before.entries) },
      true,
    );
    expect(await facts(before)).toEqual(once);
  });

  test('property: the size of pages changes nothing, not even across a rollback', async () => {
    await project(after.entries);
    const whole = await factsWithoutSeq(after);
    for (const limit of [3, 41, 1_000]) {
      const cursor = await store.openCursor(CHAIN);
      await store.clear(cursor);
      await project(forked, limit);
      expect(await factsWithoutSeq(after)).toEqual(whole);
      expect((await store.cursor(CHAIN))?.tip).toMatchObject({ block: lastBlock(after) });
    }
  });

  test('behavior: segments fill and go on in the next', async () => {
    const vault = new VaultLog().observe();
    for (let hour = 1; hour <= 300; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n + BigInt(hour));
    await project(vault.entries, 333);
    const segments = await connection.collection('segments').countDocuments({ subject: vaultSubject(vault.vault) });
    // A page that begins with a segment of 25 or more begins the next.
    expect(segments).toBe(15);
    expect(await answered(vault)).toContain(`"block_number":${vault.chain.block}`);
    const cursor = await store.openCursor(CHAIN);
    const found = await store.facts(cursor, vaultSubject(vault.vault), 0, Number.MAX_SAFE_INTEGER);
    expect(found.map(({ seq }) => seq)).toEqual(vault.entries.map(({ seq }) => seq));
  });

  test('behavior: a segment that grows fact by fact is written again for 25 facts at most', async () => {
    const vault = new VaultLog().observe();
    for (let hour = 1; hour <= 20; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n + BigInt(hour));
    await project(vault.entries, 1);
    const subject = vaultSubject(vault.vault);
    const filled = await collections.segments.find({ subject }).sort({ n: 1 }).toArray();
    expect(vault.entries.length).toBeGreaterThan(75);
    expect(filled.slice(0, -1).map(({ facts: { length } }) => length)).toEqual(filled.slice(0, -1).map(() => 25));
    expect(filled.flatMap((segment) => segment.facts).map(({ seq }) => seq)).toEqual(
      vault.entries.map(({ seq }) => seq),
    );
  });

  test('behavior: a segment that a former version filled further stays whole', async () => {
    const vault = new VaultLog().observe();
    for (let hour = 1; hour <= 60; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n + BigInt(hour));
    const subject = vaultSubject(vault.vault);
    await project(vault.entries.slice(0, 160));
    const known = await store.facts(await store.openCursor(CHAIN), subject, 0, Number.MAX_SAFE_INTEGER);
    expect(known.length).toBeGreaterThan(100);
    const last = known.at(-1) as Fact;
    const of = connection.collection('segments');
    await of.deleteMany({ subject, n: { $gt: 0 } });
    await of.updateOne({ subject, n: 0 }, { $set: { facts: known, last_seq: last.seq, last_block: last.block } });
    await connection.collection('subjects').updateOne({ subject }, { $set: { segment: 0 } });
    store = new ProjectionStore(collections);
    await project(vault.entries);
    expect((await of.findOne({ subject, n: 0 }))?.facts).toHaveLength(known.length);
    const found = await store.facts(await store.openCursor(CHAIN), subject, 0, Number.MAX_SAFE_INTEGER);
    expect(found.map(({ seq }) => seq)).toEqual(vault.entries.map(({ seq }) => seq));
  });
});

describe('a crash', () => {
  /** A store that dies at its nth write of a kind. */
  function dying(method: 'append' | 'advance' | 'removeFrom', nth: number): ProjectionStore {
    let calls = 0;
    return new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (name === method) calls += 1;
          if (name === method && calls === nth) throw new Error('killed');
          return value.apply(target, given);
        };
      },
    });
  }

  test.each([
    ['append', 1],
    ['append', 2],
    ['append', 3],
    ['advance', 1],
    ['advance', 3],
  ] as const)('behavior: at %s no. %d is made good by projecting the page again', async (method, nth) => {
    await expect(project(before.entries, 60, dying(method, nth))).rejects.toThrow('killed');
    await project(before.entries, 60);
    const resumed = await facts(before);
    await store.clear(await store.openCursor(CHAIN));
    await project(before.entries);
    expect(resumed).toEqual(await facts(before));
  });

  test('behavior: after a segment was written, before its subject counts it', async () => {
    const half = before.entries.slice(0, 60);
    await project(half);
    const subject = vaultSubject(before.vault);
    const counted = await connection.collection('subjects').findOne({ subject });
    await project(before.entries);
    const whole = await facts(before);
    // The subject and the cursor as they were, the segments as they are now.
    await connection
      .collection('subjects')
      .updateOne({ subject }, { $set: { seq: counted?.seq, segment: counted?.segment } });
    await connection.collection('cursors').updateOne({ chain_id: CHAIN }, { $set: { after_seq: head(half) } });
    await project(before.entries, 20);
    expect(await facts(before)).toEqual(whole);
  });

  test('behavior: in the midst of a rollback nothing may be read, and the projection begins again', async () => {
    await project(before.entries);
    await expect(project(forked, 1_000, dying('removeFrom', 1))).rejects.toThrow('killed');
    expect(await store.cursor(CHAIN)).toMatchObject({ busy: true, after_seq: head(before.entries) });
    await store.clear(await store.openCursor(CHAIN));
    await project(forked);
    const repaired = await factsWithoutSeq(after);
    await store.clear(await store.openCursor(CHAIN));
    await project(after.entries);
    expect(repaired).toEqual(await factsWithoutSeq(after));
  });
});

describe('a rollback', () => {
  test('behavior: takes away the facts of its blocks and nothing else', async () => {
    await project(before.entries);
    const kept = (await facts(before)).map((list) => list.filter(({ block }) => block < FORK));
    await project(forked.slice(0, before.entries.length + 1));
    expect(await facts(before)).toEqual(kept);
    await project(forked);
    expect(await answered(before, FORK - 1)).toBe(await expectedOverview(stays, FORK - 1));
    expect(await answered(before)).toBe(await expectedOverview(after, lastBlock(after)));
  });

  test('behavior: back to a block without entries, it answers for the last one with some, as a rebuild does', async () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).deposit(wallet(1), 1_000_000n);
    vault.at(START + 2 * HOUR);
    vault.at(START + 3 * HOUR).deposit(wallet(2), 1_000_000n);
    const rolled = reorganised(vault.entries, [], 4, START + 2 * HOUR);
    await project(vault.entries);
    await project(rolled);
    const incremental = await answered(vault);
    await store.clear(await store.openCursor(CHAIN));
    await project(rolled);
    expect(await answered(vault)).toBe(incremental);
    expect(await answered(vault, JSON.parse(incremental).block_number)).toBe(incremental);
  });

  test('behavior: of everything leaves nothing, and the vault can be deployed again', async () => {
    await project(before.entries);
    await project(reorganised(before.entries, after.entries, 1, 0));
    expect(await answered(before)).toBe(await expectedOverview(after, lastBlock(after)));
  });

  async function expectedOverview(vault: VaultLog, block: number): Promise<string> {
    const histories = { momentOf: () => Promise.resolve(momentOf(vault, { block })) };
    return JSON.stringify(await reads.overview?.read({ histories }, { chain_id: CHAIN, vault_address: vault.vault }));
  }
});

describe('a second projector that does not know it was replaced', () => {
  const all = (entries: readonly LogEntry[]) => ({ entries, ...endOf(entries) });

  test('behavior: is refused once the other has moved on, and has changed nothing', async () => {
    await project(before.entries.slice(0, 60));
    const stale = await store.openCursor(CHAIN);
    await project(before.entries);
    const whole = await facts(before);
    await expect(projectPage(store, stale, all(before.entries.slice(60, 100)), true)).rejects.toThrow(LeaseLost);
    expect(await facts(before)).toEqual(whole);
  });

  test('behavior: whose open segments the other has filled meanwhile is refused once, and reads them again', async () => {
    await project(before.entries);
    const whole = await facts(before);
    await store.clear(await store.openCursor(CHAIN));
    const other = new ProjectionStore(collections);
    await page(before.entries, 20);
    await page(before.entries, 20, other);
    await expect(page(before.entries, 20)).rejects.toThrow(LeaseLost);
    await project(before.entries, 20);
    expect(await facts(before)).toEqual(whole);
  });

  test('behavior: cannot bring back what a rollback took away', async () => {
    await project(before.entries.slice(0, 60));
    const stale = await store.openCursor(CHAIN);
    await project(forked.slice(0, before.entries.length + 1));
    const whole = await facts(before);
    await expect(projectPage(store, stale, all(before.entries.slice(60)), true)).rejects.toThrow(LeaseLost);
    expect(await facts(before)).toEqual(whole);
    await project(forked);
    await expect(projectPage(store, stale, all(forked.slice(60)), true)).rejects.toThrow(LeaseLost);
    const found = await factsWithoutSeq(after);
    await store.clear(await store.openCursor(CHAIN));
    await project(after.entries);
    expect(found).toEqual(await factsWithoutSeq(after));
  });

  /** A projector that stands still after it has looked whether it was overtaken, while `meanwhile` happens. */
  function standingStill(meanwhile: () => Promise<unknown>): ProjectionStore {
    let held = false;
    const cursors = new Proxy(collections.cursors, {
      get(target, property) {
        const value = Reflect.get(target, property);
        if (property !== 'findOne') return typeof value === 'function' ? value.bind(target) : value;
        return async (filter: Record<string, unknown>) => {
          const found = await target.findOne(filter);
          if (!held && 'generation' in filter) {
            held = true;
            await meanwhile();
          }
          return found;
        };
      },
    });
    return new ProjectionStore({ ...collections, cursors });
  }

  test('behavior: what it writes of a left branch after it looked counts nowhere', async () => {
    await project(before.entries.slice(0, 60));
    const stale = await store.openCursor(CHAIN);
    const late = standingStill(() => project(forked.slice(0, before.entries.length + 1)));
    await projectPage(late, stale, all(before.entries.slice(60)), true).catch(() => undefined);
    await project(forked);
    const found = await factsWithoutSeq(after);
    await store.clear(await store.openCursor(CHAIN));
    await project(after.entries);
    expect(found).toEqual(await factsWithoutSeq(after));
  });

  test('behavior: what it writes of an earlier beginning after it looked counts nowhere', async () => {
    await project(before.entries.slice(0, 60));
    const stale = await store.openCursor(CHAIN);
    const late = standingStill(() => store.clear(stale));
    await projectPage(late, stale, all(before.entries.slice(60)), true).catch(() => undefined);
    await project(before.entries, 50);
    const found = await facts(before);
    await store.clear(await store.openCursor(CHAIN));
    await project(before.entries);
    expect(found).toEqual(await facts(before));
  });

  test('behavior: cannot write into a projection that began again', async () => {
    await project(before.entries.slice(0, 60));
    const stale = await store.openCursor(CHAIN);
    await store.clear(stale);
    await expect(projectPage(store, stale, all(before.entries.slice(60)), true)).rejects.toThrow(LeaseLost);
    expect(await facts(before)).toEqual([[], [], []]);
    await project(before.entries, 50);
    const found = await facts(before);
    await store.clear(await store.openCursor(CHAIN));
    await project(before.entries);
    expect(found).toEqual(await facts(before));
  });

  test('behavior: two that run at once do the work of one, and one goes on where the other stopped', async () => {
    let entries: readonly LogEntry[] = before.entries;
    const projector = () => aProjector(connection, () => entries);
    const first = projector();
    const second = projector();
    const reached = (seq: number) =>
      until('the log is projected', async () => (await store.cursor(CHAIN))?.after_seq === seq);
    first.start();
    second.start();
    await reached(head(entries));
    await first.stop();
    entries = forked;
    second.wake();
    await reached(head(entries));
    await second.stop();
    const found = await factsWithoutSeq(after);
    await store.clear(await store.openCursor(CHAIN));
    await project(after.entries);
    expect(found).toEqual(await factsWithoutSeq(after));
  });
});
