import { BSONRegExp } from 'bson';
import { concat, type Iterator, Lazy } from 'mingo/lazy';
import { $redact as mingoRedact } from 'mingo/operators/pipeline';
import type { Options } from 'mingo/types';
import { refuse } from './errors.ts';
import { computeOptions, guarded, mingoOptions } from './expressions.ts';
import { compileFilter, type Evaluate } from './match.ts';
import { visitPath } from './paths.ts';
import { parseSort } from './planner.ts';
import { sortKey } from './sort.ts';
import { copyOf, getAt, setAt, unsetAt } from './update/tree.ts';
import { compareValues, valueToken } from './values/compare.ts';
import { bsonType, type Doc, isDoc, isNil, promote, toNumber, toRegExp } from './values/types.ts';

/** What stages need from the store. */
export type StageContext = {
  evaluate: Evaluate;
  /** Documents of another collection of the same database, after a pipeline. */
  from(collection: string, pipeline: Doc[], variables: Doc): Doc[];
  /** True when an equality on this field of that collection is served by an index. */
  indexed(collection: string, field: string): boolean;
  /** A number in [0, 1). */
  random(): number;
  variables: Doc;
};

type Stage = (input: Iterator, spec: unknown, options: Options) => Iterator;

/** Plain numbers and JavaScript regular expressions throughout, as mingo wants them. */
export function plainStage(value: unknown): unknown {
  if (value instanceof BSONRegExp) return toRegExp(value);
  if (Array.isArray(value)) return value.map(plainStage);
  if (!isDoc(value) || bsonType(value) !== undefined) return promote(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plainStage(item)]));
}

const sortStage: Stage = (input, spec) => {
  const sort = parseSort(spec);
  if (sort.length === 0) return refuse(2, '$sort stage must have at least one sort key');
  const paths = sort.map(([field]) => field.split('.'));
  const directions = sort.map(([, direction]) => direction);
  return input.transform<Doc>((docs) =>
    Lazy(
      docs
        .map((doc) => ({ doc, key: sortKey(doc, paths, directions) }))
        .sort((left, right) => Buffer.compare(left.key, right.key))
        .map(({ doc }) => doc),
    ),
  );
};

type Accumulate = (docs: Doc[], expr: unknown, options: Options) => unknown;

/** Groups `{ doc, bucket }` rows by bucket and accumulates the fields of each group. */
function groupRows(rows: Iterator, fields: Doc, options: Options): Iterator {
  const accumulate = Object.entries(fields).map(([name, accumulator]) => {
    const [operator = ''] = Object.keys(accumulator as Doc);
    const run = options.context.getOperator('accumulator' as never, operator) as unknown as Accumulate;
    return { name, run, expr: (accumulator as Doc)[operator] };
  });
  return rows.transform<Doc>((list) => {
    const groups = new Map<string, { id: unknown; docs: Doc[] }>();
    for (const { doc, bucket } of list) {
      const token = valueToken(bucket);
      const group = groups.get(token);
      if (group) group.docs.push(doc as Doc);
      else groups.set(token, { id: bucket, docs: [doc as Doc] });
    }
    return Lazy(
      [...groups.values()].map((group) => {
        const out: Doc = { _id: group.id };
        for (const { name, run, expr } of accumulate) out[name] = run(group.docs, expr, options) ?? null;
        return out;
      }),
    );
  });
}

const groupStage =
  (context: StageContext): Stage =>
  (input, spec, options) => {
    const { _id: idExpression, ...fields } = spec as Doc;
    const idOf = context.evaluate(idExpression);
    const keyed = input.map<Doc, Doc>((doc) => ({ doc, bucket: idOf(doc) ?? null }));
    return groupRows(keyed, fields, options);
  };

const unwindStage: Stage = (input, spec) => {
  const { path, includeArrayIndex, preserveNullAndEmptyArrays } = (isDoc(spec) ? spec : { path: spec }) as Doc;
  if (typeof path !== 'string' || !path.startsWith('$'))
    return refuse(28818, "path option to $unwind stage should be prefixed with a '$'");
  const parts = path.slice(1).split('.');
  const withIndex = (doc: Doc, index: number | null): Doc => {
    if (typeof includeArrayIndex === 'string') setAt(doc, includeArrayIndex.split('.'), index);
    return doc;
  };
  return input.transform<Doc>((docs) =>
    Lazy(
      docs.flatMap((doc) => {
        const value = getAt(doc, parts);
        if (Array.isArray(value) && value.length > 0) {
          return value.map((item, i) => {
            const copy = copyOf(doc) as Doc;
            setAt(copy, parts, item);
            return withIndex(copy, i);
          });
        }
        const empty = isNil(value) || Array.isArray(value);
        if (empty && preserveNullAndEmptyArrays !== true) return [];
        if (Array.isArray(value)) unsetAt(doc, parts);
        return [withIndex(doc, null)];
      }),
    ),
  );
};

