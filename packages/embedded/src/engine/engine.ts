import { ObjectId } from 'bson';
import { Catalog } from './catalog.ts';
import type { Collection, Stored } from './collection.ts';
import { expressionEvaluator } from './expressions.ts';
import { compileFilter, type Evaluate, type Matcher } from './match.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { visitPath } from './paths.ts';
import { checkPipeline } from './pipeline-check.ts';
import { type Plan, parseSort, planQuery, type SortSpec } from './planner.ts';
import { countCovered, readRows, type ScanCounts } from './scan.ts';
import { type Deadline, runToEnd } from './sort.ts';
import { plainStage, runStages, type StageContext } from './stages.ts';
import { Storage } from './storage.ts';
import { Transactions } from './transactions.ts';
import { compileUpdate, type Updater } from './update/update.ts';
import { valueToken } from './values/compare.ts';
import { type Doc, decodeExact, decodePlain, encode, isNumeric, promote, toNumber } from './values/types.ts';

/** Time in milliseconds since the epoch. */
export type Clock = () => number;

/** What a query says beside its filter. */
export type Query = {
  filter: Doc;
  sort?: unknown;
  skip?: number;
  limit?: number;
  hint?: unknown;
  deadline?: Deadline;
  counts?: ScanCounts;
  variables?: Doc;
};

const NO_DEADLINE: Deadline = { at: undefined, now: () => 0 };

/** Databases on one SQLite file with MongoDB's semantics; every call runs to its end before the next. */
export class Engine {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly transactions: Transactions;
  readonly clock: Clock;
  readonly evaluate: Evaluate;
  readonly budget: MemoryBudget;
  private readonly random: () => number;
  /** Of the pipelines of updates, which look at one document each. */
  private readonly updateContext: StageContext;

  /**
   * @param random - Numbers in [0, 1), for `$sample`.
   * @param budget - What results may keep in memory.
   */
  constructor(dataDir: string, clock: Clock, random: () => number, budget: MemoryBudget) {
    this.clock = clock;
    this.random = random;
    this.budget = budget;
    this.evaluate = expressionEvaluator();
    this.updateContext = this.stageContext('', {}, NO_DEADLINE);
    this.storage = new Storage(dataDir, {
      undone: () => this.catalog.reload(),
      lost: () => {
        this.catalog.reload();
        this.transactions.endAll();
      },
    });
    this.catalog = new Catalog(this.storage, this.evaluate);
    this.transactions = new Transactions(this.storage, this.catalog, budget);
  }

  private evaluatorFor(variables: Doc | undefined): Evaluate {
    if (!variables || Object.keys(variables).length === 0) return this.evaluate;
    return expressionEvaluator(variables);
  }

  /** The plan and the compiled filter of a query. */
  prepare(
    collection: Collection | undefined,
    query: Query,
  ): { matcher: Matcher; sort: SortSpec; plan: Plan | undefined } {
    const matcher = compileFilter(query.filter, this.evaluatorFor(query.variables));
    const sort = parseSort(query.sort);
    const plan = collection && planQuery(collection, query.filter, sort, query.hint);
    return { matcher, sort, plan };
  }

  /** Matching documents as they are stored, at once. */
  find(collection: Collection | undefined, query: Query): { rows: Stored[]; matcher: Matcher } {
    return runToEnd(this.findInParts(collection, query));
  }

  /** The same; a long sort yields between its parts, with the bytes it keeps meanwhile. */
  *findInParts(
    collection: Collection | undefined,
    query: Query,
  ): Generator<number, { rows: Stored[]; matcher: Matcher }> {
    const { matcher, sort, plan } = this.prepare(collection, query);
    if (!collection || !plan) return { rows: [], matcher };
    const { skip = 0, limit = 0, deadline = NO_DEADLINE, counts } = query;
    const read = { plan, matcher, sort, skip, limit, deadline, budget: this.budget, ...(counts && { counts }) };
    return { matcher, rows: yield* readRows(this.storage, collection, read) };
  }

  /** Number of matching documents, from the index alone where it can be. */
  count(collection: Collection | undefined, query: Query): number {
    const { plan } = this.prepare(collection, query);
    if (!collection || !plan) return 0;
    const covered = countCovered(this.storage, collection, plan);
    if (covered === undefined) return this.find(collection, query).rows.length;
    const rest = Math.max(0, covered - (query.skip ?? 0));
    return query.limit ? Math.min(rest, query.limit) : rest;
  }

  /** Compiles an update; `now` of an application is the clock's. */
  updater(update: unknown, arrayFilters: unknown): Updater {
    return compileUpdate(update, arrayFilters, {
      evaluate: this.evaluate,
      runPipeline: (pipeline, doc) => {
        const checked = checkPipeline(pipeline, this.evaluate);
        const [after] = runStages([promote(doc) as Doc], checked, this.updateContext);
        return after ?? doc;
      },
    });
  }

