import { refuse } from '../errors.ts';
import { compileFilter, type Evaluate, isOperatorDoc, type Matcher } from '../match.ts';
import { isIndex } from '../paths.ts';
import { equalValues } from '../values/compare.ts';
import { type Doc, isDoc, promote, typeName } from '../values/types.ts';
import { fieldOperators, type Setting, UNCHANGED } from './operators.ts';
import { copyOf, getAt, restoreWidths, setAt, unsetAt } from './tree.ts';

/** What an update knows about the document it is applied to. */
export type Application = {
  /** Where the filter matched in an array; asked for by `$` alone. */
  position(): number | undefined;
  inserting: boolean;
  now: Date;
};

/** Turns a document (decoded exactly) into its successor; the argument is not changed. `replaces`: of it only `_id` is read. */
export type Updater = ((doc: Doc, application: Application) => Doc) & { replaces?: boolean };

/** Runs a pipeline of an update on one document. */
export type RunPipeline = (pipeline: Doc[], doc: Doc) => Doc;

type Tools = { evaluate: Evaluate; runPipeline: RunPipeline };
type Step = { operator: string; path: string; parts: string[]; operand: unknown };

/**
 * Compiles the `u` of an update: a replacement, operators or a pipeline.
 * @throws {StoreError} FailedToParse, ConflictingUpdateOperators, BadValue and what the operators refuse.
 */
export function compileUpdate(update: unknown, arrayFilters: unknown, tools: Tools): Updater {
  if (Array.isArray(update)) {
    if (arrayFilters !== undefined) refuse(9, 'arrayFilters may not be specified for pipeline-style updates');
    return pipelineUpdate(update, tools);
  }
  if (!isDoc(update)) return refuse(9, 'Update argument must be either an object or an array');
  const filters = parseArrayFilters(arrayFilters, tools.evaluate);
  if (!isOperatorUpdate(update)) {
    if (filters.size > 0) refuse(9, 'arrayFilters may not be specified for replacement-style updates');
    return replacement(update);
  }
  const steps = parseSteps(update);
  checkFiltersUsed(steps, filters);
  return (doc, application) => applySteps(steps, filters, doc, application, tools.evaluate);
}

/** True for `{ $set: ... }` and for `{}` false: the latter replaces. */
export const isOperatorUpdate = (update: Doc): boolean => Object.keys(update)[0]?.startsWith('$') === true;

function checkSameId(before: Doc, after: Doc, path: string): void {
  if (before._id === undefined || equalValues(before._id, after._id)) return;
  refuse(66, `Performing an update on the path '${path}' would modify the immutable field '_id'`);
}

function replacement(update: Doc): Updater {
  const dollar = Object.keys(update).find((field) => field.startsWith('$'));
  if (dollar) {
    refuse(
      52,
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    );
  }
  const replace: Updater = (doc) => {
    const { _id, ...rest } = update;
    const id = doc._id ?? _id;
    if (_id !== undefined && !equalValues(_id, id)) {
      refuse(
        66,
        `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${JSON.stringify(promote(_id))}`,
      );
    }
    return id === undefined ? rest : { _id: id, ...rest };
  };
  replace.replaces = true;
  return replace;
}

const pipelineStages = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

function pipelineUpdate(update: unknown[], tools: Tools): Updater {
  const pipeline = update.map((stage) => {
    if (!isDoc(stage)) return refuse(14, 'Each element of the pipeline array must be an object');
    const name = Object.keys(stage)[0] ?? '';
    if (!pipelineStages.has(name)) refuse(72, `${name} is not allowed to be used within an update`);
    return stage;
  });
  return (doc) => {
    const after = restoreWidths(doc, tools.runPipeline(pipeline, doc), equalValues) as Doc;
    const { _id = doc._id, ...rest } = after;
    checkSameId(doc, { _id }, '_id');
    return _id === undefined ? rest : { _id, ...rest };
  };
}

