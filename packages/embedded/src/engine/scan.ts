import type { Collection, Stored } from './collection.ts';
import { refuse } from './errors.ts';
import type { Matcher } from './match.ts';
import { keyComponents } from './paths.ts';
import type { Plan, SortSpec } from './planner.ts';
import type { Row, Storage } from './storage.ts';
import { encodeKeys } from './values/key.ts';
import { type Doc, decodeExact, decodePlain } from './values/types.ts';

/** Milliseconds since the epoch after which a read gives up; undefined for no limit. */
export type Deadline = { at: number | undefined; now(): number };

/** What one read did, for `explain`. */
export type ScanCounts = { keys: number; documents: number };

/** One read: rows in the wanted order, from `skip` on, at most `limit` of them (0 for all). */
export type Read = {
  plan: Plan;
  matcher: Matcher;
  sort: SortSpec;
  skip: number;
  limit: number;
  deadline: Deadline;
  counts?: ScanCounts;
};

// Kept in memory by one cursor at most; MongoDB stops a sort at 100 MB.
const MAX_RESULT_BYTES = 512 * 1024 * 1024;
const DEADLINE_EVERY_ROWS = 256;

/**
 * Runs a read and returns all its rows, which are a snapshot: later writes do not reach them.
 * @throws {StoreError} MaxTimeMSExpired, ExceededMemoryLimit.
 */
export function readRows(storage: Storage, collection: Collection, read: Read): Stored[] {
  const { plan, skip, limit } = read;
  if (plan.covered && plan.sorted && !plan.index?.multikey) return readCovered(storage, collection, read);
  const wanted = plan.sorted && limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
  const rows: Stored[] = [];
  let bytes = 0;
  for (const row of matching(storage, collection, read)) {
    bytes += row.bytes.length;
    if (bytes > MAX_RESULT_BYTES) refuse(146, `The result is larger than ${MAX_RESULT_BYTES} bytes; narrow the query`);
    rows.push(row);
    if (rows.length >= wanted) break;
  }
  const ordered = plan.sorted ? rows : sortRows(rows, read.sort);
  return limit > 0 || skip > 0 ? ordered.slice(skip, limit > 0 ? skip + limit : undefined) : ordered;
}

function readCovered(storage: Storage, collection: Collection, { plan, skip, limit, counts }: Read): Stored[] {
  const rows: Stored[] = [];
  let wanted = limit > 0 ? skip + limit : -1;
  for (const query of queriesOf(collection, plan)) {
    for (const row of storage.all(`${query.sql} LIMIT ?`, ...query.values, wanted)) rows.push(toStored(row));
    if (wanted < 0) continue;
    wanted = skip + limit - rows.length;
    if (wanted === 0) break;
  }
  if (counts) {
    counts.documents += rows.length;
    counts.keys += plan.source === 'natural' ? 0 : rows.length;
  }
  return skip > 0 ? rows.slice(skip) : rows;
}

const toStored = (row: Row): Stored => ({ rid: row[0] as number, bytes: row[1] as Uint8Array });

type Query = { sql: string; values: Uint8Array[] };

function queriesOf(collection: Collection, plan: Plan): Query[] {
  const order = plan.reverse ? 'DESC' : 'ASC';
  const table = `c_${collection.id}`;
  if (plan.source === 'natural') return [{ sql: `SELECT rid, doc FROM ${table} ORDER BY rid ${order}`, values: [] }];
  const sql =
    plan.source === 'id'
      ? `SELECT rid, doc FROM ${table} WHERE id >= ? AND id < ? ORDER BY id ${order}`
      : `SELECT c.rid, c.doc FROM i_${plan.index?.id} AS i CROSS JOIN ${table} AS c ON c.rid = i.rid
         WHERE i.k >= ? AND i.k < ? ORDER BY i.k ${order}, i.rid ${order}`;
  const ranges = plan.reverse ? [...plan.ranges].reverse() : plan.ranges;
  return ranges.map(({ start, end }) => ({ sql, values: [start, end] }));
}

/** Rows of a plan that match the filter, each once. */
function* matching(storage: Storage, collection: Collection, read: Read): Generator<Stored> {
  const { plan, matcher, deadline, counts } = read;
  const decode = matcher.exact ? decodeExact : decodePlain;
  const seen = plan.index?.multikey ? new Set<unknown>() : undefined;
  let visited = 0;
  for (const query of queriesOf(collection, plan)) {
    for (const row of storage.iterate(query.sql, ...query.values)) {
      visited += 1;
      if (visited % DEADLINE_EVERY_ROWS === 0 && deadline.at !== undefined && deadline.now() > deadline.at) {
        refuse(50, 'operation exceeded time limit');
      }
      if (counts && plan.source !== 'natural') counts.keys += 1;
      if (seen?.has(row[0])) continue;
      seen?.add(row[0]);
      if (counts) counts.documents += 1;
      if (plan.covered || matcher.test(decode(row[1] as Uint8Array))) yield toStored(row);
    }
  }
}

/** Number of rows a plan covers, without reading documents; undefined when documents must be looked at. */
export function countCovered(storage: Storage, collection: Collection, plan: Plan): number | undefined {
  if (!plan.covered || plan.index?.multikey) return undefined;
  if (plan.source === 'natural') return collection.size();
  const sql =
    plan.source === 'id'
      ? `SELECT count(*) FROM c_${collection.id} WHERE id >= ? AND id < ?`
      : `SELECT count(*) FROM i_${plan.index?.id} WHERE k >= ? AND k < ?`;
  return plan.ranges.reduce((sum, { start, end }) => sum + Number(storage.first(sql, start, end)?.[0] ?? 0), 0);
}

/** The position of a document in a sort, as bytes; of several array elements the one that comes first counts. */
export function sortKey(doc: Doc, paths: readonly (readonly string[])[], directions: readonly number[]): Buffer {
  const keys = keyComponents(doc, paths).keys.map((values) => encodeKeys(values, directions));
  return keys.reduce((least, key) => (Buffer.compare(key, least) < 0 ? key : least));
}

function sortRows(rows: Stored[], sort: SortSpec): Stored[] {
  const paths = sort.map(([field]) => field.split('.'));
  const directions = sort.map(([, direction]) => direction);
  return rows
    .map((row) => ({ row, key: sortKey(decodePlain(row.bytes), paths, directions) }))
    .sort((left, right) => Buffer.compare(left.key, right.key))
    .map(({ row }) => row);
}
