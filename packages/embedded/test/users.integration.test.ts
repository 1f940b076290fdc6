import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import mongoose from 'mongoose';
import { readUsersFile } from '../src/auth/users.ts';
import { type DocumentStore, startDocumentStore } from '../src/index.ts';
import { codeOf } from './driver-harness.ts';
import { spawnStore } from './store-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'castellan-users-'));
const users = [
  { name: 'vaults', password: 'pass=word, of vaults', databases: ['vaults', 'keeper'], role: 'readWrite' },
  { name: 'auth', password: 'password of auth', databases: ['auth'], role: 'readWrite' },
  { name: 'operator', password: 'password of operator', databases: ['*'], role: 'readWrite' },
] as const;
let store: DocumentStore;
const said: string[] = [];
const clients: MongoClient[] = [];

const uriOf = (name: string, password: string, options = ''): string =>
  `mongodb://${encodeURIComponent(name)}:${encodeURIComponent(password)}@127.0.0.1:${store.port}/${options}`;
const connected = async (uri: string): Promise<MongoClient> => {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 30_000 });
  clients.push(client);
  return client.connect();
};
const as = (name: (typeof users)[number]['name'], options = ''): Promise<MongoClient> =>
  connected(uriOf(name, users.find((user) => user.name === name)?.password ?? '', options));

