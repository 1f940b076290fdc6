import { type Conjunction, conjunctionOf, descending, type FieldBounds, fieldBounds, type Range } from './bounds.ts';
import type { Collection } from './collection.ts';
import { refuse } from './errors.ts';
import type { Index } from './index-spec.ts';
import { isOperatorDoc } from './match.ts';
import { equalValues } from './values/compare.ts';
import { type Doc, isDoc, toNumber } from './values/types.ts';

/** How a query is read: the table in natural order, the `_id` key or an index. */
export type Plan = {
  source: 'natural' | 'id' | 'index';
  index: Index | undefined;
  ranges: Range[];
  reverse: boolean;
  /** The ranges hold exactly the matching documents: the filter need not run. */
  covered: boolean;
  /** Rows come in the wanted order. */
  sorted: boolean;
};

/** A sort as fields with directions; empty when no order is asked for. */
export type SortSpec = readonly (readonly [string, 1 | -1])[];

/** What an index-like thing offers to the planner; `_id` is one as well. */
type Candidate = Pick<Index, 'fields' | 'directions' | 'multikey' | 'sparse' | 'partialFilter' | 'name'> & {
  index: Index | undefined;
};

const idCandidate: Candidate = {
  fields: ['_id'],
  directions: [1],
  multikey: false,
  sparse: false,
  partialFilter: undefined,
  name: '_id_',
  index: undefined,
};

const WHOLE: Range = { start: Buffer.alloc(0), end: Buffer.from([0xff]) };
// Above this many ranges a scan of the leading ones alone is cheaper than their product.
const MAX_RANGES = 2000;

const natural = (reverse: boolean, covered: boolean, sorted: boolean): Plan => ({
  source: 'natural',
  index: undefined,
  ranges: [],
  reverse,
  covered,
  sorted,
});

/**
 * Picks the index that narrows a filter most, then the one that gives the order.
 * @param hint - An index name or key pattern that must be used when it can be.
 * @throws {StoreError} BadValue when the hint names no index.
 */
export function planQuery(collection: Collection, filter: Doc, sort: SortSpec, hint?: unknown): Plan {
  const conjunction = conjunctionOf(filter);
  const everything = conjunction.whole && conjunction.fields.size === 0;
  const naturalSort = sort.find(([field]) => field === '$natural');
  const wanted = hintedCandidate(collection, hint);
  if (naturalSort || wanted === 'natural') {
    return natural(naturalSort?.[1] === -1, everything, sort.length === 0 || naturalSort !== undefined);
  }
  const candidates = wanted ? [wanted] : [idCandidate, ...collection.indexes.map((index) => ({ ...index, index }))];
  let best: { plan: Plan; score: number } | undefined;
  for (const candidate of candidates) {
    const found = tryCandidate(candidate, conjunction, sort, wanted !== undefined);
    if (found && (!best || found.score > best.score)) best = found;
  }
  return best?.plan ?? natural(false, everything, sort.length === 0);
}

function hintedCandidate(collection: Collection, hint: unknown): Candidate | 'natural' | undefined {
  if (hint === undefined || (isDoc(hint) && Object.keys(hint).length === 0)) return undefined;
  if (isDoc(hint) && '$natural' in hint) return 'natural';
  if (hint === '_id_' || (isDoc(hint) && equalValues(hint, { _id: 1 }))) return idCandidate;
  const index = collection.indexes.find(
    (other) => other.name === hint || (isDoc(hint) && equalValues(other.spec.key, hint)),
  );
  if (!index) refuse(2, 'hint provided does not correspond to an existing index');
  return { ...(index as Index), index };
}

/** True when every document the filter matches is in a partial or sparse index. */
function holdsAllMatches(candidate: Candidate, conjunction: Conjunction): boolean {
  if (candidate.sparse) {
    return candidate.fields.some((field) => excludesNull(conjunction, field));
  }
  return !candidate.partialFilter || implies(conjunction, candidate.partialFilter);
}

function excludesNull(conjunction: Conjunction, field: string): boolean {
  const conditions = conjunction.fields.get(field) ?? [];
  return fieldBounds(conditions, false)?.excludesNull === true;
}

function implies(conjunction: Conjunction, partial: Doc): boolean {
  return Object.entries(partial).every(([field, required]) => {
    if (field.startsWith('$')) return false;
    const given = conjunction.fields.get(field) ?? [];
    if (given.some((condition) => equalValues(condition, required))) return true;
    if (!isOperatorDoc(required)) return false;
    return Object.entries(required).every(
      ([operator, operand]) =>
        (operator === '$exists' && excludesNull(conjunction, field)) ||
        given.some(
          (condition) => isOperatorDoc(condition) && operator in condition && equalValues(condition[operator], operand),
        ),
    );
  });
}

