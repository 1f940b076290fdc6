import fc from 'fast-check';
import type { AnyBulkWriteOperation, Collection, Filter, Sort, UpdateFilter } from 'mongodb';

/** A document in the shapes that the services keep: keys, counters, lists of parts, dates. */
export type Thing = { _id: number; [field: string]: unknown };

/** One request as a service sends it; its result, or the error's code, is what is compared. */
export type Asked = { name: string; run(things: Collection<Thing>): Promise<unknown> };

const id = fc.integer({ min: 1, max: 6 });
const small = fc.integer({ min: -2, max: 5 });
const word = fc.constantFrom('a', 'b', 'B', '');
const date = fc.integer({ min: 0, max: 3 }).map((day) => new Date(day * 86_400_000));
const part = fc.record({ seq: small, done: fc.boolean() });
const value = fc.oneof(small, word, date, fc.constant(null), fc.double({ min: -1, max: 1, noNaN: true }));

const thing = fc.record(
  {
    _id: id,
    chain_id: small,
    key: word,
    n: value,
    at: date,
    tags: fc.array(word, { maxLength: 3 }),
    parts: fc.array(part, { maxLength: 3 }),
  },
  { requiredKeys: ['_id'] },
) as fc.Arbitrary<Thing>;

const condition = fc.oneof(
  value,
  fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$ne', '$eq'), value).map(([name, v]) => ({ [name]: v })),
  fc.tuple(fc.constantFrom('$in', '$nin'), fc.array(value, { maxLength: 3 })).map(([name, v]) => ({ [name]: v })),
  fc.boolean().map((v) => ({ $exists: v })),
  fc.tuple(small, small).map(([from, to]) => ({ $gte: from, $lt: to })),
);
const field = fc.constantFrom('_id', 'chain_id', 'key', 'n', 'at', 'tags', 'parts.seq', 'parts.0.seq', 'absent');
const simple = fc.tuple(field, condition).map(([name, v]) => ({ [name]: v }));
const filter = fc.oneof(
  { weight: 4, arbitrary: simple },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.array(simple, { minLength: 1, maxLength: 2 }).map((list) => ({ $or: list })) },
  { weight: 1, arbitrary: fc.array(simple, { minLength: 1, maxLength: 2 }).map((list) => ({ $and: list })) },
  { weight: 1, arbitrary: small.map((seq) => ({ parts: { $elemMatch: { seq: { $gte: seq }, done: true } } })) },
  { weight: 1, arbitrary: small.map((n) => ({ $expr: { $lte: [{ $ifNull: ['$n', 0] }, n] } })) },
  { weight: 1, arbitrary: word.map((text) => ({ key: { $regex: `^${text}` } })) },
) as fc.Arbitrary<Filter<Thing>>;
/** What an upsert can take over. */
const upsertFilter = fc.tuple(id, fc.option(small, { nil: undefined })).map(([_id, chain_id]) => ({
  _id,
  ...(chain_id !== undefined && { chain_id }),
})) as fc.Arbitrary<Filter<Thing>>;

const update = fc.oneof(
  value.map((n) => ({ $set: { n } })),
  fc.tuple(small, word).map(([n, key]) => ({ $set: { n, key }, $setOnInsert: { made: true } })),
  small.map((n) => ({ $inc: { n }, $currentDate: {} })),
  small.map((n) => ({ $inc: { n } })),
  small.map((n) => ({ $max: { n, other: n } })),
  word.map((tag) => ({ $push: { tags: tag } })),
  fc.array(word, { maxLength: 2 }).map((tags) => ({ $push: { tags: { $each: tags, $slice: -3 } } })),
  word.map((tag) => ({ $addToSet: { tags: tag } })),
  word.map((tag) => ({ $pull: { tags: tag } })),
  small.map((seq) => ({ $pull: { parts: { seq: { $lt: seq } } } })),
  fc.constantFrom('n', 'key', 'parts.0').map((name) => ({ $unset: { [name]: '' } })),
  small.map((seq) => ({ $set: { 'parts.0.seq': seq } })),
  small.map((by) => [{ $set: { n: { $add: [{ $ifNull: ['$count', 0] }, by] } } }]),
  fc.constant([{ $set: { count: { $size: { $ifNull: ['$tags', []] } } } }, { $unset: 'at' }]),
) as fc.Arbitrary<UpdateFilter<Thing>>;

/** Ends with `_id`, so that one order is right. */
const sort = fc
  .tuple(fc.constantFrom('n', 'at', 'key', 'tags', 'parts.seq', 'chain_id'), fc.constantFrom(1, -1))
  .map(([name, direction]) => ({ [name]: direction, _id: 1 })) as fc.Arbitrary<Sort>;
const returnDocument = fc.constantFrom('before' as const, 'after' as const);

const asked = (name: string, run: Asked['run']): Asked => ({ name, run });

