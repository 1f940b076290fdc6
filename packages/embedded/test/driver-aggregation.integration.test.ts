import { beforeEach, describe, expect, test } from '@jest/globals';
import { Decimal128 } from 'mongodb';
import { type Doc, useDriver } from './driver-harness.ts';

const on = useDriver('aggregation');

describe('aggregation', () => {
  beforeEach(async () => {
    await on.coll.insertMany([
      { _id: 1, k: 'a', n: 1, amount: Decimal128.fromString('0.1'), at: new Date('2024-01-01T05:00:00Z') },
      { _id: 2, k: 'a', n: 2, amount: Decimal128.fromString('0.2'), at: new Date('2024-01-01T20:00:00Z') },
      {
        _id: 3,
        k: 'b',
        n: 3,
        amount: Decimal128.fromString('1e20'),
        at: new Date('2024-01-02T00:00:00Z'),
        tags: ['x', 'y'],
      },
    ]);
    await on.db.collection<Doc>('other').insertMany([
      { _id: 'a', label: 'A' },
      { _id: 'c', label: 'C' },
    ]);
  });
  const cases: [string, Doc[], unknown][] = [
    [
      '$group with decimals',
      [
        {
          $group: {
            _id: '$k',
            sum: { $sum: '$amount' },
            top: { $max: '$n' },
            avg: { $avg: '$n' },
            ids: { $push: '$_id' },
          },
        },
        { $sort: { _id: 1 } },
      ],
      [
        { _id: 'a', sum: Decimal128.fromString('0.3'), top: 2, avg: 1.5, ids: [1, 2] },
        { _id: 'b', sum: Decimal128.fromString('100000000000000000000'), top: 3, avg: 3, ids: [3] },
      ],
    ],
    [
      '$match, $sort, $limit, $project',
      [
        { $match: { n: { $gte: 2 } } },
        { $sort: { n: -1 } },
        { $limit: 1 },
        { $project: { _id: 0, double: { $multiply: ['$n', 2] } } },
      ],
      [{ double: 6 }],
    ],
    [
      '$lookup',
      [{ $lookup: { from: 'other', localField: 'k', foreignField: '_id', as: 'o' } }, { $project: { o: '$o.label' } }],
      [
        { _id: 1, o: ['A'] },
        { _id: 2, o: ['A'] },
        { _id: 3, o: [] },
      ],
    ],
    [
      '$lookup with a pipeline',
      [
        { $match: { _id: 1 } },
        {
          $lookup: {
            from: 'other',
            let: { k: '$k' },
            pipeline: [{ $match: { $expr: { $eq: ['$_id', '$$k'] } } }],
            as: 'o',
          },
        },
        { $project: { o: 1 } },
      ],
      [{ _id: 1, o: [{ _id: 'a', label: 'A' }] }],
    ],
    [
      '$unwind',
      [{ $unwind: { path: '$tags', includeArrayIndex: 'i' } }, { $project: { tags: 1, i: 1 } }],
      [
        { _id: 3, tags: 'x', i: 0 },
        { _id: 3, tags: 'y', i: 1 },
      ],
    ],
    [
      '$facet and $count',
      [{ $facet: { all: [{ $count: 'n' }], a: [{ $match: { k: 'a' } }, { $project: { _id: 1 } }] } }],
      [{ all: [{ n: 3 }], a: [{ _id: 1 }, { _id: 2 }] }],
    ],
    [
      'behavior: $count of nothing gives no document',
      [{ $match: { k: 'none' } }, { $unset: 'n' }, { $count: 'n' }],
      [],
    ],
    [
      'behavior: $push and $addToSet skip missing fields and keep null',
      [
        { $unionWith: { coll: 'other', pipeline: [{ $match: { _id: 'a' } }, { $addFields: { k: 'a', n: null } }] } },
        {
          $group: {
            _id: '$k',
            pushed: { $push: '$n' },
            tags: { $push: '$tags' },
            labels: { $addToSet: '$label' },
            none: { $addToSet: '$nowhere' },
            nulls: { $push: null },
            first: { $first: '$nowhere' },
          },
        },
        { $sort: { _id: 1 } },
      ],
      [
        { _id: 'a', pushed: [1, 2, null], tags: [], labels: ['A'], none: [], nulls: [null, null, null], first: null },
        { _id: 'b', pushed: [3], tags: [['x', 'y']], labels: [], none: [], nulls: [null], first: null },
      ],
    ],
    [
      '$addFields, $unset, $replaceRoot',
      [{ $match: { _id: 1 } }, { $addFields: { x: { y: '$n' } } }, { $replaceRoot: { newRoot: '$x' } }],
      [{ y: 1 }],
    ],
    [
      '$bucket',
      [{ $bucket: { groupBy: '$n', boundaries: [0, 2, 10], output: { n: { $sum: 1 } } } }],
      [
        { _id: 0, n: 1 },
        { _id: 2, n: 2 },
      ],
    ],
    [
      '$dateTrunc groups by day',
      [{ $group: { _id: { $dateTrunc: { date: '$at', unit: 'day' } }, n: { $sum: '$n' } } }, { $sort: { _id: 1 } }],
      [
        { _id: new Date('2024-01-01'), n: 3 },
        { _id: new Date('2024-01-02'), n: 3 },
      ],
    ],
    [
      '$setWindowFields',
      [
        {
          $setWindowFields: {
            partitionBy: '$k',
            sortBy: { n: 1 },
            output: { run: { $sum: '$n', window: { documents: ['unbounded', 'current'] } } },
          },
        },
        { $project: { run: 1 } },
      ],
      [
        { _id: 1, run: 1 },
        { _id: 2, run: 3 },
        { _id: 3, run: 3 },
      ],
    ],
    [
      'array expressions and missing values',
      [
        { $match: { _id: 3 } },
        { $project: { s: { $sum: '$none' }, m: { $max: ['$n', 9] }, a: { $avg: [1, 2] }, t: { $sum: '$tags' } } },
      ],
      [{ _id: 3, s: 0, m: 9, a: 1.5, t: 0 }],
    ],
    [
      '$redact',
      [{ $redact: { $cond: [{ $eq: ['$_id', 1] }, '$$KEEP', '$$PRUNE'] } }, { $project: { n: 1 } }],
      [{ _id: 1, n: 1 }],
    ],
    ['$top', [{ $group: { _id: null, t: { $top: { sortBy: { n: -1 }, output: '$n' } } } }], [{ _id: null, t: 3 }]],
    [
      '$unionWith',
      [{ $project: { _id: 1 } }, { $unionWith: { coll: 'other', pipeline: [{ $project: { _id: 1 } }] } }],
      [{ _id: 1 }, { _id: 2 }, { _id: 3 }, { _id: 'a' }, { _id: 'c' }],
    ],
    [
      '$sortByCount',
      [{ $sortByCount: '$k' }],
      [
        { _id: 'a', count: 2 },
        { _id: 'b', count: 1 },
      ],
    ],
    [
      'decimals compare with numbers',
      [{ $project: { big: { $gt: ['$amount', 1] } } }],
      [
        { _id: 1, big: false },
        { _id: 2, big: false },
        { _id: 3, big: true },
      ],
    ],
    [
      '$toString of an ObjectId',
      [{ $limit: 1 }, { $project: { _id: 0, s: { $toString: { $toObjectId: 'aaaaaaaaaaaaaaaaaaaaaaaa' } } } }],
      [{ s: 'a'.repeat(24) }],
    ],
  ];
  test.each(cases)('%s', async (_name, pipeline, expected) => {
    expect(await on.coll.aggregate(pipeline).toArray()).toEqual(expected);
  });
});