  /** Runs a pipeline over a collection; a long sort at its start yields as in `findInParts`. @returns encoded documents. */
  *aggregateInParts(
    db: string,
    name: string,
    pipeline: unknown,
    query: Omit<Query, 'filter'>,
  ): Generator<number, Uint8Array[]> {
    const stages = checkPipeline(pipeline, this.evaluate);
    const { head, rest } = splitPipeline(stages);
    const collection = this.catalog.find(db, name);
    const headQuery = { ...query, ...head };
    if (rest.length === 0) return (yield* this.findInParts(collection, headQuery)).rows.map((row) => row.bytes);
    const counted = countGroup(rest);
    if (counted) {
      const n = this.count(collection, headQuery);
      return n === 0 ? [] : [encode({ _id: counted._id, [counted.field]: n })];
    }
    const docs = (yield* this.findInParts(collection, headQuery)).rows.map((row) => decodePlain(row.bytes));
    const context = this.stageContext(db, query.variables ?? {}, query.deadline ?? NO_DEADLINE);
    return runStages(docs, rest, context).map((doc) => encode(idFirst(doc)));
  }

  private aggregateDocs(db: string, name: string, stages: Doc[], variables: Doc, deadline: Deadline): Doc[] {
    const { head, rest } = splitPipeline(stages);
    const { rows } = this.find(this.catalog.find(db, name), { ...head, variables, deadline });
    const docs = rows.map((row) => decodePlain(row.bytes));
    return rest.length === 0 ? docs : runStages(docs, rest, this.stageContext(db, variables, deadline));
  }

  private stageContext(db: string, variables: Doc, deadline: Deadline): StageContext {
    return {
      evaluate: this.evaluatorFor(variables),
      from: (name, pipeline, inner) => this.aggregateDocs(db, name, pipeline, inner, deadline),
      indexed: (name, field) => {
        const collection = this.catalog.find(db, name);
        return collection === undefined || planQuery(collection, { [field]: { $in: [1] } }, []).source !== 'natural';
      },
      random: this.random,
      variables,
    };
  }

  /** Distinct values of a field, arrays by element, in order of first appearance. */
  distinct(collection: Collection | undefined, field: string, query: Query): unknown[] {
    const seen = new Map<string, unknown>();
    const parts = field.split('.');
    for (const { bytes } of this.find(collection, query).rows) {
      visitDistinct(bytes, parts, seen);
    }
    return [...seen.values()];
  }

  newId(): ObjectId {
    return new ObjectId(ObjectId.generate(Math.floor(this.clock() / 1000)));
  }

  close(): void {
    this.storage.close();
  }
}

function visitDistinct(bytes: Uint8Array, parts: string[], seen: Map<string, unknown>): void {
  visitPath(decodeExact(bytes), parts, 0, (value) => {
    if (value === undefined) return false;
    for (const item of Array.isArray(value) ? value : [value]) {
      const token = valueToken(item);
      if (!seen.has(token)) seen.set(token, item);
    }
    return false;
  });
}

/** mingo puts computed fields before `_id`, MongoDB after it. */
function idFirst(doc: Doc): Doc {
  if (doc._id === undefined || Object.keys(doc)[0] === '_id') return doc;
  const { _id, ...rest } = doc;
  return { _id, ...rest };
}

type Head = { filter: Doc; sort?: unknown; skip?: number; limit?: number };

/** Splits off the leading stages that are one query: matches, then a sort, then skip and limit. */
function splitPipeline(stages: readonly Doc[]): { head: Head; rest: Doc[] } {
  const filters: Doc[] = [];
  const head: Head = { filter: {} };
  let at = 0;
  for (; stages[at] && '$match' in (stages[at] as Doc); at += 1) filters.push((stages[at] as Doc).$match as Doc);
  if (stages[at] && '$sort' in (stages[at] as Doc)) head.sort = (stages[at++] as Doc).$sort;
  if (stages[at] && '$skip' in (stages[at] as Doc)) head.skip = toNumber((stages[at++] as Doc).$skip);
  if (stages[at] && '$limit' in (stages[at] as Doc)) head.limit = toNumber((stages[at++] as Doc).$limit);
  head.filter = filters.length === 1 ? (filters[0] as Doc) : filters.length > 1 ? { $and: filters } : {};
  return { head, rest: stages.slice(at) };
}

/** Recognizes what countDocuments sends: one group of everything that adds up ones. */
function countGroup(rest: readonly Doc[]): { _id: unknown; field: string } | undefined {
  const [stage] = rest;
  const group = stage && rest.length === 1 ? (plainStage(stage.$group) as Doc | undefined) : undefined;
  if (!group) return undefined;
  const fields = Object.keys(group).filter((field) => field !== '_id');
  const [field] = fields;
  const constant = isNumeric(group._id) || group._id === null;
  const one = field !== undefined && JSON.stringify(group[field]) === '{"$sum":1}';
  return fields.length === 1 && constant && one ? { _id: group._id, field: field as string } : undefined;
}
