import { crc32 } from 'node:zlib';
import { refuse } from './errors.ts';
import { type Index, type IndexEntries, indexEntries } from './index-spec.ts';
import type { Storage } from './storage.ts';
import { encodeKey } from './values/key.ts';
import { neededOf } from './values/raw.ts';
import { bsonType, type Doc, decodeExact, decodePlain, promote } from './values/types.ts';

/** A stored document: its row (natural order) and its bytes. */
export type Stored = { rid: number; bytes: Uint8Array };

/** Largest document in bytes, as MongoDB has it (BSONObjMaxUserSize). */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

const PRIMARY_KEY_ERRORS = new Set([1555, 2067]);

/** Documents and index entries of one collection. Every write keeps both in step or changes nothing. */
export class Collection {
  readonly id: number;
  readonly namespace: string;
  readonly uuid: Uint8Array;
  indexes: Index[];
  private readonly storage: Storage;
  private readonly insertSql: string;

  constructor(storage: Storage, id: number, namespace: string, uuid: Uint8Array, indexes: Index[]) {
    this.storage = storage;
    this.id = id;
    this.namespace = namespace;
    this.uuid = uuid;
    this.indexes = indexes;
    this.insertSql = `INSERT INTO c_${id} (rid, id, doc, sum) VALUES (?, ?, ?, ?)`;
  }

  private decodeForIndexes(bytes: Uint8Array): Doc {
    const needed = neededOf(bytes, fieldsOf(this.indexes));
    return this.indexes.some((index) => index.partial?.exact) ? decodeExact(needed) : decodePlain(needed);
  }

  /**
   * Adds a document whose first field is `_id`, as a certain row or as the next one. @returns the row's number.
   * @throws {StoreError} DuplicateKey, BSONObjectTooLarge, BadValue.
   */
  insert(bytes: Uint8Array, row?: number): number {
    if (bytes.length > MAX_DOCUMENT_BYTES) refuseSize(bytes.length);
    const doc = this.decodeForIndexes(bytes);
    checkId(doc._id);
    const planned = this.plan(doc, undefined);
    const rid = this.insertRow(doc._id, bytes, row);
    for (const { index, next } of planned) this.addEntries(index, next, rid);
    this.storage.changes.record({ namespace: this.namespace, rid, before: undefined, after: bytes });
    return rid;
  }

  private insertRow(id: unknown, bytes: Uint8Array, row: number | undefined): number {
    try {
      return this.storage.write(this.insertSql, row ?? null, encodeKey(id), bytes, crc32(bytes));
    } catch (error) {
      const code = (error as { errcode?: number }).errcode;
      if (code === undefined || !PRIMARY_KEY_ERRORS.has(code)) throw error;
      return this.duplicate('_id_', { _id: 1 }, { _id: id });
    }
  }

  /** Replaces a stored document by other bytes with the same `_id`. */
  replace(stored: Stored, bytes: Uint8Array): void {
    if (bytes.length > MAX_DOCUMENT_BYTES) refuseSize(bytes.length);
    if (this.indexes.length > 0) {
      const before = this.decodeForIndexes(stored.bytes);
      const planned = this.plan(this.decodeForIndexes(bytes), stored.rid);
      for (const { index, next } of planned) {
        const previous = indexEntries(index, before);
        this.removeEntries(index, previous, stored.rid, next);
        this.addEntries(index, next, stored.rid, previous);
      }
    }
    this.storage.write(`UPDATE c_${this.id} SET doc = ?, sum = ? WHERE rid = ?`, bytes, crc32(bytes), stored.rid);
    const { namespace } = this;
    this.storage.changes.record({ namespace, rid: stored.rid, before: stored.bytes, after: bytes });
  }

  /** Removes a stored document. */
  remove(stored: Stored): void {
    if (this.indexes.length > 0) {
      const doc = this.decodeForIndexes(stored.bytes);
      for (const index of this.indexes) this.removeEntries(index, indexEntries(index, doc), stored.rid);
    }
    this.storage.write(`DELETE FROM c_${this.id} WHERE rid = ?`, stored.rid);
    const { namespace } = this;
    this.storage.changes.record({ namespace, rid: stored.rid, before: stored.bytes, after: undefined });
  }