function parseArrayFilters(arrayFilters: unknown, evaluate: Evaluate): Map<string, Matcher> {
  const filters = new Map<string, Matcher>();
  if (arrayFilters === undefined) return filters;
  if (!Array.isArray(arrayFilters)) return refuse(14, "BSON field 'update.updates.arrayFilters' must be an array");
  for (const filter of arrayFilters) {
    if (!isDoc(filter)) return refuse(14, 'Each array filter must be an object');
    const names = new Set(identifiersOf(filter));
    const [name] = names;
    if (name === undefined) return refuse(9, 'Cannot use an expression without a top-level field name in arrayFilters');
    if (names.size > 1)
      refuse(
        9,
        `Error parsing array filter :: Expected a single top-level field name, found ${[...names].join(' and ')}`,
      );
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      refuse(
        2,
        `Error parsing array filter :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (filters.has(name)) refuse(9, `Found multiple array filters with the same top-level field name ${name}`);
    filters.set(name, compileFilter(filter, evaluate));
  }
  return filters;
}

function identifiersOf(filter: Doc): string[] {
  return Object.entries(filter).flatMap(([key, value]) => {
    if (!key.startsWith('$')) return [key.split('.')[0] as string];
    return Array.isArray(value) ? value.filter(isDoc).flatMap(identifiersOf) : [];
  });
}

function parseSteps(update: Doc): Step[] {
  const steps = Object.entries(update).flatMap(([operator, fields]) => {
    if (!operator.startsWith('$')) {
      return refuse(
        9,
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!(operator in fieldOperators) && operator !== '$unset' && operator !== '$rename') {
      return refuse(
        9,
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDoc(fields)) {
      return refuse(
        9,
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ...}`,
      );
    }
    return Object.entries(fields).map(([path, operand]) => parseStep(operator, path, operand));
  });
  checkConflicts(steps);
  if (steps.some(isDynamic)) checkArrayWays(steps);
  return steps.sort((left, right) => comparePaths(left.parts, right.parts));
}

function parseStep(operator: string, path: string, operand: unknown): Step {
  const parts = path.split('.');
  if (parts.includes('')) refuse(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  checkPath(path, parts);
  if (operator === '$rename') {
    if (typeof operand !== 'string') return refuse(2, `The 'to' field for $rename must be a string: ${path}`);
    if (operand === path) refuse(2, `The source and target field for $rename must differ: ${path}: "${operand}"`);
    if (operand.split('.').includes(''))
      refuse(56, `The update path '${operand}' contains an empty field name, which is not allowed.`);
    checkPath(operand, operand.split('.'));
    if ([...parts, ...operand.split('.')].some((part) => part.startsWith('$')))
      refuse(2, `The source and target of $rename may not be dynamic: ${path}`);
  }
  return { operator, path, parts, operand };
}

function checkPath(path: string, parts: string[]): void {
  for (const part of parts) {
    if (!part.startsWith('$') || part === '$' || /^\$\[[^\]]*\]$/.test(part)) continue;
    refuse(52, `The dollar ($) prefixed field '${part}' in '${path}' is not valid for storage.`);
  }
  if (parts[0]?.startsWith('$'))
    refuse(2, `Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
}

/** Lexicographic, numbers by value: the order in which MongoDB creates new fields. */
function comparePaths(left: string[], right: string[]): number {
  for (let i = 0; i < Math.min(left.length, right.length); i += 1) {
    const a = left[i] as string;
    const b = right[i] as string;
    if (a === b) continue;
    if (isIndex(a) && isIndex(b)) return Number(a) - Number(b);
    return a < b ? -1 : 1;
  }
  return left.length - right.length;
}

function checkConflicts(steps: Step[]): void {
  const seen: string[] = [];
  const touched = steps.flatMap((step) =>
    step.operator === '$rename' ? [step.path, String(step.operand)] : [step.path],
  );
  for (const path of touched) {
    const other = seen.find((known) => known === path || known.startsWith(`${path}.`) || path.startsWith(`${known}.`));
    if (other !== undefined) {
      const at = other.length < path.length ? other : path;
      refuse(40, `Updating the path '${path}' would create a conflict at '${at}'`);
    }
    seen.push(path);
  }
}

/** MongoDB walks the elements of an array either by filters or by places, never both in one update. */
function checkArrayWays(steps: Step[]): void {
  const byFilter = new Map<string, boolean>();
  for (const { parts, path } of steps) {
    for (const [i, part] of parts.entries()) {
      const at = parts.slice(0, i).join('.');
      const filtered = part.startsWith('$[');
      if ((byFilter.get(at) ?? filtered) !== filtered)
        refuse(40, `Updating the path '${path}' would create a conflict at '${at}'`);
      byFilter.set(at, filtered);
    }
  }
}

const identifierOf = (part: string): string | undefined => /^\$\[(.+)\]$/.exec(part)?.[1];

function checkFiltersUsed(steps: Step[], filters: Map<string, Matcher>): void {
  const used = new Set<string>();
  for (const { parts, path } of steps) {
    for (const name of parts.map(identifierOf)) {
      if (name === undefined) continue;
      if (!filters.has(name)) refuse(2, `No array filter found for identifier '${name}' in path '${path}'`);
      used.add(name);
    }
  }
  for (const name of filters.keys()) {
    if (!used.has(name)) refuse(9, `The array filter for identifier '${name}' was not used in the update`);
  }
}

const isDynamic = ({ parts }: Step): boolean => parts.some((part) => part.startsWith('$'));

/** Two operators may meet at one field only once `$`, `$[]` and `$[name]` are resolved. */
function checkMeeting(paths: readonly string[][]): void {
  const taken = new Set<string>();
  const above = new Set<string>();
  for (const parts of paths) {
    const path = parts.join('.');
    const prefixes = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('.'));
    const met = taken.has(path) || above.has(path) ? path : prefixes.find((prefix) => taken.has(prefix));
    if (met !== undefined) refuse(40, `Update created a conflict at '${met}'`);
    taken.add(path);
    for (const prefix of prefixes) above.add(prefix);
  }
}

/** The concrete paths `$`, `$[]` and `$[name]` stand for in this document. */
function concretePaths(
  step: Step,
  doc: Doc,
  filters: Map<string, Matcher>,
  positionOf: () => number | undefined,
): string[][] {
  let paths: string[][] = [[]];
  for (const part of step.parts) {
    if (!part.startsWith('$')) {
      for (const path of paths) path.push(part);
    } else if (part === '$') {
      const position = positionOf();
      if (position === undefined) refuse(2, 'The positional operator did not find the match needed from the query.');
      for (const path of paths) path.push(String(position));
    } else paths = paths.flatMap((path) => elementPaths(step, path, doc, part, filters));
  }
  return paths;
}

function elementPaths(step: Step, path: string[], doc: Doc, part: string, filters: Map<string, Matcher>): string[][] {
  const array = getAt(doc, path);
  if (array === undefined) {
    return refuse(2, `The path '${path.join('.')}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(array)) {
    return refuse(
      2,
      `Cannot apply array updates to non-array element ${path.join('.')}: ${JSON.stringify(promote(array))} (${step.path})`,
    );
  }
  const name = identifierOf(part);
  const filter = name === undefined ? undefined : filters.get(name);
  return array.flatMap((element, i) =>
    filter && !filter.test({ [name as string]: element }) ? [] : [[...path, String(i)]],
  );
}

