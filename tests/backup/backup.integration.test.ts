import { createWriteStream, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { connectMongo, createRegistry, type RunningService, startService } from '@castellan/service-kit';
import { startOwnNats, startOwnStore, type TestStore, testKeys } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { labelOf, sealer } from '../../services/users/src/alerts/channels/adapters/sealed.ts';
import { mongoRelease } from '../../services/vaults/src/keeper/adapters/release.mongo.ts';
import { backUp } from '../../tools/castellan/backup/backup.ts';
import { databasesOf, withStore } from '../../tools/castellan/backup/databases.ts';
import { seal } from '../../tools/castellan/backup/envelope.ts';
import { atOneMoment } from '../../tools/castellan/backup/moment.ts';
import { type Section, writeRecords } from '../../tools/castellan/backup/records.ts';
import { restore } from '../../tools/castellan/backup/restore.ts';
import { databaseServices } from '../../tools/castellan/collections.ts';
import { runCastellan } from '../../tools/castellan/commands.ts';

/** The commands, on databases that no service uses. */
const passphrase = 'a passphrase of some length';
let store: TestStore;
let folder: string;
let round = 0;
type Client = Parameters<Parameters<typeof withStore>[1]>[0];

beforeAll(async () => {
  // In that of the test run other files make indexes, which ends the transaction of a backup.
  store = await startOwnStore();
  folder = mkdtempSync(join(tmpdir(), 'castellan-backup-'));
});
afterAll(async () => {
  await store?.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  round += 1;
});

const nameOf = (place: string, service: string) => `${store.database}_${place}${round}_${service}`;
const given = (place: string) => databaseServices.map((service) => `${service}=${nameOf(place, service)}`);
const fileOf = () => join(folder, `backup-${round}`);

async function allOf<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}

/** Runs a command. @returns its exit code, all that it wrote, and what of it is the result. */
async function castellan(place: string, ...args: string[]): Promise<{ code: number; text: string; out: string }> {
  let text = '';
  let out = '';
  const write = (more: string) => {
    text += more;
  };
  const print = (more: string) => {
    out += more;
    write(more);
  };
  const databases = given(place).flatMap((name) => ['--database', name]);
  const env = { CASTELLAN_BACKUP_PASSPHRASE: passphrase, MONGODB_URI: store.uri };
  const code = await runCastellan([...args, ...databases], { env, out: print, err: write });
  return { code, text, out };
}

const audit = (seq: number) => ({
  _id: `row ${seq}` as never,
  seq,
  id: `row ${seq}`,
  amount: 1.5 * seq,
  at: new Date(seq),
});
const rowsOf = async (client: Client, database: string, collection: string) =>
  (
    await client
      .db(database)
      .collection(collection)
      .find({}, { sort: { _id: 1 }, raw: true })
      .toArray()
  ).map((row) => Buffer.from(row as unknown as Uint8Array).toString('hex'));

const fill = (client: Client) =>
  Promise.all([
    client
      .db(nameOf('old', 'users'))
      .collection('audit_log')
      .insertMany([audit(1), audit(2), audit(3)]),
    client
      .db(nameOf('old', 'vaults'))
      .collection('leases')
      .insertOne({ _id: 'indexer:1' as never, token: 7, holder: 'one' }),
    client
      .db(nameOf('old', 'vaults'))
      .collection('intents')
      .insertOne({ _id: 'int' as never, revision: 2 }),
    client
      .db(nameOf('old', 'auth'))
      .collection('sessions')
      .insertOne({ _id: 'open' as never }),
    client
      .db(nameOf('old', 'auth'))
      .collection('signing_keys')
      .insertOne({ _id: 'key' as never }),
    client
      .db(`${store.database}_old${round}_validator`)
      .collection('guards')
      .insertOne({ _id: 'signer' as never }),
  ]);

test('behavior: a check says of how many channels the given key opens the secrets', async () => {
  const key = '1f'.repeat(32);
  const { seal: sealWith } = sealer(Buffer.from(key, 'hex'));
  await withStore(store.uri, async (client) => {
    const channels = client.db(nameOf('old', 'users')).collection('notification_channels');
    for (const channel_id of ['ch_1', 'ch_2']) {
      const channel = { channel_id, owner: `0x${'a'.repeat(40)}` };
      await channels.insertOne({ ...channel, sealed: sealWith('{}', labelOf(channel)) });
    }
  });
  expect(await castellan('old', 'backup', '--to', fileOf())).toMatchObject({ code: 0 });
  const check = async (given: string) => {
    const file = join(folder, `key-${round}`);
    writeFileSync(file, `${given}\n`);
    return await castellan('new', 'restore', '--from', fileOf(), '--check', '--notifications-key-file', file);
  };
  expect(await check(key)).toMatchObject({ code: 0, text: expect.stringContaining('opens 2 of 2 channels') });
  expect(await check('2e'.repeat(32))).toMatchObject({
    code: 1,
    text: expect.stringContaining('opens 0 of 2 channels'),
  });
  expect(await check('no key')).toMatchObject({ code: 1, text: expect.stringContaining('64 hexadecimal digits') });
});