const lookupFields = new Set(['from', 'as', 'localField', 'foreignField', 'let', 'pipeline']);

function checkLookup(spec: unknown): Doc & { from: string; as: string } {
  if (!isDoc(spec)) return refuse(9, 'the $lookup specification must be an object');
  const unknown = Object.keys(spec).find((field) => !lookupFields.has(field));
  if (unknown) refuse(9, `unknown argument to $lookup: ${unknown}`);
  if (typeof spec.from !== 'string') return refuse(9, "missing 'from' option to $lookup stage specification");
  if (typeof spec.as !== 'string') return refuse(9, "must specify 'as' field for a $lookup");
  if ((spec.localField === undefined) !== (spec.foreignField === undefined)) {
    refuse(9, '$lookup requires both or neither of localField and foreignField to be specified');
  }
  if (spec.localField === undefined && spec.pipeline === undefined) {
    refuse(9, "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified");
  }
  return spec as Doc & { from: string; as: string };
}

/** The documents of `from` whose field equals one of the values; by index, or by one pass and a hash table. */
function joiner(context: StageContext, from: string, field: string): (values: unknown[]) => Doc[] {
  if (context.indexed(from, field)) {
    return (values) => context.from(from, [{ $match: { [field]: { $in: values } } }], {});
  }
  const docs = context.from(from, [], {});
  const byValue = new Map<string, Set<number>>();
  for (const [i, doc] of docs.entries()) {
    visitPath(doc, field.split('.'), 0, (value) => {
      for (const item of Array.isArray(value) ? [...value, value] : [value]) {
        const token = valueToken(item ?? null);
        byValue.set(token, (byValue.get(token) ?? new Set()).add(i));
      }
      return false;
    });
  }
  return (values) => {
    const found = new Set(values.flatMap((value) => [...(byValue.get(valueToken(value ?? null)) ?? [])]));
    return [...found].sort((a, b) => a - b).map((i) => copyOf(docs[i]) as Doc);
  };
}

const lookupStage =
  (context: StageContext): Stage =>
  (input, rawSpec) => {
    const spec = checkLookup(rawSpec);
    const pipeline = (spec.pipeline as Doc[] | undefined) ?? [];
    const bindings = Object.entries((spec.let as Doc | undefined) ?? {}).map(([name, expr]) => ({
      name,
      value: context.evaluate(expr),
    }));
    const localParts = typeof spec.localField === 'string' ? spec.localField.split('.') : undefined;
    const join = localParts && joiner(context, spec.from, String(spec.foreignField));
    return input.transform<Doc>((docs) =>
      Lazy(
        docs.map((doc) => {
          const variables = {
            ...context.variables,
            ...Object.fromEntries(bindings.map(({ name, value }) => [name, value(doc)])),
          };
          let found: Doc[];
          if (localParts && join) {
            found = join(localValues(doc, localParts));
            if (pipeline.length > 0) found = runStages(found, pipeline, { ...context, variables });
          } else found = context.from(spec.from, pipeline, variables);
          const out = copyOf(doc) as Doc;
          setAt(out, spec.as.split('.'), found);
          return out;
        }),
      ),
    );
  };

function localValues(doc: Doc, parts: string[]): unknown[] {
  const values: unknown[] = [];
  visitPath(doc, parts, 0, (value) => {
    if (Array.isArray(value)) values.push(...value);
    else values.push(value ?? null);
    return false;
  });
  return values;
}

const unionStage =
  (context: StageContext): Stage =>
  (input, spec) => {
    const { coll, pipeline = [] } = (typeof spec === 'string' ? { coll: spec } : spec) as Doc;
    if (typeof coll !== 'string') return refuse(9, "$unionWith needs 'coll'");
    return concat(input, Lazy(context.from(coll, pipeline as Doc[], context.variables)));
  };

const sampleStage =
  (context: StageContext): Stage =>
  (input, spec) => {
    const size = isDoc(spec) ? toNumber(spec.size) : Number.NaN;
    if (!(size > 0)) return refuse(28747, 'size argument to $sample must be a positive integer');
    return input.transform<Doc>((docs) => {
      const pool = [...docs];
      for (let i = 0; i < Math.min(size, pool.length); i += 1) {
        const j = i + Math.floor(context.random() * (pool.length - i));
        [pool[i], pool[j]] = [pool[j] as Doc, pool[i] as Doc];
      }
      return Lazy(pool.slice(0, size));
    });
  };

