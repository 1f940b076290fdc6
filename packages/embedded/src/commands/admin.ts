import { Binary } from 'bson';
import { checkDatabaseName, checkNamespace } from '../engine/catalog.ts';
import type { Collection } from '../engine/collection.ts';
import { refuse } from '../engine/errors.ts';
import { compileFilter } from '../engine/match.ts';
import { equalValues } from '../engine/values/compare.ts';
import { type Doc, encode, isDoc } from '../engine/values/types.ts';
import { cursorReply } from '../wire/message.ts';
import type { Command, CommandContext } from './context.ts';
import { collectionName, docField, flagField, refuseUnsupported } from './fields.ts';

const indexCount = (collection: Collection): number => collection.indexes.length + 1;

const createIndexes: Command = {
  fields: new Set(['indexes', 'commitQuorum']),
  writes: true,
  run({ engine, db, body, request }) {
    const name = collectionName(body, 'createIndexes');
    const { indexes } = body;
    if (request.sequences.size > 0 || !Array.isArray(indexes))
      return refuse(14, "BSON field 'createIndexes.indexes' must be an array");
    if (indexes.length === 0) refuse(2, 'Must specify at least one index to create');
    return engine.storage.atomically(() => {
      const known = engine.catalog.find(db, name);
      const collection = known ?? engine.catalog.ensure(db, name);
      const numIndexesBefore = indexCount(collection);
      for (const spec of indexes) engine.catalog.addIndex(collection, spec);
      const numIndexesAfter = indexCount(collection);
      const note = numIndexesAfter === numIndexesBefore ? { note: 'all indexes already exist' } : {};
      return { numIndexesBefore, numIndexesAfter, createdCollectionAutomatically: known === undefined, ...note };
    });
  },
};

const dropIndexes: Command = {
  fields: new Set(['index']),
  writes: true,
  frees: () => true,
  run({ engine, db, body }) {
    const collection = engine.catalog.require(db, collectionName(body, 'dropIndexes'));
    const nIndexesWas = indexCount(collection);
    const wanted = Array.isArray(body.index) ? body.index : [body.index];
    if (body.index === '*') for (const index of collection.indexes) engine.catalog.dropIndex(collection, index);
    else
      engine.storage.atomically(() => {
        for (const one of wanted) dropOne(engine, collection, one);
      });
    return { nIndexesWas };
  },
};

function dropOne(engine: CommandContext['engine'], collection: Collection, wanted: unknown): void {
  if (wanted === '_id_' || (isDoc(wanted) && equalValues(wanted, { _id: 1 }))) refuse(72, 'cannot drop _id index');
  if (typeof wanted !== 'string' && !isDoc(wanted))
    refuse(14, "BSON field 'dropIndexes.index' must be a string, an object or an array of strings");
  const index = collection.indexes.find((other) =>
    isDoc(wanted) ? equalValues(other.spec.key, wanted) : other.name === wanted,
  );
  if (!index)
    refuse(
      27,
      isDoc(wanted) ? `can't find index with key: ${JSON.stringify(wanted)}` : `index not found with name [${wanted}]`,
    );
  engine.catalog.dropIndex(collection, index);
}

function listed(context: CommandContext, namespace: string, docs: Doc[]): Buffer {
  const options = docField(context.body, 'cursor');
  const size = options.batchSize === undefined ? undefined : Number(options.batchSize);
  const { id, batch } = context.cursors.start({ namespace, documents: docs.map(encode) }, size, false);
  return cursorReply('firstBatch', batch, id, namespace);
}

const listIndexes: Command = {
  fields: new Set(['cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo']),
  run(context) {
    const name = collectionName(context.body, 'listIndexes');
    const collection = context.engine.catalog.require(context.db, name);
    const specs = [{ v: 2, key: { _id: 1 }, name: '_id_' }, ...collection.indexes.map((index) => index.spec)];
    return listed(context, `${context.db}.${name}`, specs);
  },
};

