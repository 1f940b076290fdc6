import { connectMongo, createLogger, createRegistry, migrateCollections } from '@castellan/service-kit';
import { startTestStore } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { transmissionCollection } from '../src/oracle-network/models/transmission.ts';
import { validatorCollections } from '../src/oracle-network/models/validator-network.ts';
import { preparedCollection } from '../src/prepared-calls/tracking/models/prepared-call.ts';

test('default: documents of the former version get the names and dates of this one, and keep their values', async () => {
  const store = await startTestStore();
  const mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
  try {
    const at = new Date('2026-01-01T00:00:00Z');
    const [calls, strategies] = ['prepared_calls', 'validator_strategies'].map((name) => mongo.collection(name));
    await calls?.insertMany([
      { _id: 'sent', place: '1', tx: { hash: '0x1', told_by: '0xa', told_at: at } } as never,
      { _id: 'not sent', place: '2', tx: null } as never,
    ]);
    const told = { node: { seq: 3, is_stale: true, since: at } };
    await strategies?.insertOne({ _id: '1:0xb', chain_id: 1, strategy: '0xb', told } as never);
    await mongo.collection('transmissions').insertOne({ _id: 'old', t: '2026-01-01T00:00:00Z' } as never);
    const rounds = mongo.collection('validator_rounds');
    await rounds.insertMany([
      { _id: '0xc:1:1', observers: [0, 2] },
      { _id: '0xc:1:2' },
      // Counted by this version, before the former one named another observer.
      { _id: '0xc:1:3', observers: [0, 1, 2], observed: 2 },
    ] as never);
    await rounds.createIndex({ digest: 1, finished_at: -1 });
    preparedCollection(mongo);
    transmissionCollection(mongo);
    validatorCollections(mongo);
    const log = createLogger({ service: 'test', level: 'silent' });
    for (let start = 0; start < 2; start += 1) await migrateCollections(mongo, log);
    expect(await calls?.find().sort({ place: 1 }).toArray()).toEqual([
      { _id: 'sent', place: '1', tx: { hash: '0x1', reported_by: '0xa', reported_at: at } },
      { _id: 'not sent', place: '2', tx: null },
    ]);
    expect(await strategies?.find().toArray()).toEqual([{ _id: '1:0xb', chain_id: 1, strategy: '0xb', reports: told }]);
    expect(await transmissionCollection(mongo).findOne({})).toMatchObject({ t: '2026-01-01T00:00:00Z', sent_at: at });
    const counted = (await rounds.find().sort({ _id: 1 }).toArray()).map(({ observed }) => observed);
    expect(counted).toEqual([2, undefined, 3]);
    expect((await rounds.indexes()).map(({ name }) => name)).not.toContain('digest_1_finished_at_-1');
  } finally {
    await mongo.close();
    await store.stop();
  }
});

test('behavior: of two processes that start at once, one finds a former index gone and starts as well', async () => {
  const store = await startTestStore();
  const mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
  try {
    const rounds = mongo.collection('validator_rounds');
    const name = await rounds.createIndex({ finished_at: 1 }, { expireAfterSeconds: 2 * 86_400 });
    const indexes = rounds.indexes.bind(rounds);
    Object.assign(rounds, {
      indexes: async () => {
        const found = await indexes();
        if (found.some((index) => index.name === name)) await rounds.dropIndex(name);
        return found;
      },
    });
    validatorCollections(mongo);
    await migrateCollections(mongo, createLogger({ service: 'test', level: 'silent' }));
    expect((await indexes()).map((index) => index.name)).not.toContain(name);
  } finally {
    await mongo.close();
    await store.stop();
  }
});
