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

/** Starts on the documents of one service as the service does. @returns what is wrong with them then, and how many there are. */
async function migrated(release: string, service: DatabaseService, documents: Documents) {
  const database = `${store.database}_${release.replaceAll(/[^0-9a-z]/g, '')}_${service}`;
  const connection = await connectMongo({ uri: store.uri, database, registry: createRegistry('test') });
  try {
    for (const [place, stored] of Object.entries(documents))
      if (place.startsWith(`${service}.`)) await connection.collection(place.split('.')[1] ?? '').insertMany(stored);
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