function applySteps(
  steps: Step[],
  filters: Map<string, Matcher>,
  doc: Doc,
  application: Application,
  evaluate: Evaluate,
): Doc {
  const after = copyOf(doc) as Doc;
  const base = { id: doc._id, now: application.now, inserting: application.inserting, evaluate };
  // All are resolved before the first is applied: filters see the elements as they were.
  const resolved = steps.map((step) => ({ step, paths: concretePaths(step, doc, filters, application.position) }));
  if (steps.length > 1 && steps.some(isDynamic)) checkMeeting(resolved.flatMap(({ paths }) => paths));
  for (const { step, paths } of resolved) {
    for (const parts of paths) applyStep(step, parts, after, { ...base, path: parts.join('.') });
    if (step.parts[0] === '_id' || step.operand === '_id') checkSameId(doc, after, '_id');
  }
  return after;
}

function applyStep(step: Step, parts: string[], after: Doc, setting: Setting): void {
  if (step.operator === '$unset') {
    unsetAt(after, parts);
    return;
  }
  const current = getAt(after, parts);
  if (step.operator === '$rename') {
    if (current === undefined) return;
    unsetAt(after, parts);
    setAt(after, String(step.operand).split('.'), current);
    return;
  }
  const next = fieldOperators[step.operator]?.(current, step.operand, setting);
  if (next !== UNCHANGED) setAt(after, parts, next);
}

/** @throws {StoreError} QueryFeatureNotAllowed when the filter of an upsert computes, as MongoDB refuses it. */
export function checkUpsertFilter(filter: Doc): void {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$expr') refuse(224, '$expr is not allowed in the query predicate for an upsert');
    if (!['$and', '$or', '$nor'].includes(key) || !Array.isArray(condition)) continue;
    for (const clause of condition) if (isDoc(clause)) checkUpsertFilter(clause);
  }
}

/** The fields an upsert takes over from the equality conditions of its filter. */
export function documentFromFilter(filter: Doc, into: Doc = {}): Doc {
  for (const [key, condition] of Object.entries(filter)) {
    if (key === '$and' || (key === '$or' && Array.isArray(condition) && condition.length === 1)) {
      for (const clause of Array.isArray(condition) ? condition : []) documentFromFilter(clause as Doc, into);
    } else if (!key.startsWith('$')) takeOver(key, condition, into);
  }
  return into;
}

function takeOver(path: string, condition: unknown, into: Doc): void {
  const value = equalityOf(condition);
  if (value === undefined) return;
  if (getAt(into, path.split('.')) !== undefined) {
    refuse(54, `cannot infer query fields to set, path '${path}' is matched twice`);
  }
  setAt(into, path.split('.'), copyOf(value));
}

function equalityOf(condition: unknown): unknown {
  if (!isOperatorDoc(condition)) return typeName(condition) === 'regex' ? undefined : condition;
  if ('$eq' in condition) return condition.$eq;
  const single = condition.$all ?? condition.$in;
  return Array.isArray(single) && single.length === 1 && !isOperatorDoc(single[0]) ? single[0] : undefined;
}