  /** Entries for every index, checked for uniqueness before anything is written. */
  private plan(doc: Doc, rid: number | undefined): { index: Index; next: IndexEntries }[] {
    return this.indexes.map((index) => {
      const next = indexEntries(index, doc);
      if (index.unique) this.checkUnique(index, next, rid);
      return { index, next };
    });
  }

  private checkUnique(index: Index, next: IndexEntries, rid: number | undefined): void {
    for (const { key, values } of next.entries.values()) {
      const holders = this.storage.all(`SELECT rid FROM i_${index.id} WHERE k = ? LIMIT 2`, key);
      if (!holders.some(([holder]) => holder !== rid)) continue;
      const keyValue = Object.fromEntries(index.fields.map((field, i) => [field, values[i]]));
      this.duplicate(index.name, index.spec.key as Doc, keyValue);
    }
  }

  private duplicate(name: string, keyPattern: Doc, keyValue: Doc): never {
    const shown = Object.entries(keyValue).map(([field, value]) => `${field}: ${showValue(value)}`);
    return refuse(
      11000,
      `E11000 duplicate key error collection: ${this.namespace} index: ${name} dup key: { ${shown.join(', ')} }`,
      { keyPattern, keyValue },
    );
  }

  private addEntries(index: Index, next: IndexEntries, rid: number, previous?: IndexEntries): void {
    if (next.multikey && !index.multikey) {
      index.multikey = true;
      this.storage.define(`UPDATE indexes SET multikey = 1 WHERE id = ${index.id}`);
    }
    for (const [token, { key }] of next.entries) {
      if (previous?.entries.has(token)) continue;
      this.storage.write(`INSERT INTO i_${index.id} (k, rid) VALUES (?, ?)`, key, rid);
    }
  }

  private removeEntries(index: Index, previous: IndexEntries, rid: number, next?: IndexEntries): void {
    for (const [token, { key }] of previous.entries) {
      if (next?.entries.has(token)) continue;
      this.storage.write(`DELETE FROM i_${index.id} WHERE k = ? AND rid = ?`, key, rid);
    }
  }

  /** Fills a new index from the documents there are. @throws {StoreError} DuplicateKey when they break uniqueness. */
  fill(index: Index): void {
    for (const [rid, bytes] of this.storage.iterate(`SELECT rid, doc FROM c_${this.id}`)) {
      const needed = neededOf(bytes as Uint8Array, fieldsOf([index]));
      const doc = index.partial?.exact ? decodeExact(needed) : decodePlain(needed);
      const entries = indexEntries(index, doc);
      if (index.unique) this.checkUnique(index, entries, rid as number);
      this.addEntries(index, entries, rid as number);
    }
  }

  /** Number of documents. */
  size(): number {
    return Number(this.storage.first(`SELECT count(*) FROM c_${this.id}`)?.[0] ?? 0);
  }
}

/** The top-level fields that indexes read, and `_id`; undefined when one may read any. */
function fieldsOf(indexes: readonly Index[]): ReadonlySet<string> | undefined {
  const fields = new Set(['_id']);
  for (const { paths, partial } of indexes) {
    if (partial && !partial.fields) return undefined;
    for (const [first] of paths) if (first !== undefined) fields.add(first);
    for (const field of partial?.fields ?? []) fields.add(field);
  }
  return fields;
}

function refuseSize(size: number): never {
  return refuse(10334, `BSONObj size: ${size} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}(16MB)`);
}

function checkId(id: unknown): void {
  if (Array.isArray(id)) refuse(2, "The '_id' value cannot be of type array");
  if (bsonType(id) === 'BSONRegExp') refuse(2, "The '_id' value cannot be of type regex");
  if (id === undefined) refuse(2, "The '_id' value cannot be of type undefined");
}

function showValue(value: unknown): string {
  if (bsonType(value) === 'ObjectId') return `ObjectId('${String(value)}')`;
  if (bsonType(value) === 'Decimal128' || bsonType(value) === 'Long') return String(value);
  return JSON.stringify(promote(value));
}
