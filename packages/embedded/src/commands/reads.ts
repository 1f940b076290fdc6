import { type Collection, MAX_DOCUMENT_BYTES } from '../engine/collection.ts';
import type { Query } from '../engine/engine.ts';
import { refuse } from '../engine/errors.ts';
import type { Matcher } from '../engine/match.ts';
import { compileProjection } from '../engine/projection.ts';
import { runToEnd } from '../engine/sort.ts';
import { type Doc, decodeExact, encode, isDoc, isNumeric, toNumber } from '../engine/values/types.ts';
import { cursorReply } from '../wire/message.ts';
import { type Command, type CommandContext, deadlineOf } from './context.ts';
import {
  checkFields,
  checkInner,
  collectionName,
  countField,
  docField,
  flagField,
  refuseUnsupported,
} from './fields.ts';
import { andThen, type Eventually, inParts } from './parts.ts';

const findFields = new Set([
  'filter',
  'sort',
  'projection',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'hint',
  'collation',
  'allowDiskUse',
  'noCursorTimeout',
  'tailable',
  'awaitData',
  'oplogReplay',
  'allowPartialResults',
  'returnKey',
  'showRecordId',
  'max',
  'min',
  'let',
  'readOnce',
]);

const optionalBatch = (body: Doc): number | undefined =>
  body.batchSize === undefined ? undefined : countField(body, 'batchSize', 0);

function target(
  { engine, db, body }: CommandContext,
  command: string,
): { name: string; collection: Collection | undefined } {
  const name = collectionName(body, command);
  return { name, collection: engine.catalog.find(db, name) };
}

/** In parts, with others in between; in a transaction at once, because what it sees ends with the command. */
const read = <T>({ transaction, engine }: CommandContext, work: Generator<number, T>): Eventually<T> =>
  transaction ? runToEnd(work) : inParts(work, engine.budget);

function queryOf(context: CommandContext, filterField: string): Query {
  const { body } = context;
  refuseUnsupported(body, ['collation', 'let']);
  return {
    filter: docField(body, filterField),
    sort: body.sort,
    skip: countField(body, 'skip', 0),
    limit: countField(body, 'limit', 0),
    hint: body.hint,
    deadline: deadlineOf(context),
  };
}

function findQuery(context: CommandContext): { query: Query; single: boolean } {
  const { body } = context;
  if (flagField(body, 'tailable'))
    refuse(2, 'error processing query: tailable cursor requested on non capped collection');
  refuseUnsupported(body, ['returnKey', 'showRecordId', 'max', 'min', 'awaitData']);
  // Drivers of old send a negative limit for one batch.
  const limit = isNumeric(body.limit) ? toNumber(body.limit) : 0;
  const query = queryOf({ ...context, body: { ...body, limit: Math.abs(limit) } }, 'filter');
  return { query, single: limit < 0 || flagField(body, 'singleBatch') };
}

function projected(
  projection: NonNullable<ReturnType<typeof compileProjection>>,
  matcher: Matcher,
  bytes: Uint8Array,
): Uint8Array {
  const match: { position?: number } = {};
  if (projection.positional) matcher.test(decodeExact(bytes), match);
  return encode(projection.project(bytes, match.position));
}

const find: Command = {
  fields: findFields,
  run(context) {
    const { engine, cursors, transaction, db, body } = context;
    const { name, collection } = target(context, 'find');
    const { query, single } = findQuery(context);
    const projection = compileProjection(body.projection, engine.evaluate);
    const namespace = `${db}.${name}`;
    const size = optionalBatch(body);
    return andThen(read(context, engine.findInParts(collection, query)), ({ rows, matcher }) => {
      const render = projection && ((bytes: Uint8Array) => projected(projection, matcher, bytes));
      const result = { namespace, transaction, documents: rows.map((row) => row.bytes), ...(render && { render }) };
      const { id, batch } = cursors.start(result, size, single);
      return cursorReply('firstBatch', batch, id, namespace);
    });
  },
};

const getMore: Command = {
  fields: new Set(['collection', 'batchSize', 'term', 'lastKnownCommittedOpTime']),
  run({ cursors, transaction, db, body }) {
    if (typeof body.collection !== 'string') return refuse(14, "BSON field 'getMore.collection' must be a string");
    const namespace = `${db}.${body.collection}`;
    const size = optionalBatch(body) || undefined;
    const { id, batch } = cursors.next(cursorId(body.getMore), namespace, size, transaction);
    return cursorReply('nextBatch', batch, id, namespace);
  },
};

function cursorId(value: unknown): bigint {
  if (!isNumeric(value)) return refuse(14, 'a cursor id must be a 64-bit integer');
  return BigInt(String(value));
}

