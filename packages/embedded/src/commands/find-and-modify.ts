import { refuse } from '../engine/errors.ts';
import { compileProjection } from '../engine/projection.ts';
import { checkUpsertFilter } from '../engine/update/update.ts';
import { type Doc, decodeExact } from '../engine/values/types.ts';
import { type Command, type CommandContext, deadlineOf } from './context.ts';
import { collectionName, docField, flagField, refuseUnsupported } from './fields.ts';
import { applyUpdate, positionIn, upsertDocument } from './writes.ts';

const fields = new Set([
  'query',
  'sort',
  'remove',
  'update',
  'new',
  'fields',
  'upsert',
  'arrayFilters',
  'hint',
  'collation',
  'bypassDocumentValidation',
  'let',
]);

type Outcome = {
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
  lastErrorObject: Doc;
  position: () => number | undefined;
};

const nowhere = (): undefined => undefined;

function removeFirst(context: CommandContext, name: string): Outcome {
  const { engine, db, body } = context;
  const collection = engine.catalog.find(db, name);
  const { rows } = engine.find(collection, {
    filter: docField(body, 'query'),
    sort: body.sort,
    hint: body.hint,
    limit: 1,
    deadline: deadlineOf(context),
  });
  const [row] = rows;
  if (row) collection?.remove(row);
  return { before: row?.bytes, after: undefined, lastErrorObject: { n: row ? 1 : 0 }, position: nowhere };
}

function updateFirst(context: CommandContext, name: string): Outcome {
  const { engine, db, body } = context;
  const filter = docField(body, 'query');
  if (flagField(body, 'upsert')) checkUpsertFilter(filter);
  const updater = engine.updater(body.update, body.arrayFilters);
  const collection = engine.catalog.find(db, name);
  const { rows, matcher } = engine.find(collection, {
    filter,
    sort: body.sort,
    hint: body.hint,
    limit: 1,
    deadline: deadlineOf(context),
  });
  const [row] = rows;
  if (row && collection) {
    const position = positionIn(matcher, row);
    const after = applyUpdate(context, collection, row, updater, position) ?? row.bytes;
    return { before: row.bytes, after, lastErrorObject: { n: 1, updatedExisting: true }, position };
  }
  if (!flagField(body, 'upsert')) {
    return {
      before: undefined,
      after: undefined,
      lastErrorObject: { n: 0, updatedExisting: false },
      position: nowhere,
    };
  }
  const { bytes, id } = upsertDocument(context, name, filter, body.update, updater);
  return {
    before: undefined,
    after: bytes,
    lastErrorObject: { n: 1, updatedExisting: false, upserted: id },
    position: nowhere,
  };
}

/** Changes one document and returns it as it was or as it is; nothing else runs in between. */
export const findAndModify: Command = {
  fields,
  writes: true,
  frees: (body) => flagField(body, 'remove'),
  run(context) {
    const { body, engine } = context;
    refuseUnsupported(body, ['collation', 'let']);
    const name = collectionName(body, 'findAndModify' in body ? 'findAndModify' : 'findandmodify');
    const removing = flagField(body, 'remove');
    if (removing === (body.update !== undefined)) {
      refuse(
        9,
        removing
          ? 'Cannot specify both an update and remove=true'
          : 'Either an update or remove=true must be specified',
      );
    }
    if (removing && (flagField(body, 'new') || flagField(body, 'upsert'))) {
      refuse(
        9,
        "Cannot specify both new=true or upsert=true and remove=true; 'remove' always returns the deleted document",
      );
    }
    const projection = compileProjection(body.fields, engine.evaluate);
    const outcome = removing ? removeFirst(context, name) : updateFirst(context, name);
    const bytes = flagField(body, 'new') ? outcome.after : outcome.before;
    const value =
      bytes &&
      (projection
        ? projection.project(bytes, projection.positional ? outcome.position() : undefined)
        : decodeExact(bytes));
    return { lastErrorObject: outcome.lastErrorObject, value: value ?? null };
  },
};
