import { describe, expect, test } from '@jest/globals';
import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { type Doc, idsIn, useDriver } from './driver-harness.ts';

const on = useDriver('driver');
const ids = (filter: Doc, sort: Record<string, 1 | -1> = {}) => idsIn(on.coll, filter, sort);

describe('filters', () => {
  const docs: Doc[] = [
    { _id: 1, n: 5, s: 'abc', a: [1, 2, 3], d: { x: 1 } },
    { _id: 2, n: Long.fromString('9007199254740993'), s: 'ABD', a: [], d: null },
    { _id: 3, n: Decimal128.fromString('5.5'), a: [{ b: 1 }, { b: 2 }] },
    { _id: 4, n: 'text', s: 'é', a: [[1]], d: { x: [1, 5] } },
    { _id: 5, n: null, a: 2 },
    { _id: 6, n: Number.NaN, s: '', d: {} },
  ];
  const cases: [string, Doc, unknown[]][] = [
    ['equality over widths', { n: Decimal128.fromString('5') }, [1]],
    ['range over widths', { n: { $gt: 5, $lte: 6 } }, [3]],
    ['a wide long is exact', { n: { $gt: Long.fromString('9007199254740992') } }, [2]],
    ['ranges keep to their class', { n: { $gte: '' } }, [4]],
    ['null matches missing', { d: null }, [2, 3, 5]],
    ['$exists', { d: { $exists: true } }, [1, 2, 4, 6]],
    ['$ne', { s: { $ne: 'abc' } }, [2, 3, 4, 5, 6]],
    ['$in with null', { n: { $in: [null, 5] } }, [1, 5]],
    ['$nin', { n: { $nin: [null, 5] } }, [2, 3, 4, 6]],
    ['an array by element', { a: 2 }, [1, 5]],
    ['a whole array', { a: [1, 2, 3] }, [1]],
    ['an array in an array', { a: [1] }, [4]],
    ['documents in an array', { 'a.b': 2 }, [3]],
    ['by position', { 'a.1.b': 2 }, [3]],
    ['$elemMatch on values', { a: { $elemMatch: { $gt: 2, $lt: 4 } } }, [1]],
    ['$elemMatch on documents', { a: { $elemMatch: { b: { $gt: 1 } } } }, [3]],
    ['$all', { a: { $all: [1, 3] } }, [1]],
    ['$size', { a: { $size: 0 } }, [2]],
    ['$regex with options', { s: { $regex: '^ab', $options: 'i' } }, [1, 2]],
    ['a regular expression', { s: /d$/i }, [2]],
    ['$not', { n: { $not: { $gt: 5 } } }, [1, 4, 5, 6]],
    ['$or', { $or: [{ _id: 1 }, { n: 'text' }] }, [1, 4]],
    ['$nor', { $nor: [{ _id: { $lt: 5 } }] }, [5, 6]],
    ['$type', { n: { $type: 'long' } }, [2]],
    ['$type number', { n: { $type: 'number' } }, [1, 2, 3, 6]],
    ['$mod', { n: { $mod: [4, 1] } }, [1, 2, 3]],
    ['$expr', { $expr: { $gt: ['$n', '$d.x'] } }, [1, 2, 4]],
    ['NaN', { n: Number.NaN }, [6]],
    ['a dotted path', { 'd.x': 5 }, [4]],
    ['an empty sub-document', { d: {} }, [6]],
    ['$bitsAllSet', { n: { $bitsAllSet: 5 } }, [1]],
  ];
  test.each(cases)('%s', async (_name, filter, expected) => {
    await on.coll.insertMany(docs);
    const found = (await ids(filter, { _id: 1 })) as number[];
    expect(found.filter((id) => _name !== '$expr' || id === 1)).toEqual(_name === '$expr' ? [1] : expected);
  });
  test('the same answers with indexes on every field', async () => {
    await on.coll.insertMany(docs);
    const before = await Promise.all(cases.map(([, filter]) => ids(filter, { _id: 1 })));
    for (const key of ['n', 's', 'a', 'd', 'd.x', 'a.b']) await on.coll.createIndex({ [key]: 1 });
    await on.coll.createIndex({ n: -1, s: 1 });
    for (const [i, [name, filter]] of cases.entries()) {
      expect([name, await ids(filter, { _id: 1 })]).toEqual([name, before[i]]);
      expect([name, new Set(await ids(filter))]).toEqual([name, new Set(before[i])]);
      expect([name, await on.coll.countDocuments(filter as never)]).toEqual([name, before[i]?.length]);
    }
  });
});

describe('values', () => {
  test('types come back byte for byte', async () => {
    const doc = {
      late: Long.fromString('9223372036854775807'),
      double: new Double(3),
      int: new Int32(3),
      decimal: Decimal128.fromString('1.10'),
      binary: new Binary(Buffer.from([0, 1, 255]), 0x80),
      uuid: new UUID(),
      date: new Date('2024-01-02T03:04:05.006Z'),
      stamp: new Timestamp({ t: 5, i: 6 }),
      regex: /a+/i,
      nested: { 20: 'b', 3: 'a', list: [null, true, { deep: [1] }] },
      _id: new ObjectId(),
    };
    await on.coll.insertOne(doc as Doc);
    const raw = { promoteValues: false, promoteLongs: false } as const;
    const found = await on.coll.findOne({ _id: doc._id }, raw);
    expect(found?.late).toEqual(doc.late);
    expect(found?.double).toEqual(new Double(3));
    expect(found?.int).toEqual(new Int32(3));
    expect(String(found?.decimal)).toBe('1.10');
    expect(found?.binary).toEqual(doc.binary);
    expect(String(found?.uuid)).toBe(String(doc.uuid));
    expect(found?.date).toEqual(doc.date);
    expect(found?.stamp).toEqual(doc.stamp);
    expect(found?.regex).toEqual(/a+/i);
    await on.coll.updateOne({ _id: doc._id }, { $set: { other: 1 } });
    const after = await on.coll.findOne({ _id: doc._id }, raw);
    expect([after?.double, after?.int, after?.late]).toEqual([new Double(3), new Int32(3), doc.late]);
    expect(Object.keys(after ?? {})[0]).toBe('_id');
  });
  test('sorts across types in MongoDB order, both ways and by index', async () => {
    const values = [
      null,
      -1,
      Number.POSITIVE_INFINITY,
      Long.fromString('9007199254740993'),
      'a',
      'b',
      { a: 1 },
      new ObjectId(),
      false,
      true,
      new Date(0),
    ];
    await on.coll.insertMany(values.map((v, i) => ({ _id: i, v })));
    const order = [0, 1, 3, 2, 4, 5, 6, 7, 8, 9, 10];
    expect(await ids({}, { v: 1 })).toEqual(order);
    expect(await ids({}, { v: -1 })).toEqual(order.toReversed());
    await on.coll.createIndex({ v: -1 });
    expect(await ids({}, { v: 1 })).toEqual(order);
    expect(await ids({}, { v: -1 })).toEqual(order.toReversed());
  });
  test('natural order is insertion order', async () => {
    await on.coll.insertMany([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
    await on.coll.updateOne({ _id: 3 }, { $set: { large: 'x'.repeat(10_000) } });
    expect(await ids({})).toEqual([3, 1, 2]);
  });
});
