import type { LogEntry } from '@castellan/contracts';
import { connectMongo, createRegistry, ensureIndexes } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ProjectionStore } from '../src/adapters/projection-store.mongo.ts';
import { CHAIN, HOUR, START } from '../src/domain/chain-log.fixture.ts';
import { type Fact, vaultSubject } from '../src/domain/facts.ts';
import { VaultLog } from '../src/domain/vault-log.fixture.ts';
import { openCollections } from '../src/models/collections.ts';
import type { Projector } from '../src/projector/run.ts';
import { aProjector, head } from './a-projector.ts';
import { reorganised } from './fake-vaults.ts';

let server: TestStore;
let connection: Awaited<ReturnType<typeof connectMongo>>;
beforeAll(async () => {
  server = await startTestStore();
});
beforeEach(async () => {
  await connection?.dropDatabase();
  await connection?.close();
  connection = await connectMongo({ uri: server.uri, database: server.database, registry: createRegistry('test') });
  await ensureIndexes(connection);
});
afterAll(async () => {
  await connection?.close();
  await server.stop();
});

/** A vault with a price each hour, and the same with another last one. */
const aVault = (last: bigint) => {
  const vault = new VaultLog().observe();
  for (let hour = 1; hour <= 10; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n + BigInt(hour));
  return vault.at(START + 11 * HOUR).report(last);
};
const vault = aVault(1_000_100n);
const last = vault.chain.block;
const forked = reorganised(vault.entries, aVault(1_000_200n).entries, last, vault.chain.time);

async function toEnd(projector: Projector, entries: readonly LogEntry[]): Promise<void> {
  const store = new ProjectionStore(openCollections(connection));
  for (let steps = 0; steps < 100 && (await store.cursor(CHAIN))?.after_seq !== head(entries); steps += 1)
    await projector.step(CHAIN);
}
describe('a projector publishes where it is', () => {
  test('default: once for each place that reads are answered from, after a reorganisation too', async () => {
    let entries: readonly LogEntry[] = vault.entries;
    const moves: number[] = [];
    const projector = aProjector(
      connection,
      () => entries,
      async ({ block_number }) => void moves.push(block_number),
    );
    await toEnd(projector, entries);
    await projector.step(CHAIN);
    expect(moves).toEqual([last]);
    entries = forked;
    await toEnd(projector, entries);
    expect(moves.at(-1)).toBe(last);
    expect(moves.length).toBeGreaterThan(1);
    await projector.stop();
  });

  test('behavior: again by the next step when the bus was away, and by the process that takes over', async () => {
    let isAway = true;
    const moves: number[] = [];
    const publish = async ({ block_number }: { block_number: number }) => {
      if (isAway) throw new Error('The bus is away.');
      moves.push(block_number);
    };
    const before = aProjector(connection, () => vault.entries);
    await toEnd(before, vault.entries);
    await before.stop();
    const first = aProjector(connection, () => vault.entries, publish);
    await first.step(CHAIN);
    expect(moves).toEqual([]);
    isAway = false;
    await first.step(CHAIN);
    expect(moves).toEqual([last]);
    await first.stop();
    const second = aProjector(connection, () => vault.entries, publish);
    await second.step(CHAIN);
    expect(moves).toEqual([last, last]);
    await second.stop();
  });
});

test('behavior: the vaults of a chain are listed with about how many facts they have', async () => {
  const store = new ProjectionStore(openCollections(connection));
  await toEnd(
    aProjector(connection, () => vault.entries),
    vault.entries,
  );
  const cursor = await store.openCursor(CHAIN);
  const listed = await store.vaults(cursor);
  const { length } = await store.facts(cursor, vaultSubject(vault.vault), 0, cursor.after_seq);
  expect(listed).toEqual([{ vault_address: vault.vault.toLowerCase(), facts: length }]);
  expect(await store.vaults({ ...cursor, chain_id: CHAIN + 1 })).toEqual([]);
  // As a former version left it.
  const subject = vaultSubject(vault.vault);
  await connection.collection('subjects').updateOne({ subject }, { $unset: { facts: '' } });
  const { segment } = (await connection.collection('subjects').findOne({ subject })) as unknown as { segment: number };
  expect(await store.vaults(cursor)).toMatchObject([{ facts: (segment + 1) * 100 }]);
});

test('behavior: a subject of more segments than are read at once is read whole, and from any fact on', async () => {
  const collections = openCollections(connection);
  const store = new ProjectionStore(collections);
  const { chain_id, epoch } = await store.openCursor(CHAIN);
  const subject = vaultSubject(vault.vault);
  const aFact = (seq: number): Fact => ({
    seq,
    block: seq,
    time: seq,
    tx: null,
    index: null,
    contract: null,
    name: 'x',
    args: {},
  });
  const segments = Array.from({ length: 601 }, (_, n) => ({
    _id: `${chain_id}:${epoch}:${subject}:${n}`,
    chain_id,
    epoch,
    subject,
    n,
    last_seq: 2 * n + 2,
    last_block: 2 * n + 2,
    facts: [aFact(2 * n + 1), aFact(2 * n + 2)],
  }));
  await collections.segments.insertMany(segments as never);
  const read = async (after: number, until: number) =>
    (await store.facts({ chain_id, epoch, rollbacks: [] }, subject, after, until)).map(({ seq }) => seq);
  const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset + 1);
  expect(await read(0, 2_000)).toEqual(upTo(0, 1_202));
  expect(await read(333, 1_001)).toEqual(upTo(333, 1_001));
});
