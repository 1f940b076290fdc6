import type { Collection, Stored } from '../engine/collection.ts';
import { refuse, StoreError } from '../engine/errors.ts';
import type { Matcher } from '../engine/match.ts';
import { checkUpsertFilter, documentFromFilter, isOperatorUpdate, type Updater } from '../engine/update/update.ts';
import { pickFields, withIdFirst } from '../engine/values/raw.ts';
import { type Doc, decodeExact, encode, isDoc, isNumeric, toNumber } from '../engine/values/types.ts';
import type { Command, CommandContext } from './context.ts';
import { checkInner, collectionName, docField, flagField, refuseUnsupported } from './fields.ts';

// hello announces it as maxWriteBatchSize.
const MAX_BATCH = 100_000;

/** The statements of a write: a kind 1 sequence or an array of the body. */
function statements(context: CommandContext, field: string): (Buffer | Doc)[] {
  const inBody = context.body[field];
  const list = context.request.sequences.get(field) ?? inBody;
  if (!Array.isArray(list)) return refuse(40414, `BSON field '${field}' is missing but a required field`);
  if (list.length === 0 || list.length > MAX_BATCH)
    refuse(72, `Write batch sizes must be between 1 and ${MAX_BATCH}. Got ${list.length} operations.`);
  if (!list.every((item) => Buffer.isBuffer(item) || isDoc(item)))
    refuse(14, `BSON field '${field}' must hold objects`);
  return list as (Buffer | Doc)[];
}

const decoded = (statement: Buffer | Doc): Doc => (Buffer.isBuffer(statement) ? decodeExact(statement) : statement);

function writeError(index: number, error: StoreError): Doc {
  return { index, code: error.code, ...error.extra, errmsg: error.message };
}

