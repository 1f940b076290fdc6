import { describe, expect, test } from '@jest/globals';
import { Long } from 'mongodb';
import { codeOf, type Doc, useDriver } from './driver-harness.ts';

const on = useDriver('refusals');

describe('refusals carry MongoDB codes', () => {
  const run = (command: Doc) => on.db.command(command);
  const one = (change: Doc | Doc[], options?: object) => () => on.coll.updateOne({ _id: 1 }, change, options);
  const cases: [string, unknown, () => Promise<unknown>][] = [
    ['unknown command', 59, () => run({ frobnicate: 1 })],
    ['unknown field of a command', 40415, () => run({ find: 'things', frobnicate: 1 })],
    ['unknown query operator', 2, () => on.coll.findOne({ a: { $frob: 1 } } as never)],
    ['unknown top level operator', 2, () => on.coll.findOne({ $frob: 1 } as never)],
    ['unknown update operator', 9, one({ $frob: { a: 1 } })],
    ['unknown stage', 40324, () => on.coll.aggregate([{ $frob: 1 }]).toArray()],
    ['unknown expression', 168, () => on.coll.aggregate([{ $project: { a: { $frob: 1 } } }]).toArray()],
    ['unknown accumulator', 15952, () => on.coll.aggregate([{ $group: { _id: 1, a: { $frob: 1 } } }]).toArray()],
    ['$inc on a string', 14, one({ $inc: { s: 1 } })],
    ['$push to a number', 2, one({ $push: { n: 1 } })],
    ['a path through a number', 28, one({ $set: { 'n.x': 1 } })],
    ['conflicting operators', 40, one({ $set: { a: 1 }, $inc: { 'a.b': 1 } })],
    [
      'error: an array by filter and by place',
      40,
      one({ $set: { 'list.$[e]': 2, 'list.0': 3 } }, { arrayFilters: [{ e: 1 }] }),
    ],
    ['error: an array by all and by place', 40, one({ $set: { 'list.$[]': 2 }, $unset: { 'list.0': 1 } })],
    [
      'error: two filters that meet at one element',
      40,
      one({ $set: { 'list.$[e]': 2 }, $inc: { 'list.$[f]': 3 } }, { arrayFilters: [{ e: 1 }, { f: { $gt: 0 } }] }),
    ],
    [
      'error: the matched place and the same place by number',
      40,
      () => on.coll.updateOne({ _id: 1, list: 1 }, { $set: { 'list.$': 2, 'list.0': 3 } }),
    ],
    [
      'error: a computing filter of an upsert',
      224,
      () =>
        on.coll.updateOne(
          { $and: [{ $expr: { $lt: ['$n', '$$NOW'] } }] } as never,
          { $set: { n: 2 } },
          { upsert: true },
        ),
    ],
    [
      'error: a computing filter of an upsert that returns its document',
      224,
      () =>
        on.coll.findOneAndUpdate({ _id: 1, $expr: { $eq: ['$n', 1] } } as never, { $set: { n: 2 } }, { upsert: true }),
    ],
    ['changing _id', 66, one({ $set: { _id: 2 } })],
    ['an unused array filter', 9, one({ $set: { a: 1 } }, { arrayFilters: [{ 'e.k': 1 }] })],
    ['a missing array filter', 2, one({ $set: { 'a.$[e]': 1 } })],
    ['no position', 2, one({ $set: { 'list.$': 1 } })],
    ['duplicate _id', 11000, () => on.coll.insertOne({ _id: 1 })],
    ['_id is an array', 2, () => on.coll.insertOne({ _id: [1] })],
    ['unknown cursor', 43, () => run({ getMore: Long.fromNumber(42), collection: 'things' })],
    ['unknown collection', 26, () => run({ listIndexes: 'nowhere' })],
    ['unknown index', 27, () => on.coll.dropIndex('nowhere')],
    ['dropping _id_', 72, () => on.coll.dropIndex('_id_')],
    [
      'same index, other name',
      85,
      async () => on.coll.createIndex({ n: 1 }).then(() => on.coll.createIndex({ n: 1 }, { name: 'other' })),
    ],
    [
      'same name, other index',
      86,
      async () => on.coll.createIndex({ n: 1 }, { name: 'x' }).then(() => on.coll.createIndex({ m: 1 }, { name: 'x' })),
    ],
    [
      'parallel arrays',
      171,
      async () => on.coll.createIndex({ p: 1, q: 1 }).then(() => on.coll.insertOne({ p: [1], q: [2] })),
    ],
    ['an unknown hint', 2, () => on.coll.find({}).hint('nowhere').toArray()],
    ['a bad regular expression', 51091, () => on.coll.findOne({ s: { $regex: '(' } })],
    ['a bad sort', 2, () => run({ find: 'things', sort: { a: 3 } })],
    ['a mixed projection', 31254, () => on.coll.find({}, { projection: { a: 1, b: 0 } }).toArray()],
    ['a bad namespace', 73, () => run({ create: 'a$b' })],
    [
      'an existing collection',
      48,
      () => run({ create: 'things', capped: false, validator: {} }).then(() => run({ create: 'things' })),
    ],
    ['division by zero', 2, () => on.coll.aggregate([{ $project: { a: { $divide: [1, 0] } } }]).toArray()],
  ];
  test.each(cases)('%s', async (_name, code, work) => {
    await on.coll.insertOne({ _id: 1, s: 'text', n: 1, list: [1] });
    expect(await codeOf(work())).toBe(code);
    expect(await on.coll.findOne({ _id: 1 })).toEqual({ _id: 1, s: 'text', n: 1, list: [1] });
  });
  test('what one machine cannot do is refused', async () => {
    if (!on.store.embedded) return;
    await on.coll.insertOne({ _id: 1 });
    expect(await codeOf(on.db.command({ find: 'things', collation: { locale: 'en' } }))).toBe(238);
    expect(await codeOf(on.coll.aggregate([{ $out: 'x' }]).toArray())).toBe(238);
    expect(await codeOf(on.coll.watch().next())).toBe(40573);
    expect(await codeOf(on.coll.createIndex({ a: 'text' }))).toBe(67);
    expect(await codeOf(on.db.command({ find: 'things', txnNumber: Long.fromNumber(1) }))).toBe(20);
    expect(await on.coll.countDocuments()).toBe(1);
  });
});