beforeAll(async () => {
  const log = (message: string, fields = {}) => void said.push(JSON.stringify({ message, ...fields }));
  store = await startDocumentStore({ port: 0, dataDir: join(folder, 'data'), users, log });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await store?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('who is let in', () => {
  test.each(['', '?authMechanism=SCRAM-SHA-256', '?authSource=admin&maxPoolSize=1'])(
    'default: a user with its password, by the options %j',
    async (options) => {
      const client = await as('vaults', options);
      expect(await client.db('vaults').collection('things').insertOne({ a: 1 })).toMatchObject({ acknowledged: true });
      const { authInfo } = await client.db('admin').command({ connectionStatus: 1 });
      expect(authInfo.authenticatedUsers).toEqual([{ user: 'vaults', db: 'admin' }]);
    },
  );

  test('default: mongoose, on databases of the user', async () => {
    const connection = await mongoose
      .createConnection(uriOf('vaults', users[0].password), { dbName: 'keeper' })
      .asPromise();
    await connection.collection('things').insertOne({ b: 1 });
    const session = await connection.startSession();
    await session.withTransaction(() => connection.collection('things').insertOne({ b: 2 }, { session }));
    await session.endSession();
    expect(await connection.collection('things').countDocuments()).toBe(2);
    await connection.close();
  });

  test.each([
    ['a wrong password', 'vaults', 'password of auth', ''],
    ['a name that is nobody', 'nobody', 'password of auth', ''],
    ['users of another database', 'auth', 'password of auth', '?authSource=auth'],
    ['another mechanism', 'auth', 'password of auth', '?authMechanism=SCRAM-SHA-1'],
  ])('error: %s', async (_what, name, password, options) => {
    expect(await codeOf(connected(uriOf(name, password, options)))).toBe(18);
  });

  test('behavior: a failed login is logged with its user, and no password is', async () => {
    expect(await codeOf(connected(uriOf('nobody', 'password of auth')))).toBe(18);
    await as('auth');
    expect(said.some((line) => line.includes('authentication failed') && line.includes('"user":"nobody"'))).toBe(true);
    for (const { password } of users) expect(said.join('\n')).not.toContain(password);
  });

  test('error: credentials for a store without users', async () => {
    const open = await startDocumentStore({ port: 0, dataDir: join(folder, 'open') });
    expect(await codeOf(connected(uriOf('vaults', 'password').replace(`:${store.port}`, `:${open.port}`)))).toBe(18);
    await open.stop();
  });
});

describe('what they may do', () => {
  test('error: nothing without a login but what begins a connection', async () => {
    const client = await connected(store.uri);
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
    const things = client.db('vaults').collection('things');
    for (const work of [
      () => things.findOne(),
      () => things.insertOne({}),
      () => things.deleteMany({}),
      () => things.createIndex({ a: 1 }),
      () => things.aggregate([{ $match: {} }]).toArray(),
      () => client.db('vaults').dropDatabase(),
      () => client.db('admin').admin().listDatabases(),
      () => client.db('admin').command({ serverStatus: 1 }),
      () => client.db('admin').command({ endSessions: [] }),
    ]) {
      expect(await codeOf(work())).toBe(13);
    }
  });

  test('error: a login that is not finished permits nothing', async () => {
    const client = await connected(`${store.uri}/?maxPoolSize=1`);
    const first = Buffer.from('n,,n=operator,r=abcdefgh');
    const begin = { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: first };
    expect(await client.db('admin').command(begin)).toMatchObject({ done: false });
    expect(await codeOf(client.db('auth').collection('things').findOne())).toBe(13);
    const proof = Buffer.from(`c=biws,r=abcdefgh,p=${Buffer.alloc(32).toString('base64')}`);
    expect(await codeOf(client.db('admin').command({ saslContinue: 1, conversationId: 1, payload: proof }))).toBe(18);
    expect(await codeOf(client.db('admin').command({ saslContinue: 1, conversationId: 1, payload: proof }))).toBe(18);
    expect(await codeOf(client.db('auth').collection('things').findOne())).toBe(13);
  });

  test('error: no other database, by no command', async () => {
    const own = await as('auth');
    await own.db('auth').collection('keys').insertOne({ sealed: true });
    const client = await as('vaults');
    const keys = client.db('auth').collection('keys');
    const session = client.startSession();
    session.startTransaction();
    for (const work of [
      () => keys.findOne(),
      () => keys.insertOne({}),
      () => keys.updateMany({}, { $set: { sealed: false } }),
      () => keys.findOneAndDelete({}),
      () => keys.drop(),
      () => keys.findOne({}, { session }),
      () => client.db('auth').listCollections().toArray(),
      () => client.db('admin').collection('things').insertOne({}),
      () => client.db('admin').command({ serverStatus: 1 }),
    ]) {
      expect(await codeOf(work())).toBe(13);
    }
    await session.endSession();
    expect(await own.db('auth').collection('keys').findOne()).toMatchObject({ sealed: true });
  });

  test('behavior: each sees its own databases in the list, an operator all', async () => {
    const namesFor = async (name: 'auth' | 'operator') => {
      const { databases } = await (await as(name)).db('admin').admin().listDatabases();
      return databases.map((database) => database.name);
    };
    for (const name of ['auth', 'vaults'] as const) {
      const own = (await as(name)).db(name);
      await own.collection('things').insertOne({});
    }
    expect(await namesFor('auth')).toEqual(['auth']);
    expect(await namesFor('operator')).toEqual(expect.arrayContaining(['auth', 'vaults']));
  });

  test('error: nobody continues the transaction of another user', async () => {
    const lsid = { id: (await as('auth')).startSession().id?.id };
    const part = { lsid, txnNumber: 1, autocommit: false };
    const mine = (await as('vaults')).db('vaults');
    await mine.command({ insert: 'things', documents: [{ secret: 1 }], startTransaction: true, ...part } as never);
    const theirs = (await as('operator')).db('admin');
    expect(await codeOf(theirs.command({ commitTransaction: 1, ...part } as never))).toBe(251);
  });
});

describe('the file of users', () => {
  const file = join(folder, 'users.json');
  const write = (entries: unknown) => writeFileSync(file, JSON.stringify(entries));
  const entry = { name: 'vaults', password_file: 'vaults.password', databases: ['vaults'], role: 'readWrite' };
  beforeAll(() => writeFileSync(join(folder, 'vaults.password'), 'password of vaults\n'));

  test('default: passwords come from files beside it', () => {
    write([entry]);
    expect(readUsersFile(file)).toEqual([
      { name: 'vaults', password: 'password of vaults', databases: ['vaults'], role: 'readWrite' },
    ]);
  });

  test.each([
    ['no list', {}, 'must be a list'],
    ['no user', [], 'must be a list'],
    ['no name', [{ ...entry, name: '' }], 'has no name'],
    ['another role', [{ ...entry, role: 'root' }], 'readWrite'],
    ['no databases', [{ ...entry, databases: [] }], 'databases'],
    ['no password', [{ ...entry, password_file: undefined }], 'password_file'],
  ])('error: %s', (_what, entries, message) => {
    write(entries);
    expect(() => readUsersFile(file)).toThrow(message);
  });

  test('default: a store process with a file of users', async () => {
    write([entry]);
    const { child, ended } = spawnStore(join(folder, 'process'), undefined, { STORE_USERS_FILE: file });
    const port = await new Promise<number>((resolve) => {
      child.stdout?.on('data', (data) => {
        const found = /"port":(\d+)/.exec(String(data));
        if (found) resolve(Number(found[1]));
      });
    });
    const client = await connected(`mongodb://vaults:password%20of%20vaults@127.0.0.1:${port}`);
    await client.db('vaults').collection('things').insertOne({});
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  });
});
