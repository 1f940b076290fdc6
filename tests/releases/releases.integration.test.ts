import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CollectionDefinition,
  connectMongo,
  createLogger,
  createRegistry,
  ensureIndexes,
  migrateCollections,
} from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mongo } from 'mongoose';
import { type DatabaseService, databaseServices } from '../../tools/castellan/collections.ts';
import { definingFiles, definitionsIn } from '../../tools/collections-docs.ts';

/** What earlier releases have stored, brought to this one. How a release adds its own: `README.md`. */

type Documents = Record<string, mongo.BSON.Document[]>;
const folder = join(import.meta.dirname);
const releases = globSync('*.json', { cwd: folder }).sort();

let store: TestStore;
let definitions: { service: string; definition: CollectionDefinition }[];

beforeAll(async () => {
  store = await startTestStore();
  const found = await Promise.all(
    definingFiles().map(async ({ file }) =>
      (await definitionsIn(file)).map((definition) => ({ service: `${file.split('/')[1]}`, definition })),
    ),
  );
  definitions = found.flat();
});
afterAll(async () => {
  await store?.stop();
});

const collectionsOf = (service: DatabaseService) =>
  definitions
    .filter((each) => each.service === service || each.service === 'service-kit')
    .map(({ definition }) => definition);

/** Fills a database with the documents of one service. */
async function filled(release: string, service: DatabaseService, documents: Documents) {
  const database = `${store.database}_${release.replaceAll(/[^0-9a-z]/g, '')}_${service}`;
  const connection = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
  for (const [place, stored] of Object.entries(documents))
    if (place.startsWith(`${service}.`)) await connection.collection(place.split('.')[1] ?? '').insertMany(stored);
  return connection;
}

/** Starts on the documents of one service as the service does. @returns what is wrong with them then, and how many there are. */
async function migrated(release: string, service: DatabaseService, documents: Documents) {
  const connection = await filled(release, service, documents);
  try {
    const known = collectionsOf(service);
    for (const definition of known) definition.open(connection);
    await migrateCollections(connection, createLogger({ service: 'test', level: 'silent' }));
    await ensureIndexes(connection);
    const faults: string[] = [];
    const counts: Record<string, number> = {};
    for (const { name, shape, version } of known) {
      const found = await connection.collection(name).find({}).toArray();
      // Migrating adds rows to the list of versions, and nothing to any other collection.
      if (found.length > 0 && name !== 'schema_versions') counts[`${service}.${name}`] = found.length;
      for (const document of found)
        for (const { path, message } of shape.safeParse(document).error?.issues ?? [])
          faults.push(`${name} ${document._id} ${path.join('.')}: ${message}`);
      const noted = await connection
        .collection<{ _id: string; version: number }>('schema_versions')
        .findOne({ _id: name });
      if ((noted?.version ?? 1) !== version) faults.push(`${name} has version ${noted?.version ?? 1}, not ${version}`);
    }
    return { faults, counts };
  } finally {
    await connection.close();
  }
}

test('default: there is a store of a release', () => {
  expect(releases.length).toBeGreaterThan(0);
});

describe.each(releases)('a store of %s', (file) => {
  const documents: Documents = mongo.BSON.EJSON.parse(readFileSync(join(folder, file), 'utf8'));

  test.each(databaseServices)(
    'default: documents of %s have the shapes of this release, and none is lost',
    async (service) => {
      const { faults, counts } = await migrated(file, service, documents);
      expect(faults).toEqual([]);
      const before = Object.entries(documents).filter(
        ([place]) => place.startsWith(`${service}.`) && place !== `${service}.schema_versions`,
      );
      expect(counts).toEqual(Object.fromEntries(before.map(([place, stored]) => [place, stored.length])));
    },
  );

  test('error: a document that this release does not take is found', async () => {
    const blocks = documents['vaults.chain_blocks'] ?? [];
    const wrong = { 'vaults.chain_blocks': blocks.map((block) => ({ ...block, number: `${block.number}` })) };
    const { faults } = await migrated(`${file}-wrong`, 'vaults', wrong);
    expect(faults).toEqual(blocks.map(({ _id }) => expect.stringContaining(`chain_blocks ${_id} number: `)));
  });
});

describe('collections in their first version', () => {
  const documents: Documents = mongo.BSON.EJSON.parse(readFileSync(join(folder, 'former/version-1.json'), 'utf8'));
  const twoDays = 2 * 86_400;

  /** With the index whose time was another one then. */
  async function filledAsThen(place: string) {
    const connection = await filled(place, 'vaults', documents);
    await connection.collection('validator_rounds').createIndex({ finished_at: 1 }, { expireAfterSeconds: twoDays });
    return connection;
  }
  const stored = async (connection: Awaited<ReturnType<typeof filled>>, name: string) => ({
    documents: await connection.collection(name).find({}).sort({ _id: 1 }).toArray(),
    indexes: await connection.collection(name).indexes(),
  });

  test('default: every migration of this release changes what was stored before it', async () => {
    const connection = await filledAsThen('version-1-each');
    const unchanged: string[] = [];
    try {
      for (const { service, definition } of definitions)
        for (const { version, run } of definition.migrations) {
          // One of another service needs a database of its own here.
          expect([definition.name, service]).toEqual([definition.name, 'vaults']);
          const before = JSON.stringify(await stored(connection, definition.name));
          await run(connection);
          const after = JSON.stringify(await stored(connection, definition.name));
          if (after === before) unchanged.push(`${definition.name} ${version}`);
        }
    } finally {
      await connection.close();
    }
    expect(unchanged).toEqual([]);
  });

  test('default: what they held has the names, dates and indexes of this release', async () => {
    const connection = await filledAsThen('version-1-all');
    try {
      for (const definition of collectionsOf('vaults')) definition.open(connection);
      await migrateCollections(connection, createLogger({ service: 'test', level: 'silent' }));
      await ensureIndexes(connection);
      const of = (name: string) => documents[`vaults.${name}`] ?? [];
      const found = async (name: string) => (await stored(connection, name)).documents;
      const byId = (list: mongo.BSON.Document[]) => list.toSorted((a, b) => (`${a._id}` < `${b._id}` ? -1 : 1));
      const renamed = ({ told_by, told_at, ...tx }: mongo.BSON.Document) => ({
        ...tx,
        reported_by: told_by,
        reported_at: told_at,
      });
      expect(await found('prepared_calls')).toEqual(
        byId(of('prepared_calls').map((call) => ({ ...call, tx: call.tx && renamed(call.tx) }))),
      );
      expect(await found('transmissions')).toEqual(
        byId(of('transmissions').map((sent) => ({ ...sent, sent_at: new Date(sent.t) }))),
      );
      expect(await found('validator_strategies')).toEqual(
        of('validator_strategies').map(({ told, ...strategy }) => ({ ...strategy, reports: told })),
      );
      const { indexes } = await stored(connection, 'validator_rounds');
      expect(indexes.map(({ expireAfterSeconds }) => expireAfterSeconds).filter(Boolean)).toEqual([14 * 86_400]);
    } finally {
      await connection.close();
    }
  });
});