const listCollections: Command = {
  fields: new Set(['filter', 'cursor', 'nameOnly', 'authorizedCollections']),
  run(context) {
    const { engine, db, body } = context;
    const matcher = compileFilter(docField(body, 'filter'), engine.evaluate);
    const nameOnly = flagField(body, 'nameOnly');
    const docs = [...engine.catalog.collections(db)].map(([name, collection]) => ({
      name,
      type: 'collection',
      ...(!nameOnly && {
        options: {},
        info: { readOnly: false, uuid: new Binary(collection.uuid, Binary.SUBTYPE_UUID) },
        idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
      }),
    }));
    return listed(
      context,
      `${db}.$cmd.listCollections`,
      docs.filter((doc) => matcher.test(doc)),
    );
  },
};

const listDatabases: Command = {
  fields: new Set(['filter', 'nameOnly', 'authorizedDatabases']),
  run({ engine, access, connectionId, body }) {
    const matcher = compileFilter(docField(body, 'filter'), engine.evaluate);
    const nameOnly = flagField(body, 'nameOnly');
    const names = engine.catalog.names().filter((name) => access.permits(connectionId, name));
    const databases = names
      .map((name) => (nameOnly ? { name } : { name, sizeOnDisk: databaseBytes(engine, name), empty: false }))
      .filter((doc) => matcher.test(doc));
    return nameOnly
      ? { databases }
      : { databases, totalSize: names.reduce((sum, name) => sum + databaseBytes(engine, name), 0) };
  },
};

/** Bytes of the documents of a database; pages and indexes are shared by all databases and not counted. */
function databaseBytes(engine: CommandContext['engine'], db: string): number {
  return [...engine.catalog.collections(db).values()].reduce(
    (sum, { id }) => sum + Number(engine.storage.first(`SELECT coalesce(sum(length(doc)), 0) FROM c_${id}`)?.[0] ?? 0),
    0,
  );
}

const create: Command = {
  fields: new Set([
    'capped',
    'size',
    'max',
    'timeseries',
    'expireAfterSeconds',
    'clusteredIndex',
    'validator',
    'validationLevel',
    'validationAction',
    'viewOn',
    'pipeline',
    'collation',
    'storageEngine',
    'indexOptionDefaults',
    'autoIndexId',
    'changeStreamPreAndPostImages',
    'encryptedFields',
    'idIndex',
  ]),
  writes: true,
  run({ engine, db, body }) {
    const name = collectionName(body, 'create');
    refuseUnsupported(body, [
      'capped',
      'size',
      'max',
      'timeseries',
      'expireAfterSeconds',
      'clusteredIndex',
      'validator',
      'viewOn',
      'pipeline',
      'collation',
      'storageEngine',
      'changeStreamPreAndPostImages',
      'encryptedFields',
    ]);
    checkNamespace(db, name);
    if (engine.catalog.find(db, name)) refuse(48, `Collection ${db}.${name} already exists.`);
    engine.catalog.ensure(db, name);
    return {};
  },
};

const drop: Command = {
  fields: new Set(),
  writes: true,
  frees: () => true,
  run({ engine, db, body }) {
    const name = collectionName(body, 'drop');
    const collection = engine.catalog.find(db, name);
    if (!collection) return {};
    const nIndexesWas = indexCount(collection);
    engine.catalog.drop(db, name);
    return { nIndexesWas, ns: `${db}.${name}` };
  },
};

const dropDatabase: Command = {
  fields: new Set(),
  writes: true,
  frees: () => true,
  run({ engine, db }) {
    checkDatabaseName(db);
    for (const name of [...engine.catalog.collections(db).keys()]) engine.catalog.drop(db, name);
    return { dropped: db };
  },
};

/** Commands about collections, databases and indexes. */
export const adminCommands: Record<string, Command> = {
  createIndexes,
  dropIndexes,
  deleteIndexes: dropIndexes,
  listIndexes,
  listCollections,
  listDatabases,
  create,
  drop,
  dropDatabase,
};
