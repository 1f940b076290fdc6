import { randomUUID } from 'node:crypto';
import { startTestStore, type TestStore, until } from '@castellan/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { z } from 'zod';
import {
  connectMongo,
  createLogger,
  createRegistry,
  defineCollection,
  ensureIndexes,
  isDuplicateKey,
  type Migration,
  migrateAgainLater,
  migrateCollections,
} from '../src/index.ts';

const log = createLogger({ service: 'test', level: 'silent' });
let store: TestStore;
let connection: Connection;

beforeAll(async () => {
  store = await startTestStore();
});
afterAll(() => store.stop());
beforeEach(async () => {
  const database = `${store.database}_${randomUUID().slice(0, 8)}`;
  connection = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
});
afterEach(() => connection.close());

const thingsOf = (migrations: readonly Migration[] = []) =>
  defineCollection({
    name: 'things',
    kept: 'truth',
    about: 'Things of the test.',
    shape: z.object({ _id: z.string(), n: z.int(), slot: z.string().optional(), made_at: z.date() }),
    indexes: [
      { keys: { n: 1 }, unique: true },
      { keys: { slot: 1 }, unique: true, only: { slot: { $exists: true } } },
      { keys: { made_at: 1 }, ttlSeconds: 60 },
    ],
    migrations,
  });
const thing = (n: number, slot?: string) => ({ _id: `${n}`, n, made_at: new Date(), ...(slot ? { slot } : {}) });

test('default: documents are typed by the shape, and the indexes are made with the others', async () => {
  const things = thingsOf().open(connection);
  await ensureIndexes(connection);
  await things.insertMany([thing(1), thing(2)]);
  const twice = await things.insertOne({ ...thing(1), _id: 'other' }).catch((error: unknown) => error);
  expect(isDuplicateKey(twice)).toBe(true);
  const found = await things.findOne({ n: 2 });
  expect(found?.n.toFixed(0)).toBe('2');
  const indexes = (await things.indexes()).map(({ key, unique, expireAfterSeconds, partialFilterExpression }) => [
    ...[Object.keys(key)[0], unique ?? false],
    ...[expireAfterSeconds ?? null, partialFilterExpression ?? null],
  ]);
  expect(indexes).toEqual([
    ['_id', false, null, null],
    ['n', true, null, null],
    ['slot', true, null, { slot: { $exists: true } }],
    ['made_at', false, 60, null],
  ]);
});

test('behavior: opened twice on one connection it is the same collection', async () => {
  const definition = thingsOf();
  await definition.open(connection).insertOne(thing(1));
  expect(await definition.open(connection).countDocuments()).toBe(1);
});

test('behavior: migrations run in order, again when one was interrupted, and for a day with each start', async () => {
  const ran: string[] = [];
  let fails = true;
  const migrations = [
    { version: 2, run: async () => void ran.push('to 2') },
    {
      version: 3,
      run: async () => {
        ran.push('to 3');
        if (fails) throw new Error('killed');
      },
    },
  ];
  const definition = thingsOf(migrations);
  expect(definition.version).toBe(3);
  definition.open(connection);
  await expect(migrateCollections(connection, log)).rejects.toThrow('killed');
  fails = false;
  const recent: boolean[] = [];
  const day = 24 * 3_600_000;
  for (const later of [0, 60_000, day + 60_000, 2 * day])
    recent.push(await migrateCollections(connection, log, () => Date.now() + later));
  expect(ran).toEqual(['to 2', 'to 3', 'to 2', 'to 3', 'to 2', 'to 3']);
  expect(recent).toEqual([true, true, false, false]);
});

test('behavior: what an instance of the former release writes after the migration is brought to this one as well', async () => {
  const renamed = {
    version: 2,
    run: async (on: Connection) => {
      await on.collection('things').updateMany({ number: { $exists: true } }, { $rename: { number: 'n' } });
    },
  };
  const things = thingsOf([renamed]).open(connection);
  const former = connection.collection<{ _id: string; number: number }>('things');
  await former.insertOne({ _id: '1', number: 1 });
  expect(await migrateCollections(connection, log)).toBe(true);
  await former.insertOne({ _id: '2', number: 2 });
  const giveUp = migrateAgainLater(connection, log, 1);
  await until('the rollout is over', async () => (await things.countDocuments({ n: { $exists: true } })) === 2);
  giveUp();
  // Another instance, that was given up before it was time.
  await former.insertOne({ _id: '3', number: 3 });
  migrateAgainLater(connection, log, 60_000)();
  expect(await things.countDocuments({ n: { $exists: true } })).toBe(2);
});

test('error: migrations that are out of order', () => {
  const run = () => Promise.resolve();
  expect(() => thingsOf([{ version: 3, run }])).toThrow('Migration 1 of things must lead to version 2.');
});
