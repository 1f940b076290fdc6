import { createRequire } from 'node:module';
import { connect, createServer, type Socket } from 'node:net';
import { startOwnStore, until } from '@castellan/testkit';
import { expect, jest, test } from '@jest/globals';
import { connectMongo, createRegistry, onStoreCommand, pingMongo } from '../src/index.ts';

const { CursorResponse } = createRequire(import.meta.url)('mongodb/lib/cmap/wire_protocol/responses.js') as {
  CursorResponse: { prototype: { toObject(): object } };
};

/** A store behind a door that forwards commands to it, or keeps them. */
async function storeBehindDoor() {
  const store = await startOwnStore({});
  const target = Number(new URL(store.uri).port);
  const clients: Socket[] = [];
  const state = { forwards: true };
  const door = createServer((client) => {
    const server = connect({ host: '127.0.0.1', port: target });
    clients.push(client);
    client.on('data', (chunk) => state.forwards && server.write(chunk));
    server.pipe(client);
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('close', () => server.destroy());
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  const { port } = door.address() as { port: number };
  const stop = async () => {
    for (const client of clients) client.destroy();
    await new Promise((resolve) => door.close(resolve));
    await store.stop();
  };
  return { uri: `mongodb://127.0.0.1:${port}`, database: store.database, clients, state, stop };
}

test('behavior: a server whose connections all close at once, under commands, is found again', async () => {
  const { uri, database, clients, state, stop } = await storeBehindDoor();
  const mongo = await connectMongo({ uri, database, registry: createRegistry('test') });
  await Promise.all([pingMongo(mongo), pingMongo(mongo), pingMongo(mongo)]);
  // biome-ignore lint/plugin: the driver makes no check sooner than half a second after the last one
  await new Promise((resolve) => setTimeout(resolve, 600));
  state.forwards = false;
  const inFlight = [1, 2, 3].map(() => mongo.collection('things').findOne({}));
  // biome-ignore lint/plugin: the commands and a check are under way; neither is answered, so there is no event to wait for
  await new Promise((resolve) => setTimeout(resolve, 100));
  state.forwards = true;
  for (const client of clients) client.destroy();
  await Promise.allSettled(inFlight);
  expect(await mongo.collection('things').findOne({})).toBeNull();
  await mongo.close();
  await stop();
});

test.each([
  ['of the options', '', 1_000],
  ['of the URI, which comes first', '/?socketTimeoutMS=1000', 60_000],
])('error: a command whose reply does not come fails after the time %s', async (_of, parameters, replyMs) => {
  const { uri, database, state, stop } = await storeBehindDoor();
  const registry = createRegistry('test');
  const mongo = await connectMongo({ uri: `${uri}${parameters}`, database, registry, replyMs });
  await pingMongo(mongo);
  state.forwards = false;
  await expect(pingMongo(mongo)).rejects.toMatchObject({ name: 'MongoNetworkTimeoutError' });
  state.forwards = true;
  // On a busy machine a reply may take longer than that.
  await until('a reply', () => pingMongo(mongo).catch(() => false));
  await mongo.close();
  await stop();
});

test('behavior: an idle pool is not looked through ten times a second, before and after an outage', async () => {
  const store = await startOwnStore({});
  const mongo = await connectMongo({ ...store, registry: createRegistry('test') });
  type Pool = { ensureMinPoolSize(): void; clear(): void; ready(): void };
  const { topology } = mongo.getClient() as unknown as { topology: { s: { servers: Map<string, { pool: Pool }> } } };
  const { pool } = [...topology.s.servers.values()][0] as { pool: Pool };
  let checks = 0;
  const check = pool.ensureMinPoolSize.bind(pool);
  pool.ensureMinPoolSize = () => {
    checks += 1;
    check();
  };
  const quietly = async () => {
    checks = 0;
    // biome-ignore lint/plugin: a check would be made in this time
    await new Promise((resolve) => setTimeout(resolve, 350));
    return checks;
  };
  expect(await quietly()).toBe(0);
  pool.clear();
  pool.ready();
  expect(checks).toBe(1);
  expect(await quietly()).toBe(0);
  expect(await pingMongo(mongo)).toBe(true);
  await mongo.close();
  await store.stop();
});

test('behavior: commands are counted and timed without their replies being decoded for it', async () => {
  const store = await startOwnStore({});
  const registry = createRegistry('test');
  const mongo = await connectMongo({ ...store, registry });
  const seen: string[] = [];
  const end = onStoreCommand(mongo, ({ name, command, outcome }) =>
    seen.push(`${name} ${command.collection ?? command[name]} ${outcome}`),
  );
  const things = mongo.collection<{ _id: number }>('things');
  await things.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  const decodings = jest.spyOn(CursorResponse.prototype, 'toObject');
  const cursor = things.find({}, { batchSize: 2 });
  expect(await cursor.toArray()).toHaveLength(3);
  expect(decodings).not.toHaveBeenCalled();
  decodings.mockRestore();
  await expect(things.distinct('_id', { $nonsense: 1 } as object)).rejects.toThrow();
  end();
  await pingMongo(mongo);
  expect(seen).toEqual(['insert things ok', 'find things ok', 'getMore things ok', 'distinct things error']);
  const text = await registry.getSingleMetricAsString('mongo_command_duration_seconds');
  expect(text).toMatch(/_count\{.*command="find",outcome="ok".*\} 1/);
  expect(text).toMatch(/_count\{.*command="ping",outcome="ok".*\} 1/);
  expect(text).toMatch(/_count\{.*command="distinct",outcome="error".*\} 1/);
  await mongo.close();
  await store.stop();
});
