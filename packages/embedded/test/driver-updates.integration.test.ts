import { until } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { codeOf, type Doc, idsIn, useDriver } from './driver-harness.ts';

const on = useDriver('updates');
const ids = (filter: Doc, sort: Record<string, 1 | -1> = {}) => idsIn(on.coll, filter, sort);

describe('updates', () => {
  const cases: [string, Doc, Doc, Doc, object?][] = [
    ['$set makes paths', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
    ['$set pads an array', { a: [1] }, { $set: { 'a.3': 4 } }, { a: [1, null, null, 4] }],
    ['$unset', { a: 1, b: [1, 2] }, { $unset: { a: '', 'b.0': '' } }, { b: [null, 2] }],
    ['$inc and $mul', { n: 2, m: 3 }, { $inc: { n: 5, x: 1 }, $mul: { m: 2, y: 7 } }, { n: 7, m: 6, x: 1, y: 0 }],
    ['$min and $max', { a: 5, b: 5 }, { $min: { a: 3 }, $max: { b: 9, c: 1 } }, { a: 3, b: 9, c: 1 }],
    ['$rename', { a: 1 }, { $rename: { a: 'b.c' } }, { b: { c: 1 } }],
    ['$push with clauses', { a: [3, 1] }, { $push: { a: { $each: [2, 0], $sort: 1, $slice: 3 } } }, { a: [0, 1, 2] }],
    ['$push at a position', { a: [1, 4] }, { $push: { a: { $each: [2, 3], $position: 1 } } }, { a: [1, 2, 3, 4] }],
    ['$addToSet', { a: [1, { x: 1 }] }, { $addToSet: { a: { $each: [1, { x: 1 }, 2] } } }, { a: [1, { x: 1 }, 2] }],
    ['$pull by condition', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    ['$pull documents', { a: [{ x: 1, y: 2 }, { x: 2 }] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 2 }] }],
    ['$pullAll and $pop', { a: [1, 2, 1], b: [1, 2] }, { $pullAll: { a: [1] }, $pop: { b: -1 } }, { a: [2], b: [2] }],
    ['$bit', { n: 5 }, { $bit: { n: { and: 4 } } }, { n: 4 }],
    ['all elements', { a: [1, 2] }, { $inc: { 'a.$[]': 10 } }, { a: [11, 12] }],
    [
      'filtered elements',
      {
        a: [
          { k: 1, v: 0 },
          { k: 2, v: 0 },
        ],
      },
      { $set: { 'a.$[e].v': 9 } },
      {
        a: [
          { k: 1, v: 0 },
          { k: 2, v: 9 },
        ],
      },
      { arrayFilters: [{ 'e.k': 2 }] },
    ],
  ];
  test.each(cases)('%s', async (...row) => {
    const [, before, change, after, options] = row;
    await on.coll.insertOne({ _id: 1, ...before });
    const result = await on.coll.updateOne({ _id: 1 }, change, options);
    expect(result).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
    expect(await on.coll.findOne({ _id: 1 })).toEqual({ _id: 1, ...after });
  });
  test('the positional operator, no-op counts, replacements and pipelines', async () => {
    await on.coll.insertOne({ _id: 1, list: [{ k: 1 }, { k: 2 }], n: 2 });
    await on.coll.updateOne({ 'list.k': 2 }, { $set: { 'list.$.v': 'x' } });
    expect(await on.coll.findOne({ _id: 1 }, { projection: { list: 1, _id: 0 } })).toEqual({
      list: [{ k: 1 }, { k: 2, v: 'x' }],
    });
    expect(await on.coll.updateOne({ _id: 1 }, { $set: { n: 2 } })).toMatchObject({
      matchedCount: 1,
      modifiedCount: 0,
    });
    await on.coll.updateOne({ _id: 1 }, [{ $set: { n: { $multiply: ['$n', 10] } } }, { $unset: 'list' }]);
    expect(await on.coll.findOne({ _id: 1 })).toEqual({ _id: 1, n: 20 });
    await on.coll.replaceOne({ _id: 1 }, { z: 1 });
    expect(await on.coll.findOne({ _id: 1 })).toEqual({ _id: 1, z: 1 });
  });
  test('upserts take over equalities and set on insert', async () => {
    const result = await on.coll.updateOne(
      { _id: 7, 'a.b': 1, c: { $gt: 3 } } as never,
      { $set: { d: 1 }, $setOnInsert: { e: 2 } },
      { upsert: true },
    );
    expect(result).toMatchObject({ matchedCount: 0, upsertedCount: 1, upsertedId: 7 });
    expect(await on.coll.findOne({})).toEqual({ _id: 7, a: { b: 1 }, d: 1, e: 2 });
    await on.coll.updateOne({ _id: 7 }, { $setOnInsert: { e: 3 }, $inc: { d: 1 } } as Doc, { upsert: true });
    expect(await on.coll.findOne({})).toMatchObject({ d: 2, e: 2 });
  });
  test('findOneAndUpdate: before, after, sort, upsert, delete, and no lost updates', async () => {
    await on.coll.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    expect(await on.coll.findOneAndUpdate({}, { $inc: { n: 10 } } as Doc, { sort: { n: -1 } })).toEqual({
      _id: 2,
      n: 2,
    });
    expect(
      await on.coll.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } } as Doc, {
        returnDocument: 'after',
        projection: { _id: 0 },
      }),
    ).toEqual({ n: 13 });
    expect(
      await on.coll.findOneAndUpdate({ _id: 9 }, { $set: { x: 1 } }, { upsert: true, returnDocument: 'after' }),
    ).toEqual({ _id: 9, x: 1 });
    expect(await on.coll.findOneAndUpdate({ _id: 8 }, { $set: { x: 1 } })).toBeNull();
    expect(await on.coll.findOneAndDelete({ _id: 9 })).toEqual({ _id: 9, x: 1 });
    await Promise.all(
      Array.from({ length: 50 }, () => on.coll.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } } as Doc)),
    );
    expect(await on.coll.findOne({ _id: 1 })).toMatchObject({ n: 51 });
  });
});