/** Runs statements one by one; an ordered batch ends at its first error. */
function eachStatement(
  context: CommandContext,
  list: (Buffer | Doc)[],
  run: (statement: Buffer | Doc, index: number) => void,
): Doc[] {
  const ordered = context.body.ordered === undefined || flagField(context.body, 'ordered');
  const errors: Doc[] = [];
  for (const [index, statement] of list.entries()) {
    try {
      run(statement, index);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      errors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return errors;
}

const withErrors = (reply: Doc, errors: Doc[]): Doc => (errors.length > 0 ? { ...reply, writeErrors: errors } : reply);

const insert: Command = {
  fields: new Set(['documents', 'ordered', 'bypassDocumentValidation']),
  writes: true,
  run(context) {
    const { engine, db, body } = context;
    const name = collectionName(body, 'insert');
    const list = statements(context, 'documents');
    let n = 0;
    const errors = eachStatement(context, list, (statement) => {
      const bytes = Buffer.isBuffer(statement) ? statement : encode(statement);
      engine.catalog.ensure(db, name).insert(withIdFirst(bytes, () => engine.newId()));
      n += 1;
    });
    return withErrors({ n }, errors);
  },
};

/** What one update did. */
export type Updated = { matched: number; modified: number; upserted?: unknown };

const idOnly: ReadonlySet<string> = new Set(['_id']);

/** Where in an array a filter matched, worked out when it is asked for. */
export const positionIn =
  (matcher: Matcher, { bytes }: Stored) =>
  (): number | undefined => {
    const match: { position?: number } = {};
    matcher.test(decodeExact(bytes), match);
    return match.position;
  };

/** Applies an updater to a stored document. @returns the new bytes, or undefined when nothing changed. */
export function applyUpdate(
  context: CommandContext,
  collection: Collection,
  stored: Stored,
  updater: Updater,
  position: () => number | undefined,
): Uint8Array | undefined {
  const before = decodeExact(updater.replaces ? pickFields(stored.bytes, idOnly) : stored.bytes);
  const after = encode(updater(before, { position, inserting: false, now: new Date(context.startedAt) }));
  if (Buffer.compare(after, stored.bytes) === 0) return undefined;
  collection.replace(stored, after);
  return after;
}

/** Inserts what an upsert makes of its filter and update. @returns the new document's bytes and `_id`. */
export function upsertDocument(
  context: CommandContext,
  name: string,
  filter: Doc,
  update: unknown,
  updater: Updater,
): { bytes: Buffer; id: unknown } {
  const { engine, db } = context;
  const fromFilter = documentFromFilter(filter);
  const replacing = isDoc(update) && !isOperatorUpdate(update);
  const start = replacing ? ('_id' in fromFilter ? { _id: fromFilter._id } : {}) : fromFilter;
  const made = updater(start, { position: () => undefined, inserting: true, now: new Date(context.startedAt) });
  const bytes = withIdFirst(encode(made), () => engine.newId());
  engine.catalog.ensure(db, name).insert(bytes);
  return { bytes, id: decodeExact(bytes)._id };
}

const updateFields = new Set([
  'q',
  'u',
  'multi',
  'upsert',
  'arrayFilters',
  'hint',
  'collation',
  'c',
  'sort',
  'upsertSupplied',
]);

function updateOne(context: CommandContext, name: string, statement: Doc): Updated {
  const { engine, db } = context;
  checkInner('update.updates', statement, updateFields);
  refuseUnsupported(statement, ['collation', 'c']);
  const filter = docField(statement, 'q');
  const multi = flagField(statement, 'multi');
  const { u } = statement;
  if (multi && isDoc(u) && !isOperatorUpdate(u))
    refuse(9, 'multi update is not supported for replacement-style update');
  if (flagField(statement, 'upsert')) checkUpsertFilter(filter);
  const updater = engine.updater(u, statement.arrayFilters);
  const collection = engine.catalog.find(db, name);
  const { rows, matcher } = engine.find(collection, {
    filter,
    hint: statement.hint,
    sort: statement.sort,
    limit: multi ? 0 : 1,
  });
  if (rows.length === 0 && flagField(statement, 'upsert')) {
    return { matched: 0, modified: 0, upserted: upsertDocument(context, name, filter, u, updater).id };
  }
  let modified = 0;
  for (const row of rows) {
    if (collection && applyUpdate(context, collection, row, updater, positionIn(matcher, row))) modified += 1;
  }
  return { matched: rows.length, modified };
}

const update: Command = {
  fields: new Set(['updates', 'ordered', 'bypassDocumentValidation', 'let']),
  writes: true,
  run(context) {
    refuseUnsupported(context.body, ['let']);
    const name = collectionName(context.body, 'update');
    const upserted: Doc[] = [];
    let n = 0;
    let nModified = 0;
    const errors = eachStatement(context, statements(context, 'updates'), (statement, index) => {
      const result = updateOne(context, name, decoded(statement));
      if (result.upserted !== undefined) upserted.push({ index, _id: result.upserted });
      n += result.upserted === undefined ? result.matched : 1;
      nModified += result.modified;
    });
    return withErrors({ n, nModified, ...(upserted.length > 0 && { upserted }) }, errors);
  },
};

function deleteRows(context: CommandContext, name: string, statement: Doc): number {
  const { engine, db } = context;
  checkInner('delete.deletes', statement, new Set(['q', 'limit', 'hint', 'collation']));
  refuseUnsupported(statement, ['collation']);
  const limit = isNumeric(statement.limit) ? toNumber(statement.limit) : Number.NaN;
  if (limit !== 0 && limit !== 1)
    refuse(9, 'The limit field in delete objects must be 0 or 1. Got '.concat(String(statement.limit)));
  const collection = engine.catalog.find(db, name);
  const { rows } = engine.find(collection, { filter: docField(statement, 'q'), hint: statement.hint, limit });
  for (const row of rows) collection?.remove(row);
  return rows.length;
}

const remove: Command = {
  fields: new Set(['deletes', 'ordered', 'let']),
  writes: true,
  frees: () => true,
  run(context) {
    refuseUnsupported(context.body, ['let']);
    const name = collectionName(context.body, 'delete');
    let n = 0;
    const errors = eachStatement(context, statements(context, 'deletes'), (statement) => {
      n += deleteRows(context, name, decoded(statement));
    });
    return withErrors({ n }, errors);
  },
};

/** Commands that write documents in batches. */
export const writeCommands: Record<string, Command> = { insert, update, delete: remove };
