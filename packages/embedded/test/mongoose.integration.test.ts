import { afterAll, beforeAll, expect, test } from '@jest/globals';
import mongoose, { Schema } from 'mongoose';
import { type StoreUnderTest, storeUnderTest } from './store-under-test.ts';

let store: StoreUnderTest;
let connection: mongoose.Connection;
const schema = new Schema(
  {
    chain_id: { type: Number, required: true },
    vault: { type: String, required: true },
    shares: Schema.Types.Decimal128,
    tags: [String],
    steps: [{ name: String, done: Boolean }],
    expires_at: Date,
  },
  { timestamps: true },
);
schema.index({ chain_id: 1, vault: 1 }, { unique: true });
schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 });

beforeAll(async () => {
  store = await storeUnderTest();
  connection = await mongoose.createConnection(store.uri, { dbName: `castellan_mongoose_${process.pid}` }).asPromise();
});
afterAll(async () => {
  await connection?.dropDatabase();
  await connection?.close();
  await store?.stop();
});

test('a model works unchanged: indexes, saves, queries, updates, lean reads, cursors', async () => {
  const Vault = connection.model('Vault', schema);
  await Vault.init();
  await Vault.init();
  expect((await Vault.listIndexes()).map(({ name }) => name)).toEqual(['_id_', 'chain_id_1_vault_1', 'expires_at_1']);
  expect(await Vault.syncIndexes()).toEqual([]);

  const made = await Vault.create({ chain_id: 1, vault: '0xa', shares: '1.50', steps: [{ name: 'x', done: false }] });
  made.tags.push('new');
  await made.save();
  expect(await Vault.findById(made._id).lean()).toMatchObject({ chain_id: 1, tags: ['new'] });
  await expect(Vault.create({ chain_id: 1, vault: '0xa' })).rejects.toMatchObject({ code: 11000 });

  const after = await Vault.findOneAndUpdate(
    { chain_id: 2, vault: '0xb' },
    { $set: { tags: ['made'] }, $setOnInsert: { shares: '2' } },
    { upsert: true, returnDocument: 'after', setDefaultsOnInsert: true },
  );
  expect(String(after?.shares)).toBe('2');
  await Vault.updateOne({ vault: '0xa', 'steps.name': 'x' }, { $set: { 'steps.$.done': true } });
  expect((await Vault.findOne({ vault: '0xa' }))?.steps[0]?.done).toBe(true);
  await Vault.bulkWrite([
    { updateOne: { filter: { chain_id: 3, vault: '0xc' }, update: { $set: { tags: [] } }, upsert: true } },
    { deleteOne: { filter: { vault: '0xb' } } },
  ]);
  expect(await Vault.find().sort({ chain_id: -1 }).distinct('vault')).toEqual(['0xa', '0xc']);
  expect(await Vault.countDocuments({ chain_id: { $gte: 1 } })).toBe(2);
  expect(await Vault.exists({ vault: '0xa' })).not.toBeNull();
  const seen: string[] = [];
  for await (const doc of Vault.find().sort({ vault: 1 }).batchSize(1).cursor()) seen.push(doc.vault);
  expect(seen).toEqual(['0xa', '0xc']);
  const [total] = await Vault.aggregate([{ $group: { _id: null, n: { $sum: 1 }, last: { $max: '$updatedAt' } } }]);
  expect(total).toMatchObject({ n: 2, last: expect.any(Date) });
  expect(await Vault.deleteMany({})).toMatchObject({ deletedCount: 2 });
});