const killCursors: Command = {
  fields: new Set(['cursors']),
  run({ cursors, body }) {
    if (!Array.isArray(body.cursors)) return refuse(14, "BSON field 'killCursors.cursors' must be an array");
    const cursorsKilled: unknown[] = [];
    const cursorsNotFound: unknown[] = [];
    for (const id of body.cursors) (cursors.kill(cursorId(id)) ? cursorsKilled : cursorsNotFound).push(id);
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};

const aggregate: Command = {
  fields: new Set([
    'pipeline',
    'cursor',
    'explain',
    'allowDiskUse',
    'hint',
    'collation',
    'let',
    'bypassDocumentValidation',
    'readOnce',
  ]),
  run(context) {
    const { engine, cursors, transaction, db, body } = context;
    if (isNumeric(body.aggregate)) {
      runToEnd(engine.aggregateInParts(db, '', body.pipeline, {}));
      return refuse(238, 'Aggregations on a whole database are not supported by the embedded store');
    }
    const { name } = target(context, 'aggregate');
    refuseUnsupported(body, ['collation', 'explain', 'let']);
    if (!isDoc(body.cursor))
      return refuse(9, "The 'cursor' option is required, except for aggregate with the explain argument");
    checkInner('aggregate.cursor', body.cursor, new Set(['batchSize']));
    const query = { hint: body.hint, deadline: deadlineOf(context) };
    const size = optionalBatch(body.cursor);
    const namespace = `${db}.${name}`;
    return andThen(read(context, engine.aggregateInParts(db, name, body.pipeline, query)), (documents) => {
      const tooLarge = documents.find((doc) => doc.length > MAX_DOCUMENT_BYTES);
      if (tooLarge)
        refuse(
          10334,
          `BSONObj size: ${tooLarge.length} is invalid. Size must be between 0 and ${MAX_DOCUMENT_BYTES}(16MB)`,
        );
      const { id, batch } = cursors.start({ namespace, transaction, documents }, size, false);
      return cursorReply('firstBatch', batch, id, namespace);
    });
  },
};

const count: Command = {
  fields: new Set(['query', 'limit', 'skip', 'hint', 'collation', 'fields']),
  run(context) {
    const { collection } = target(context, 'count');
    const { body } = context;
    const limit = isNumeric(body.limit) ? Math.abs(toNumber(body.limit)) : 0;
    return { n: context.engine.count(collection, queryOf({ ...context, body: { ...body, limit } }, 'query')) };
  },
};

const distinct: Command = {
  fields: new Set(['key', 'query', 'collation', 'hint']),
  run(context) {
    const { collection } = target(context, 'distinct');
    const { key } = context.body;
    if (typeof key !== 'string')
      return refuse(14, "BSON field 'distinct.key' is the wrong type, expected type 'string'");
    return { values: context.engine.distinct(collection, key, queryOf(context, 'query')) };
  },
};

function winningPlan(plan: ReturnType<CommandContext['engine']['prepare']>['plan']): Doc {
  if (!plan) return { stage: 'EOF' };
  const direction = plan.reverse ? 'backward' : 'forward';
  const input: Doc =
    plan.source === 'natural'
      ? { stage: 'COLLSCAN', direction }
      : {
          stage: 'FETCH',
          inputStage: {
            stage: 'IXSCAN',
            keyPattern: plan.index ? plan.index.spec.key : { _id: 1 },
            indexName: plan.index?.name ?? '_id_',
            isMultiKey: plan.index?.multikey ?? false,
            direction,
            ranges: plan.ranges.length,
            covered: plan.covered,
          },
        };
  return plan.sorted ? input : { stage: 'SORT', inputStage: input };
}

const explain: Command = {
  fields: new Set(['verbosity']),
  run(context) {
    const inner = docField(context.body, 'explain');
    const [command] = Object.keys(inner);
    if (command !== 'find')
      return refuse(238, `explain of '${command}' is not supported by the embedded store, of find it is`);
    checkFields('find', inner, findFields);
    const innerContext = { ...context, body: inner };
    const { name, collection } = target(innerContext, 'find');
    const counts = { keys: 0, documents: 0 };
    const { query } = findQuery(innerContext);
    const { plan } = context.engine.prepare(collection, query);
    const reply: Doc = {
      explainVersion: '1',
      queryPlanner: { namespace: `${context.db}.${name}`, winningPlan: winningPlan(plan) },
    };
    if (context.body.verbosity === 'queryPlanner') return reply;
    const { rows } = context.engine.find(collection, { ...query, counts });
    const executionStats = {
      executionSuccess: true,
      nReturned: rows.length,
      totalKeysExamined: counts.keys,
      totalDocsExamined: counts.documents,
    };
    return { ...reply, executionStats };
  },
};

/** Commands that read documents. */
export const readCommands: Record<string, Command> = {
  find,
  getMore,
  killCursors,
  aggregate,
  count,
  distinct,
  explain,
};
