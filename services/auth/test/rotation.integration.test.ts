import { userInfo } from 'node:os';
import { connectMongo, createRegistry, recorder } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { rotateKeys } from '../../../tools/castellan/rotate-keys.ts';
import { sealer } from '../src/adapters/seal.ts';
import { mongoKeyRing } from '../src/adapters/signing-keys.mongo.ts';

/** The keys that sign tokens, without the service around them. */
let store: TestStore;
let connection: Awaited<ReturnType<typeof connectMongo>>;
let time: number;
beforeAll(async () => {
  store = await startTestStore();
  connection = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
});
beforeEach(async () => {
  time = Date.now();
  for (const { name } of await connection.listCollections()) await connection.collection(name).deleteMany({});
});
afterAll(async () => {
  await connection?.close();
  await store?.stop();
});

const ringOf = (rotationSeconds: number) =>
  mongoKeyRing({
    connection,
    recordWith: recorder(connection),
    sealer: sealer('a secret of at least thirty-two characters'),
    distrust: () => undefined,
    rotationSeconds,
    activationSeconds: 50,
    overlapSeconds: 100,
    now: () => time,
  });

test('behavior: a key that is too old gets a successor and stays published', async () => {
  const ring = ringOf(1000);
  await ring.refresh();
  const first = ring.active().kid;
  expect(ring.rotationDueMs()).toBe(time + 1_000_000);
  time += 1_001_000;
  await ring.refresh();
  expect(ring.rotationDueMs()).toBe(time + 1_000_000);
  expect(ring.publicKeys()).toHaveLength(2);
  expect(ring.active().kid).toBe(first);
  time += 51_000;
  await ring.refresh();
  expect(ring.active().kid).not.toBe(first);
  expect(ring.publicKeys().map(({ kid }) => kid)).toEqual([ring.active().kid, first]);
  time += 101_000;
  expect(ring.publicKeys().map(({ kid }) => kid)).toEqual([ring.active().kid]);
});

test('behavior: an operator has a key made, once, with a row of the audit log; the former stays published', async () => {
  const ring = ringOf(1_000_000);
  await ring.refresh();
  const first = ring.active().kid;
  const said: string[] = [];
  const ask = () =>
    rotateKeys({
      client: connection.getClient() as never,
      database: connection.name,
      reason: 'a laptop was lost',
      now: () => new Date(time),
      sleep: async () => {
        time += 2_000;
        await ring.refresh();
      },
      say: (line) => void said.push(line),
    });
  // Not while the newest does not sign yet: a writer of the store would else make keys without end.
  time += 40_000;
  await ask();
  expect(time - ring.rotationDueMs()).toBe(-1_000_000_000);
  const keys = ring.publicKeys().map(({ kid }) => kid);
  expect([keys.length, keys[1], ring.active().kid]).toEqual([2, first, first]);
  expect(said.at(-1)).toBe(`${first} stays published until the last token that it signed has ended.`);
  time += 60_000;
  await ring.refresh();
  expect(ring.publicKeys().map(({ kid }) => kid)).toEqual(keys);
  expect(ring.active().kid).toBe(keys[0]);
  const rows = await connection.collection('outbox').find().sort({ order: 1 }).toArray();
  expect(rows.map(({ data }) => data.details)).toEqual([
    { kid: first, why: 'first' },
    { kid: keys[0], why: 'asked', asked_by: userInfo().username, reason: 'a laptop was lost' },
  ]);

  // A moment that has not come, as a forged one may be, makes none.
  await connection
    .collection<{ _id: string }>('key_rotations')
    .updateOne({ _id: 'asked' }, { $set: { asked_at: new Date(time + 3_600_000) } });
  time += 60_000;
  await ring.refresh();
  expect(ring.publicKeys()).toHaveLength(2);
});