test('default: what is truth is in empty databases again, byte by byte, and nothing else', async () => {
  await withStore(store.uri, async (client) => {
    await fill(client);
    const made = await castellan('old', 'backup', '--to', fileOf(), '--json');
    const manifest = JSON.parse(made.out) as { id: string; created_at: string; collections: { documents: number }[] };
    expect([made.code, manifest.collections.reduce((sum, { documents }) => sum + documents, 0)]).toEqual([0, 5]);
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    // By which an alert knows that backups are still made.
    const note = await client.db(nameOf('old', 'users')).collection('backups').findOne({});
    expect(note).toEqual({ _id: 'last', at: new Date(manifest.created_at), backup: manifest.id });
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    const checked = await castellan('new', 'restore', '--from', fileOf(), '--check');
    expect(checked).toMatchObject({ code: 0, text: expect.stringContaining('is whole: 5 documents') });
    const asJson = await castellan('new', 'restore', '--from', fileOf(), '--check', '--json');
    expect(JSON.parse(asJson.out)).toEqual(manifest);
    const restored = await castellan('new', 'restore', '--from', fileOf(), '--json');
    expect([restored.code, JSON.parse(restored.out)]).toMatchObject([0, { id: manifest.id }]);
    for (const [service, name] of [
      ['users', 'audit_log'],
      ['vaults', 'intents'],
    ] as const) {
      const before = await rowsOf(client, nameOf('old', service), name);
      expect(before.length).toBeGreaterThan(0);
      expect(await rowsOf(client, nameOf('new', service), name)).toEqual(before);
    }
    const connection = await connectMongo({
      uri: store.uri,
      database: nameOf('new', 'vaults'),
      registry: createRegistry('test'),
    });
    const lease = await client.db(nameOf('new', 'vaults')).collection('leases').findOne({});
    expect(lease).toEqual({ _id: 'indexer:1', token: 7, holder: '', expires_at: new Date(0) });
    expect(await rowsOf(client, nameOf('new', 'auth'), 'sessions')).toEqual([]);
    expect(await rowsOf(client, nameOf('new', 'auth'), 'signing_keys')).toEqual([]);
    const keeper = mongoRelease(connection);
    expect(await keeper()).toBe(false);
    expect(await castellan('new', 'release-keeper')).toMatchObject({ code: 0 });
    expect(await keeper()).toBe(false);
    const released = await castellan('new', 'release-keeper', '--yes', '--json');
    expect([released.code, JSON.parse(released.out)]).toEqual([
      0,
      { on_its_way: [], running_strategies: 0, executing_intents: 0, is_released: true },
    ]);
    expect(await keeper()).toBe(true);
    expect(await castellan('old', 'release-keeper')).toMatchObject({ code: 1 });
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true });
    // A guard that came back would allow a second signature for what was signed since.
    expect(databases.filter(({ name }) => name.includes(`_new${round}_validator`))).toEqual([]);
    await connection.close();
  });
});

test('security: a backup never replaces a file, and takes its passphrase from no argument', async () => {
  writeFileSync(fileOf(), 'another');
  expect(await castellan('old', 'backup', '--to', fileOf())).toMatchObject({
    code: 1,
    text: expect.stringContaining('is there already'),
  });
  expect(await castellan('old', 'backup', '--to', fileOf(), '--passphrase', passphrase)).toMatchObject({ code: 2 });
});

test('error: a database with documents is named, and nothing is written', async () => {
  await withStore(store.uri, async (client) => {
    await fill(client);
    await castellan('old', 'backup', '--to', fileOf());
    await client.db(nameOf('new', 'ai')).collection('anything').insertOne({});
    const { code, text } = await castellan('new', 'restore', '--from', fileOf());
    expect(code).toBe(1);
    expect(text).toContain(`${nameOf('new', 'ai')}.anything (1)`);
    expect(await rowsOf(client, nameOf('new', 'users'), 'audit_log')).toEqual([]);
    expect(await rowsOf(client, nameOf('new', 'users'), 'restores')).toEqual([]);
  });
});

test('error: a damaged backup is refused before anything is written', async () => {
  await withStore(store.uri, async (client) => {
    await fill(client);
    await castellan('old', 'backup', '--to', fileOf());
    const other = { file: fileOf(), passphrase: 'another passphrase', databases: databasesOf(given('new')) };
    await expect(restore({ ...other, client, now: () => new Date(), say: () => undefined })).rejects.toMatchObject({
      name: 'SealBroken',
    });
    expect(await rowsOf(client, nameOf('new', 'users'), 'restores')).toEqual([]);
  });
});

