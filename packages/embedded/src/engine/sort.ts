import { refuse } from './errors.ts';
import { keyComponents } from './paths.ts';
import type { SortSpec } from './planner.ts';
import { encodeKeys } from './values/key.ts';
import { pickFields } from './values/raw.ts';
import { type Doc, decodePlain } from './values/types.ts';

/** Milliseconds since the epoch after which a read gives up; undefined for no limit. */
export type Deadline = { at: number | undefined; now(): number };

// What is done between two chances for other clients; a few milliseconds each.
const PART_BYTES = 512 * 1024;
const PART_ROWS = 4096;

/** @throws {StoreError} MaxTimeMSExpired. */
export function checkDeadline({ at, now }: Deadline): void {
  if (at !== undefined && now() > at) refuse(50, 'operation exceeded time limit');
}

/** The position of a document in a sort, as bytes; of several array elements the one that comes first counts. */
export function sortKey(doc: Doc, paths: readonly (readonly string[])[], directions: readonly number[]): Buffer {
  const keys = keyComponents(doc, paths).keys.map((values) => encodeKeys(values, directions));
  return keys.reduce((least, key) => (Buffer.compare(key, least) < 0 ? key : least));
}

type Keyed<T> = { row: T; key: Buffer };

const inOrder = (left: { key: Buffer }, right: { key: Buffer }): number => Buffer.compare(left.key, right.key);

/** Sorts rows by their documents, stably; yields between parts of the work. @throws {StoreError} MaxTimeMSExpired. */
export function* sortInParts<T extends { bytes: Uint8Array }>(
  rows: readonly T[],
  sort: SortSpec,
  deadline: Deadline,
): Generator<void, T[]> {
  const paths = sort.map(([field]) => field.split('.'));
  const directions = sort.map(([, direction]) => direction);
  const fields = new Set(paths.map(([field = '']) => field));
  let keyed: Keyed<T>[] = [];
  let bytes = 0;
  let rowsOfPart = 0;
  for (const row of rows) {
    keyed.push({ row, key: sortKey(decodePlain(pickFields(row.bytes, fields)), paths, directions) });
    bytes += row.bytes.length;
    rowsOfPart += 1;
    if (bytes < PART_BYTES && rowsOfPart < PART_ROWS) continue;
    bytes = 0;
    rowsOfPart = 0;
    checkDeadline(deadline);
    yield;
  }
  if (keyed.length <= PART_ROWS) keyed.sort(inOrder);
  else keyed = yield* mergeSort(keyed, deadline);
  return keyed.map(({ row }) => row);
}

/** Sorted runs of one part each, merged until one is left. */
function* mergeSort<T>(list: Keyed<T>[], deadline: Deadline): Generator<void, Keyed<T>[]> {
  let runs: Keyed<T>[][] = [];
  for (let at = 0; at < list.length; at += PART_ROWS) {
    runs.push(list.slice(at, at + PART_ROWS).sort(inOrder));
    checkDeadline(deadline);
    yield;
  }
  while (runs.length > 1) {
    const merged: Keyed<T>[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      const [left = [], right] = runs.slice(i, i + 2);
      merged.push(right ? yield* merge(left, right, deadline) : left);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(left: Keyed<T>[], right: Keyed<T>[], deadline: Deadline): Generator<void, Keyed<T>[]> {
  const out: Keyed<T>[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const a = left[l];
    const b = right[r];
    const first = b === undefined || (a !== undefined && inOrder(a, b) <= 0);
    out.push((first ? a : b) as Keyed<T>);
    if (first) l += 1;
    else r += 1;
    if (out.length % PART_ROWS !== 0) continue;
    checkDeadline(deadline);
    yield;
  }
  return out;
}

/** Runs work to its end at once, for those who may not let others in. */
export function runToEnd<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
