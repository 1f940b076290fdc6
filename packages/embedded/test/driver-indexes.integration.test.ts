import { describe, expect, test } from '@jest/globals';
import { Decimal128 } from 'mongodb';
import { codeOf, type Doc, idsIn, useDriver } from './driver-harness.ts';

const on = useDriver('indexes');
const ids = (filter: Doc, sort: Record<string, 1 | -1> = {}) => idsIn(on.coll, filter, sort);

describe('indexes', () => {
  test('uniqueness: compound, partial, sparse, arrays, null', async () => {
    await on.coll.createIndex({ a: 1, b: 1 }, { unique: true });
    await on.coll.insertOne({ _id: 1, a: 1, b: 'x' });
    await expect(on.coll.insertOne({ _id: 2, a: Decimal128.fromString('1.0'), b: 'x' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { a: 1, b: 1 },
      keyValue: { b: 'x' },
    });
    await on.coll.insertOne({ _id: 3, a: 1, b: 'y' });
    expect(await codeOf(on.coll.updateOne({ _id: 3 }, { $set: { b: 'x' } }))).toBe(11000);
    await on.coll.dropIndexes();
    await on.coll.createIndex({ p: 1 }, { unique: true, partialFilterExpression: { live: true } });
    await on.coll.insertMany([
      { p: 1, live: true },
      { p: 1, live: false },
    ]);
    expect(await codeOf(on.coll.insertOne({ p: 1, live: true }))).toBe(11000);
    await on.coll.createIndex({ s: 1 }, { unique: true, sparse: true });
    await on.coll.insertMany([{}, {}, { s: null }]);
    expect(await codeOf(on.coll.insertOne({ s: null }))).toBe(11000);
    await on.coll.createIndex({ m: 1 }, { unique: true, partialFilterExpression: { m: { $exists: true } } });
    await on.coll.insertOne({ m: [1, 1, 2] });
    expect(await codeOf(on.coll.insertOne({ m: [2, 3] }))).toBe(11000);
    expect(await codeOf(on.coll.createIndex({ a: 1 }, { unique: true }))).toBe(11000);
    expect((await on.coll.indexes()).map(({ name }) => name)).toEqual(['_id_', 'p_1', 's_1', 'm_1']);
  });
  test('plans use them', async () => {
    if (!on.store.embedded) return;
    await on.coll.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, a: i % 10, b: i, t: [i, i + 1] })));
    await on.coll.createIndex({ a: 1, b: -1 });
    await on.coll.createIndex({ t: 1 });
    const look = async (filter: Doc, sort: Record<string, 1 | -1>, limit = 0) => {
      const plan = await on.coll
        .find(filter as never)
        .sort(sort)
        .limit(limit)
        .explain('executionStats');
      return [
        plan.queryPlanner.winningPlan.stage,
        plan.executionStats.nReturned,
        plan.executionStats.totalDocsExamined,
      ];
    };
    expect(await look({ a: 3 }, { b: -1 }, 5)).toEqual(['FETCH', 5, 5]);
    expect(await look({ a: 3, b: { $gte: 100, $lt: 200 } }, { b: 1 })).toEqual(['FETCH', 10, 10]);
    expect(await look({ a: { $in: [1, 2] } }, { a: 1 })).toEqual(['FETCH', 100, 100]);
    expect(await look({ a: 3 }, { b: 1, a: 1 }, 2)).toEqual(['FETCH', 2, 2]);
    expect(await look({ t: 50 }, {})).toEqual(['FETCH', 2, 2]);
    await on.coll.createIndex({ a: 1, c: 1 });
    // The first index has a half of its values, the other an interval: the interval is narrower.
    expect(await look({ a: 3, b: { $lte: 9_999 }, c: { $gte: 1, $lte: 2 } }, {})).toEqual(['FETCH', 0, 0]);
    expect(await look({ _id: { $gte: 490 } as never }, { _id: -1 }, 3)).toEqual(['FETCH', 3, 3]);
    expect(await look({ b: 7 }, {})).toEqual(['COLLSCAN', 1, 500]);
    expect(await look({}, { b: 1 }, 3)).toEqual(['SORT', 3, 500]);
    expect(
      (
        await on.coll
          .find({ a: 3, b: { $gte: 100, $lt: 200 } })
          .sort({ b: 1 })
          .toArray()
      ).map((doc) => doc.b),
    ).toEqual([103, 113, 123, 133, 143, 153, 163, 173, 183, 193]);
  });
  test('of large documents what a filter, an index or a replacement needs is read', async () => {
    const pad = 'x'.repeat(2_000);
    await on.coll.createIndex({ 'a.b': 1 }, { unique: true });
    await on.coll.createIndex({ live: 1 }, { partialFilterExpression: { kind: 'k' } });
    const items = (n: number) => [{ n }, { n: n + 1 }];
    const all = Array.from({ length: 20 }, (_, i) => ({
      ...{ pad, _id: i, a: { b: i }, live: i % 2 === 0, kind: i < 10 ? 'k' : 'l', items: items(i), pair: [i, 3] },
    }));
    await on.coll.insertMany(all as never[]);
    expect(await codeOf(on.coll.insertOne({ pad, a: { b: 7 } } as never))).toBe(11000);
    const ids = async (filter: Doc) =>
      (await on.coll.find(filter as never, { sort: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    expect(await ids({ live: true, kind: 'k' })).toEqual([0, 2, 4, 6, 8]);
    expect(await ids({ $or: [{ 'a.b': 3 }, { kind: 'l', live: false }] })).toEqual([3, 11, 13, 15, 17, 19]);
    expect(await ids({ items: { $elemMatch: { n: 5 } }, missing: null })).toEqual([4, 5]);
    expect(await ids({ $expr: { $eq: ['$a.b', { $arrayElemAt: ['$pair', 1] }] } })).toEqual([3]);
    expect(await ids({ $nor: [{ kind: { $exists: true } }] })).toEqual([]);
    await on.coll.updateOne({ 'items.n': 9, kind: 'k' } as never, { $set: { 'items.$.n': 90 } } as never);
    expect((await on.coll.findOne({ _id: 8 as never }))?.items).toEqual([{ n: 8 }, { n: 90 }]);
    expect(await codeOf(on.coll.replaceOne({ _id: 1 as never }, { pad, a: { b: 2 } } as never))).toBe(11000);
    await on.coll.replaceOne({ _id: 1 as never }, { pad, a: { b: 100 }, kind: 'k', live: true } as never);
    expect([await ids({ 'a.b': { $gte: 19 } }), await ids({ live: true, kind: 'k' })]).toEqual([
      [1, 19],
      [0, 1, 2, 4, 6, 8],
    ]);
    const raised = await on.coll.findOneAndUpdate(
      { _id: 2 as never },
      [{ $set: { live: false, twice: { $multiply: ['$a.b', 2] } } }],
      { returnDocument: 'after' },
    );
    expect([raised?.twice, raised?.pad, await ids({ live: true, kind: 'k' })]).toEqual([4, pad, [0, 1, 4, 6, 8]]);
    await on.coll.deleteMany({ kind: 'k', live: true } as never);
    expect(await ids({ kind: 'k' })).toEqual([2, 3, 5, 7, 9]);
  });
  test('TTL deletes dates that have passed, nothing else', async () => {
    if (!on.store.embedded) return;
    await on.coll.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    const now = Date.now();
    await on.coll.insertMany([
      { _id: 1, at: new Date(now - 61_000) },
      { _id: 2, at: new Date(now) },
      { _id: 3, at: 5 },
      { _id: 4 },
      { _id: 5, at: [new Date(now + 1e6), new Date(now - 1e6)] },
    ]);
    expect(on.store.expire()).toBe(2);
    expect(await ids({})).toEqual([2, 3, 4]);
    on.store.advance(61_000);
    expect(on.store.expire()).toBe(1);
    expect(await ids({})).toEqual([3, 4]);
    on.store.advance(-61_000);
  });
});

describe('cursors', () => {
  test('getMore goes on over a snapshot and killCursors ends it', async () => {
    await on.coll.insertMany(Array.from({ length: 1000 }, (_, i) => ({ _id: i })));
    const cursor = on.coll.find({}, { batchSize: 10 });
    expect(await cursor.next()).toEqual({ _id: 0 });
    if (on.store.embedded) await on.coll.deleteMany({ _id: { $gte: 500 } } as never);
    let n = 1;
    for await (const _ of cursor) n += 1;
    expect(n).toBe(1000);
    const killed = on.coll.find({}, { batchSize: 2 });
    await killed.next();
    const { id } = killed;
    await killed.close();
    expect(await codeOf(on.db.command({ getMore: id, collection: 'things' }))).toBe(43);
  });
  test('projection, skip, limit, distinct and counts', async () => {
    await on.coll.insertMany(
      Array.from({ length: 20 }, (_, i) => ({ _id: i, a: { b: i, c: 1 }, tags: [i % 3, 'x'], z: 1 })),
    );
    expect(await on.coll.find({}, { projection: { 'a.b': 1 }, skip: 3, limit: 2 }).toArray()).toEqual([
      { _id: 3, a: { b: 3 } },
      { _id: 4, a: { b: 4 } },
    ]);
    expect(await on.coll.findOne({ _id: 1 }, { projection: { a: 0, z: 0 } })).toEqual({ _id: 1, tags: [1, 'x'] });
    expect(await on.coll.findOne({ _id: 1 }, { projection: { _id: 0, tags: { $slice: 1 }, a: 0, z: 0 } })).toEqual({
      tags: [1],
    });
    expect(await on.coll.findOne({ tags: 'x', _id: 2 }, { projection: { 'tags.$': 1 } })).toEqual({
      _id: 2,
      tags: ['x'],
    });
    expect(await on.coll.findOne({ _id: 2 }, { projection: { sum: { $add: ['$a.b', 1] } } })).toEqual({
      _id: 2,
      sum: 3,
    });
    expect((await on.coll.distinct('tags')).length).toBe(4);
    expect(await on.coll.countDocuments({ z: 1 }, { skip: 5, limit: 10 })).toBe(10);
    expect(await on.coll.estimatedDocumentCount()).toBe(20);
  });
});

test('collections and databases are listed, dropped', async () => {
  await on.coll.insertOne({ _id: 1 });
  const db = on.db;
  expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(['things']);
  expect((await on.client.db().admin().listDatabases()).databases.map(({ name }) => name)).toContain(
    on.db.databaseName,
  );
  await on.coll.drop();
  expect(await db.listCollections({ name: 'things' }).toArray()).toEqual([]);
});
