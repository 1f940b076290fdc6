import { connectMongo, createLogger, createRegistry } from '@castellan/service-kit';
import { anAddress, startTestStore, storedOutbox, type TestStore } from '@castellan/testkit';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { formerCollections, moveFormerEvents } from '../src/former-events.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const vault = { chain_id: 31_337, vault_address: anAddress(0xa1) };
let store: TestStore;
let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeEach(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ uri: store.uri, database: store.database, registry: createRegistry('test') });
});
afterEach(async () => {
  await mongo?.close();
  await store?.stop();
});

const rowOf = (id: string) => ({
  ...vault,
  id,
  timestamp: '2026-01-01T00:00:00.000Z',
  category: 'write',
  action_type: 'something_changed',
  actor_wallet: null,
  details: {},
  tx_hash: null,
  request_id: null,
});

test('default: what documents of the former version had pending is published once each, under the same ids', async () => {
  for (const name of formerCollections) {
    const documents = mongo.collection<{ _id: string }>(name);
    await documents.insertOne({ _id: 'pending', owed: [rowOf(`${name}:1`), rowOf(`${name}:2`)] } as never);
    await documents.insertOne({ _id: 'settled', owed: [] } as never);
    await documents.insertOne({ _id: 'of this version' });
  }
  const outbox = storedOutbox(mongo);
  for (let start = 0; start < 2; start += 1) await moveFormerEvents({ mongo, outbox, log });
  const published = await outbox.published();
  expect(published.map(({ msgId }) => msgId)).toEqual(formerCollections.flatMap((name) => [`${name}:1`, `${name}:2`]));
  expect(published.map(({ event, data }) => [event, data])).toEqual(
    published.map(({ msgId }) => ['audit_recorded', rowOf(msgId)]),
  );
  for (const name of formerCollections)
    expect([name, await mongo.collection(name).countDocuments({ owed: { $exists: true } })]).toEqual([name, 0]);
});

test('error: a pending entry that breaks its schema stays where it is, and holds up no other', async () => {
  const strategies = mongo.collection<{ _id: string }>('strategies');
  await strategies.insertOne({ _id: 'a', owed: [{ id: 'broken', action_type: 7 }] } as never);
  await strategies.insertOne({ _id: 'b', owed: [rowOf('whole')] } as never);
  const outbox = storedOutbox(mongo);
  await moveFormerEvents({ mongo, outbox, log });
  expect((await outbox.published()).map(({ msgId }) => msgId)).toContain('whole');
  expect(await strategies.findOne({ _id: 'a' })).toMatchObject({ owed: [{ id: 'broken' }] });
});