const sortByCountStage =
  (context: StageContext): Stage =>
  (input, spec, options) =>
    groupStage(context)(input, { _id: spec, count: { $sum: 1 } }, options).transform<Doc>((groups) =>
      Lazy(groups.sort((left, right) => compareValues(right.count, left.count))),
    );

const countStage: Stage = (input, spec) => {
  if (typeof spec !== 'string') return refuse(40156, 'the count field must be a non-empty string');
  if (spec === '') refuse(40157, 'the count field must be a non-empty string');
  if (spec.startsWith('$')) refuse(40158, 'the count field cannot be a $-prefixed path');
  if (spec.includes('.')) refuse(40160, "the count field cannot contain '.'");
  return input.transform<Doc>((docs) => Lazy(docs.length === 0 ? [] : [{ [spec]: docs.length }]));
};

/** mingo puts a value equal to an inner boundary into the bucket below it. */
const bucketStage =
  (context: StageContext): Stage =>
  (input, spec, options) => {
    const { groupBy, boundaries, default: other, output = { count: { $sum: 1 } }, ...rest } = spec as Doc;
    const [unknown] = Object.keys(rest);
    if (unknown) return refuse(40197, `Unrecognized option to $bucket: ${unknown}.`);
    const rising =
      Array.isArray(boundaries) && boundaries.length > 1
        ? boundaries
        : refuse(40192, "The $bucket 'boundaries' field must have at least 2 values");
    if (rising.some((bound, i) => i > 0 && compareValues(rising[i - 1], bound) >= 0)) {
      return refuse(40194, "The 'boundaries' option to $bucket must be sorted");
    }
    const keyOf = context.evaluate(groupBy);
    const bucketOf = (doc: Doc): unknown => {
      const value = keyOf(doc);
      const above = rising.findIndex((bound) => compareValues(value, bound) < 0);
      if (above > 0) return rising[above - 1];
      if (other === undefined)
        return refuse(40066, '$switch could not find a matching branch for an input, and no default was specified.');
      return other;
    };
    const keyed = input.map<Doc, Doc>((doc) => ({ doc, bucket: bucketOf(doc) }));
    return groupRows(keyed, output as Doc, options).transform<Doc>((groups) =>
      Lazy(groups.sort((left, right) => compareValues(left._id, right._id))),
    );
  };

/** Our stages, which take the place of mingo's of the same name. */
const stagesOf = (context: StageContext): Record<string, Stage> => ({
  $match: (input, spec) => {
    const matcher = compileFilter(spec as Doc, context.evaluate);
    return input.filter<Doc>((doc) => matcher.test(doc));
  },
  $sort: sortStage,
  $group: groupStage(context),
  $bucket: bucketStage(context),
  // mingo counts no documents as a document with 0.
  $count: countStage,
  $sortByCount: sortByCountStage(context),
  $unwind: unwindStage,
  $lookup: lookupStage(context),
  $unionWith: unionStage(context),
  $sample: sampleStage(context),
  // mingo leaves a hole where $redact prunes a whole document.
  $redact: (input, spec, options) =>
    (mingoRedact as unknown as Stage)(input, spec, options).filter<Doc | undefined>(
      (doc) => doc !== undefined && doc !== null,
    ),
});

/** Made once for a context that is used again: it costs more than a short pipeline. */
const optionsOf = new WeakMap<StageContext, Options>();

function optionsFor(context: StageContext): Options {
  const known = optionsOf.get(context);
  if (known) return known;
  const made: Options = {
    ...mingoOptions(stagesOf(context), context.variables),
    collectionResolver: (name) => context.from(name, [], {}),
  };
  optionsOf.set(context, made);
  return made;
}

/** Runs checked stages over decoded documents. @throws {StoreError} what a stage or expression refuses. */
export function runStages(docs: Doc[], stages: readonly Doc[], context: StageContext): Doc[] {
  const options = computeOptions(optionsFor(context));
  return guarded(() => {
    let stream = Lazy(docs);
    for (const stage of stages) {
      const [name = ''] = Object.keys(stage);
      const run = options.context.getOperator('pipeline' as never, name) as unknown as Stage;
      stream = run(stream, plainStage(stage[name]), options);
    }
    return stream.collect<Doc>();
  });
}
