import { randomUUID } from 'node:crypto';
import { Collection } from './collection.ts';
import { refuse } from './errors.ts';
import { buildIndex, type Index, normalizeIndexSpec } from './index-spec.ts';
import type { Evaluate } from './match.ts';
import type { Storage } from './storage.ts';
import { equalValues } from './values/compare.ts';
import { type Doc, decodeExact, encode } from './values/types.ts';

// MongoDB's limits of a namespace and of the indexes of a collection.
const MAX_NAMESPACE_BYTES = 255;
const MAX_INDEXES = 64;

/** Databases, collections and indexes; the tables are the truth, the maps a copy. */
export class Catalog {
  private readonly storage: Storage;
  private readonly evaluate: Evaluate;
  private databases = new Map<string, Map<string, Collection>>();
  /** Rises when an index is made or anything is dropped. */
  generation = 0;

  constructor(storage: Storage, evaluate: Evaluate) {
    this.storage = storage;
    this.evaluate = evaluate;
    this.reload();
  }

  /** Reads everything again; after a transaction was undone. */
  reload(): void {
    this.databases = new Map();
    const byCollection = new Map<number, Index[]>();
    for (const [id, collection, spec, multikey] of this.storage.all(
      'SELECT id, collection, spec, multikey FROM indexes ORDER BY id',
    )) {
      const list = byCollection.get(Number(collection)) ?? [];
      list.push(buildIndex(Number(id), decodeExact(spec as Uint8Array), multikey === 1, this.evaluate));
      byCollection.set(Number(collection), list);
    }
    for (const [id, db, name, uuid] of this.storage.all('SELECT id, db, name, uuid FROM collections ORDER BY id')) {
      this.remember(Number(id), String(db), String(name), uuid as Uint8Array, byCollection.get(Number(id)) ?? []);
    }
  }

  private remember(id: number, db: string, name: string, uuid: Uint8Array, indexes: Index[]): Collection {
    const collection = new Collection(this.storage, id, `${db}.${name}`, uuid, indexes);
    const collections = this.databases.get(db) ?? new Map<string, Collection>();
    collections.set(name, collection);
    this.databases.set(db, collections);
    return collection;
  }

  find(db: string, name: string): Collection | undefined {
    return this.databases.get(db)?.get(name);
  }

  /** @throws {StoreError} NamespaceNotFound. */
  require(db: string, name: string): Collection {
    return this.find(db, name) ?? refuse(26, `ns does not exist: ${db}.${name}`);
  }

  /** The collection, made when it is not there yet, as a first insert does. */
  ensure(db: string, name: string): Collection {
    return this.find(db, name) ?? this.create(db, name);
  }

  private create(db: string, name: string): Collection {
    checkNamespace(db, name);
    const uuid = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
    const id = this.storage.write('INSERT INTO collections (db, name, uuid) VALUES (?, ?, ?)', db, name, uuid);
    this.storage.define(
      `CREATE TABLE c_${id} (rid INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, doc BLOB NOT NULL, sum INTEGER) STRICT`,
    );
    return this.remember(id, db, name, uuid, []);
  }

  drop(db: string, name: string): void {
    const collection = this.require(db, name);
    for (const index of collection.indexes) this.dropIndex(collection, index);
    this.generation += 1;
    this.storage.define(`DROP TABLE c_${collection.id}`);
    this.storage.write('DELETE FROM collections WHERE id = ?', collection.id);
    const collections = this.databases.get(db);
    collections?.delete(name);
    if (collections?.size === 0) this.databases.delete(db);
  }

  names(): string[] {
    return [...this.databases.keys()].sort();
  }

  collections(db: string): Map<string, Collection> {
    return this.databases.get(db) ?? new Map();
  }

  /** Adds an index unless the same one is there. @returns whether one was made. */
  addIndex(collection: Collection, wanted: unknown): boolean {
    const spec = normalizeIndexSpec(wanted);
    if (isIdIndex(spec)) return false;
    if (findConflict(collection, spec)) return false;
    if (collection.indexes.length + 1 >= MAX_INDEXES) {
      refuse(67, `add index fails, too many indexes for ${collection.namespace} key:${JSON.stringify(spec.key)}`);
    }
    const id = this.storage.write(
      'INSERT INTO indexes (collection, name, spec, multikey) VALUES (?, ?, ?, 0)',
      collection.id,
      spec.name as string,
      encode(spec),
    );
    this.storage.define(`CREATE TABLE i_${id} (k BLOB NOT NULL, rid INTEGER NOT NULL, PRIMARY KEY (k, rid))
      STRICT, WITHOUT ROWID`);
    const index = buildIndex(id, decodeExact(encode(spec)), false, this.evaluate);
    collection.fill(index);
    collection.indexes = [...collection.indexes, index];
    this.generation += 1;
    return true;
  }

  dropIndex(collection: Collection, index: Index): void {
    this.generation += 1;
    this.storage.define(`DROP TABLE i_${index.id}`);
    this.storage.write('DELETE FROM indexes WHERE id = ?', index.id);
    collection.indexes = collection.indexes.filter((other) => other !== index);
  }
}

function isIdIndex(spec: Doc): boolean {
  const fields = Object.keys(spec.key as Doc);
  if (fields.length !== 1 || fields[0] !== '_id') return spec.name === '_id_' && refuseIdName();
  if (spec.unique === false || spec.sparse === true || spec.partialFilterExpression !== undefined) {
    refuse(197, "The field 'sparse' or 'partialFilterExpression' is not valid for an _id index specification");
  }
  return true;
}

function refuseIdName(): never {
  return refuse(67, "The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}");
}

/** True when the same index exists. @throws {StoreError} IndexOptionsConflict or IndexKeySpecsConflict. */
function findConflict(collection: Collection, spec: Doc): boolean {
  const named = collection.indexes.find((index) => index.name === spec.name);
  if (named) {
    if (equalValues(named.spec, spec)) return true;
    const sameKey = equalOrdered(named.spec.key as Doc, spec.key as Doc);
    return refuse(
      sameKey ? 85 : 86,
      sameKey
        ? `An equivalent index already exists with the same name but different options. Requested index: ${spec.name}`
        : `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Requested index: ${spec.name}`,
    );
  }
  const twin = collection.indexes.find(
    (index) =>
      equalOrdered(index.spec.key as Doc, spec.key as Doc) &&
      equalValues(index.partialFilter ?? null, spec.partialFilterExpression ?? null),
  );
  if (twin) refuse(85, `Index already exists with a different name: ${twin.name}`);
  return false;
}

const equalOrdered = (left: Doc, right: Doc): boolean => equalValues(left, right);

/** @throws {StoreError} InvalidNamespace. */
export function checkNamespace(db: string, name: string): void {
  checkDatabaseName(db);
  const bad = name === '' || name.includes('$') || name.includes('\0') || name.startsWith('.') || name.endsWith('.');
  if (bad) refuse(73, `Invalid collection name: ${name}`);
  if (name.startsWith('system.')) refuse(73, `Invalid system namespace: ${db}.${name}`);
  if (Buffer.byteLength(`${db}.${name}`) > MAX_NAMESPACE_BYTES) {
    refuse(73, `Fully qualified namespace is too long. Namespace: ${db}.${name} Max: ${MAX_NAMESPACE_BYTES}`);
  }
}

/** @throws {StoreError} InvalidNamespace. */
export function checkDatabaseName(db: string): void {
  if (db === '' || db.length > 63 || /[/\\. "$*<>:|?\0]/.test(db)) refuse(73, `Invalid database name: '${db}'`);
}