describe('batches', () => {
  test('an ordered batch stops at its first error, an unordered one goes on', async () => {
    const docs = [{ _id: 1 }, { _id: 1 }, { _id: 2 }, { _id: 2 }, { _id: 3 }];
    await expect(on.coll.insertMany(docs)).rejects.toMatchObject({
      code: 11000,
      writeErrors: [{ index: 1 }],
      insertedCount: 1,
    });
    expect(await ids({})).toEqual([1]);
    const failed = on.coll.insertMany(docs, { ordered: false });
    await expect(failed).rejects.toMatchObject({ writeErrors: [{ index: 0 }, { index: 1 }, { index: 3 }] });
    expect(await ids({})).toEqual([1, 2, 3]);
  });
  test('bulkWrite mixes operations', async () => {
    const result = await on.coll.bulkWrite([
      { insertOne: { document: { _id: 1, n: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $inc: { n: 1 } } as Doc } },
      { updateOne: { filter: { _id: 5 }, update: { $set: { n: 5 } }, upsert: true } },
      { replaceOne: { filter: { _id: 5 }, replacement: { n: 6 } } },
      { updateMany: { filter: {}, update: { $set: { all: true } } } },
      { deleteOne: { filter: { _id: 1 } } },
    ]);
    expect(result).toMatchObject({ insertedCount: 1, upsertedCount: 1, modifiedCount: 4, deletedCount: 1 });
    expect(await on.coll.find().toArray()).toEqual([{ _id: 5, n: 6, all: true }]);
  });
  test('documents have a size limit', async () => {
    const db = on.db;
    await db.command({ create: 'things' });
    await on.coll.insertOne({ _id: 1, text: 'x'.repeat(10_000_000) });
    expect(await codeOf(on.coll.updateOne({ _id: 1 }, [{ $set: { more: '$text' } }]))).toBe(
      on.store.embedded ? 10334 : 17419,
    );
  });
});

test('write concerns: journaled and unacknowledged writes arrive', async () => {
  await on.coll.insertOne({ _id: 1 }, { writeConcern: { w: 'majority', j: true } });
  await on.coll.insertOne({ _id: 2 }, { writeConcern: { w: 0 } });
  await until('both writes', async () => (await on.coll.countDocuments()) >= 2);
  expect(await on.coll.countDocuments()).toBe(2);
});
