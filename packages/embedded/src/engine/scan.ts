import type { Collection, Stored } from './collection.ts';
import type { Matcher } from './match.ts';
import { type MemoryBudget, ROW_OVERHEAD_BYTES } from './memory-budget.ts';
import type { Plan, SortSpec } from './planner.ts';
import { checkDeadline, type Deadline, sortInParts } from './sort.ts';
import type { Row, Storage } from './storage.ts';
import { neededOf } from './values/raw.ts';
import { decodeExact, decodePlain } from './values/types.ts';

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
  budget: MemoryBudget;
};

// A result that goes out with one answer is not kept, so this much may be read while cursors hold everything.
const ALWAYS_READ_BYTES = 16 * 1024 * 1024;
const DEADLINE_EVERY_ROWS = 256;

/** Collects rows and counts what they take. */
class Rows {
  readonly list: Stored[] = [];
  bytes = 0;
  private readonly most: number;
  private readonly budget: MemoryBudget;

  constructor(budget: MemoryBudget) {
    this.budget = budget;
    this.most = Math.max(budget.freeBytes, ALWAYS_READ_BYTES);
  }

  add(row: Stored): void {
    this.bytes += row.bytes.length + ROW_OVERHEAD_BYTES;
    if (this.bytes > this.most) this.budget.refuse(this.bytes);
    this.list.push(row);
  }
}

/**
 * Runs a read and returns all its rows, which are a snapshot: later writes do not reach them. Rows are read at once;
 * a sort that no index serves yields between its parts, with the bytes it keeps meanwhile.
 * @throws {StoreError} MaxTimeMSExpired, ExceededMemoryLimit.
 */
export function* readRows(storage: Storage, collection: Collection, read: Read): Generator<number, Stored[]> {
  const { plan, skip, limit } = read;
  if (plan.covered && plan.sorted && !plan.index?.multikey) return readCovered(storage, collection, read);
  const wanted = plan.sorted && limit > 0 ? skip + limit : Number.POSITIVE_INFINITY;
  const rows = new Rows(read.budget);
  for (const row of matching(storage, collection, read)) {
    rows.add(row);
    if (rows.list.length >= wanted) break;
  }
  const ordered = plan.sorted ? rows.list : yield* sorted(rows, read);
  return limit > 0 || skip > 0 ? ordered.slice(skip, limit > 0 ? skip + limit : undefined) : ordered;
}

function* sorted(rows: Rows, { sort, deadline }: Read): Generator<number, Stored[]> {
  const parts = sortInParts(rows.list, sort, deadline);
  for (;;) {
    const part = parts.next();
    if (part.done) return part.value;
    yield rows.bytes;
  }
}

function readCovered(storage: Storage, collection: Collection, { plan, skip, limit, counts, budget }: Read): Stored[] {
  const rows = new Rows(budget);
  let wanted = limit > 0 ? skip + limit : -1;
  for (const query of queriesOf(collection, plan)) {
    for (const row of storage.iterate(`${query.sql} LIMIT ?`, ...query.values, wanted)) rows.add(toStored(row));
    if (wanted < 0) continue;
    wanted = skip + limit - rows.list.length;
    if (wanted === 0) break;
  }
  if (counts) {
    counts.documents += rows.list.length;
    counts.keys += plan.source === 'natural' ? 0 : rows.list.length;
  }
  return skip > 0 ? rows.list.slice(skip) : rows.list;
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
      if (visited % DEADLINE_EVERY_ROWS === 0) checkDeadline(deadline);
      if (counts && plan.source !== 'natural') counts.keys += 1;
      if (seen?.has(row[0])) continue;
      seen?.add(row[0]);
      if (counts) counts.documents += 1;
      if (plan.covered || matcher.test(decode(neededOf(row[1] as Uint8Array, matcher.fields)))) yield toStored(row);
    }
  }
}

/** Number of rows a plan covers, without reading documents; undefined when documents must be read. */
export function countCovered(storage: Storage, collection: Collection, plan: Plan): number | undefined {
  if (!plan.covered || plan.index?.multikey) return undefined;
  if (plan.source === 'natural') return collection.size();
  const sql =
    plan.source === 'id'
      ? `SELECT count(*) FROM c_${collection.id} WHERE id >= ? AND id < ?`
      : `SELECT count(*) FROM i_${plan.index?.id} WHERE k >= ? AND k < ?`;
  return plan.ranges.reduce((sum, { start, end }) => sum + Number(storage.first(sql, start, end)?.[0] ?? 0), 0);
}