function tryCandidate(
  candidate: Candidate,
  conjunction: Conjunction,
  sort: SortSpec,
  forced: boolean,
): { plan: Plan; score: number } | undefined {
  if (!holdsAllMatches(candidate, conjunction)) return undefined;
  const used = usedBounds(candidate, conjunction);
  const order = candidate.multikey ? undefined : orderOf(candidate, sort, used);
  if (used.length === 0 && !(order && sort.length > 0) && !forced) return undefined;
  const covered = coversFilter(candidate, conjunction, used);
  const points = used.filter((bounds) => bounds.point).length;
  const sorted = sort.length === 0 || order !== undefined;
  const closed = used.filter((bounds) => bounds.closed && !bounds.point).length;
  const score =
    points * 100 +
    (used.length - points) * 30 +
    // An interval holds few of the values that lie below or above one: of two indexes the one it narrows is read.
    closed * 10 +
    (sorted && sort.length > 0 ? 20 : 0) +
    (covered ? 5 : 0) +
    (candidate.index ? 0 : 1);
  const plan: Plan = {
    source: candidate.index ? 'index' : 'id',
    index: candidate.index,
    ranges: productOf(candidate, used),
    reverse: order === -1,
    covered,
    sorted,
  };
  return { plan, score };
}

/** Bounds for the leading fields: single values, then at most one set of ranges with its like after it. */
function usedBounds(candidate: Candidate, conjunction: Conjunction): FieldBounds[] {
  const used: FieldBounds[] = [];
  let product = 1;
  for (const [i, field] of candidate.fields.entries()) {
    const bounds = fieldBounds(conjunction.fields.get(field) ?? [], candidate.multikey);
    if (!bounds) break;
    product *= Math.max(1, bounds.ranges.length);
    if (i > 0 && product > MAX_RANGES) break;
    used.push(bounds);
    if (!bounds.ranges.every(isPoint)) break;
  }
  return used;
}

const isPoint = (range: Range): boolean => successorOf(range.start).equals(range.end);

const successorOf = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  let end = copy.length;
  while (end > 0 && copy[end - 1] === 0xff) end -= 1;
  if (end > 0) copy[end - 1] = (copy[end - 1] ?? 0) + 1;
  return copy.subarray(0, end);
};

function coversFilter(candidate: Candidate, conjunction: Conjunction, used: FieldBounds[]): boolean {
  if (!conjunction.whole || candidate.multikey) return false;
  const covered = new Set(candidate.fields.slice(0, used.length));
  return used.every((bounds) => bounds.exact) && [...conjunction.fields.keys()].every((field) => covered.has(field));
}

/** 1 or -1 when reading the index forwards or backwards gives the sort, undefined when it does not. */
function orderOf(candidate: Candidate, sort: SortSpec, used: FieldBounds[]): 1 | -1 | undefined {
  let direction: number | undefined;
  let at = 0;
  for (const [field, wanted] of sort) {
    const fixed = candidate.fields.findIndex((other, i) => other === field && used[i]?.point === true);
    if (fixed >= 0) continue;
    while (used[at]?.point && candidate.fields[at] !== field) at += 1;
    if (candidate.fields[at] !== field) return undefined;
    const step = wanted * (candidate.directions[at] ?? 1);
    if (direction !== undefined && direction !== step) return undefined;
    direction = step;
    at += 1;
  }
  return direction === -1 ? -1 : 1;
}

function productOf(candidate: Candidate, used: FieldBounds[]): Range[] {
  if (used.length === 0) return [WHOLE];
  let prefixes: Range[] = [{ start: Buffer.alloc(0), end: Buffer.alloc(0) }];
  for (const [i, bounds] of used.entries()) {
    const turned = (candidate.directions[i] ?? 1) < 0;
    const ranges = turned ? bounds.ranges.map(descending).reverse() : bounds.ranges;
    prefixes = prefixes.flatMap((prefix) =>
      ranges.map((range) => ({
        start: Buffer.concat([prefix.start, range.start]),
        end: Buffer.concat([prefix.start, range.end]),
      })),
    );
  }
  return prefixes;
}

/** Reads a sort document. @throws {StoreError} BadValue for directions other than 1 and -1. */
export function parseSort(sort: unknown): SortSpec {
  if (sort === undefined || sort === null) return [];
  if (!isDoc(sort)) return refuse(14, 'Expected field sort to be of type object');
  return Object.entries(sort).map(([field, direction]) => {
    if (field === '') return refuse(40352, 'FieldPath cannot be constructed with empty string');
    if (isDoc(direction) && '$meta' in direction)
      return refuse(238, 'Sorting by $meta is not supported by the embedded store');
    const step = toNumber(direction);
    if (step !== 1 && step !== -1)
      return refuse(2, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    return [field, step] as const;
  });
}