/** A backup of one collection, as another release might have made it. */
async function writeOther(section: Section): Promise<void> {
  const id = '2f2c1f4e-8f0c-4c55-9a5e-1d9d0f6e7a11';
  const begin = { format: 1, id, release: '9.0.0', created_at: new Date(0).toISOString(), moment: 'snapshot' } as const;
  async function* documents() {
    // It has none.
  }
  const records = writeRecords(begin, [{ ...section, documents: documents() }], () => undefined);
  const sealed = (content: AsyncIterable<unknown>) => seal(content as AsyncIterable<Buffer>, passphrase);
  await pipeline(records, createGzip(), sealed, createWriteStream(fileOf(), { mode: 0o600 }));
}

test('security: a guard, a key, and what a newer release wrote are restored by nobody', async () => {
  for (const section of [
    { service: 'validator-node', collection: 'guards', version: 1 },
    { service: 'auth', collection: 'signing_keys', version: 1 },
    { service: 'users', collection: 'audit_log', version: 99 },
  ]) {
    await writeOther(section);
    const { code, text } = await castellan('new', 'restore', '--from', fileOf());
    expect(code).toBe(1);
    expect(text).toContain(`${section.service}.${section.collection}`);
  }
});

test('behavior: all is read as it was at one moment, whatever is written meanwhile', async () => {
  await withStore(store.uri, async (client) => {
    await fill(client);
    const users = nameOf('old', 'users');
    const vaults = nameOf('old', 'vaults');
    const counts = await atOneMoment(client, async (moment) => {
      const count = async (database: string, collection: string) =>
        (await allOf(moment.documents(database, collection))).length;
      const first = await count(users, 'audit_log');
      await client.db(users).collection('audit_log').insertOne(audit(4));
      await client.db(vaults).collection('leases').deleteMany({});
      return [first, await count(users, 'audit_log'), await count(vaults, 'leases')];
    });
    expect(counts).toEqual([3, 3, 1]);
  });
});

test('behavior: a moment that the store ends by itself begins anew, with the whole backup', async () => {
  await withStore(store.uri, async (client) => {
    await fill(client);
    const users = nameOf('old', 'users');
    const disturbed = atOneMoment(client, async (moment) => {
      await allOf(moment.documents(users, 'audit_log'));
      await client.db(users).collection('audit_log').createIndex({ seq: 1 });
      return allOf(moment.documents(users, 'audit_log'));
    });
    const error = await disturbed.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'NoMoment', isPassing: true });
    const said: string[] = [];
    const say = (line: string) => {
      said.push(line);
      if (said.length === 1) throw error;
    };
    const now = () => new Date();
    await backUp({ client, databases: databasesOf(given('old')), file: fileOf(), passphrase, release: '1', now, say });
    expect(said.filter((line) => line.startsWith('users.audit_log'))).toHaveLength(2);
  });
});

test('behavior: a restore that was interrupted keeps services away, goes on with its own file alone, and completes', async () => {
  const nats = await startOwnNats();
  let running: RunningService | undefined;
  try {
    await withStore(store.uri, async (client) => {
      await fill(client);
      await castellan('old', 'backup', '--to', fileOf());
      const databases = databasesOf(given('new'));
      const options = { client, databases, file: fileOf(), passphrase, now: () => new Date() };
      const say = (line: string) => {
        if (line.startsWith('users.audit_log')) throw new Error('interrupted');
      };
      await expect(restore({ ...options, say })).rejects.toThrow('interrupted');
      // A document that the interrupted part wrote of the next collection.
      await client
        .db(databases.vaults)
        .collection('leases')
        .insertOne({ _id: 'half' as never });
      const start = () =>
        startService({
          name: 'users',
          config: {
            env: 'test',
            logLevel: 'silent',
            nats: { url: nats.url, namespace: store.database },
            mongo: { uri: store.uri, database: databases.users },
            monitoring: { host: '127.0.0.1', port: 0 },
            tracing: { endpoint: undefined },
            shutdownGraceSeconds: 5,
            identity: testKeys('users'),
          },
          build: () => ({}),
        });
      await expect(start()).rejects.toThrow('is being restored from the backup');
      const first = fileOf();
      round += 1;
      await castellan('old', 'backup', '--to', fileOf());
      const other = { ...options, file: fileOf(), say: () => undefined };
      await expect(restore(other)).rejects.toMatchObject({ name: 'RestoreRefused' });
      round -= 1;
      expect(await castellan('new', 'restore', '--from', first)).toMatchObject({ code: 0 });
      expect((await rowsOf(client, databases.users, 'audit_log')).length).toBe(3);
      expect((await rowsOf(client, databases.vaults, 'intents')).length).toBe(1);
      running = await start();
      await expect(castellan('new', 'restore', '--from', first)).resolves.toMatchObject({ code: 1 });
    });
  } finally {
    await running?.stop();
    await nats.stop();
  }
});