const writes: fc.Arbitrary<Asked>[] = [
  thing.map((doc) => asked(`insertOne ${JSON.stringify(doc)}`, (things) => things.insertOne({ ...doc }))),
  fc.tuple(fc.array(thing, { minLength: 1, maxLength: 3 }), fc.boolean()).map(([docs, ordered]) =>
    asked(`insertMany ${JSON.stringify([docs, ordered])}`, (things) =>
      things.insertMany(
        docs.map((doc) => ({ ...doc })),
        { ordered },
      ),
    ),
  ),
  fc.tuple(filter, update, fc.constantFrom('updateOne' as const, 'updateMany' as const)).map(([where, change, kind]) =>
    asked(`${kind} ${JSON.stringify([where, change])}`, (things) =>
      // Of several that match, a server may choose any.
      kind === 'updateMany' ? things.updateMany(where, change) : things.updateOne({ ...where, _id: 1 }, change),
    ),
  ),
  fc
    .tuple(upsertFilter, update)
    .map(([where, change]) =>
      asked(`upsert ${JSON.stringify([where, change])}`, (things) => things.updateOne(where, change, { upsert: true })),
    ),
  fc
    .tuple(filter, update, sort, returnDocument)
    .map(([where, change, order, when]) =>
      asked(`findOneAndUpdate ${JSON.stringify([where, change, order, when])}`, (things) =>
        things.findOneAndUpdate(where, change, { sort: order, returnDocument: when }),
      ),
    ),
  fc
    .tuple(upsertFilter, update, returnDocument)
    .map(([where, change, when]) =>
      asked(`findOneAndUpdate upsert ${JSON.stringify([where, change, when])}`, (things) =>
        things.findOneAndUpdate(where, change, { upsert: true, returnDocument: when }),
      ),
    ),
  thing.map(({ _id, ...doc }) =>
    asked(`replaceOne ${_id} ${JSON.stringify(doc)}`, (things) => things.replaceOne({ _id }, doc, { upsert: true })),
  ),
  filter.map((where) => asked(`deleteMany ${JSON.stringify(where)}`, (things) => things.deleteMany(where))),
  fc
    .tuple(filter, sort)
    .map(([where, order]) =>
      asked(`findOneAndDelete ${JSON.stringify([where, order])}`, (things) =>
        things.findOneAndDelete(where, { sort: order }),
      ),
    ),
  fc.tuple(thing, upsertFilter, update, id, fc.boolean()).map(([doc, where, change, gone, ordered]) => {
    const operations: AnyBulkWriteOperation<Thing>[] = [
      { insertOne: { document: doc } },
      { updateOne: { filter: where, update: change, upsert: true } },
      { deleteOne: { filter: { _id: gone } } },
    ];
    const name = `bulkWrite ${JSON.stringify([operations, ordered])}`;
    return asked(name, (things) =>
      things.bulkWrite(
        operations.map((one) => structuredClone(one)),
        { ordered },
      ),
    );
  }),
];

const projection = fc.constantFrom(
  {},
  { _id: 0, n: 1 },
  { parts: 0 },
  { 'parts.seq': 1, key: 1 },
  { tags: { $slice: 1 } },
);

const reads: fc.Arbitrary<Asked>[] = [
  fc.tuple(filter, sort, projection, fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 4 })).map((query) => {
    const [where, order, fields, skip, limit] = query;
    return asked(`find ${JSON.stringify(query)}`, (things) =>
      things.find(where, { projection: fields, sort: order, skip, limit, batchSize: 2 }).toArray(),
    );
  }),
  filter.map((where) => asked(`countDocuments ${JSON.stringify(where)}`, (things) => things.countDocuments(where))),
  fc
    .tuple(fc.constantFrom('key', 'tags', 'chain_id'), filter)
    .map(([name, where]) =>
      asked(`distinct ${JSON.stringify([name, where])}`, async (things) =>
        (await things.distinct(name, where)).map((one) => JSON.stringify(one)).sort(),
      ),
    ),
  filter.map((where) => {
    const pipeline = [
      { $match: where },
      { $sort: { _id: 1 } },
      {
        $group: {
          _id: '$key',
          count: { $sum: 1 },
          sum: { $sum: '$chain_id' },
          last: { $max: '$at' },
          first: { $first: '$_id' },
        },
      },
      { $sort: { first: 1 } },
    ];
    return asked(`aggregate ${JSON.stringify(pipeline)}`, (things) => things.aggregate(pipeline).toArray());
  }),
  filter.map((where) => {
    const pipeline = [{ $match: where }, { $unwind: '$parts' }, { $count: 'parts' }];
    return asked(`aggregate ${JSON.stringify(pipeline)}`, (things) => things.aggregate(pipeline).toArray());
  }),
];

/** Some requests in a row. */
export const requests = fc.array(fc.oneof(...writes, ...reads), { minLength: 5, maxLength: 25 });
