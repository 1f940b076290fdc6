import { AppError, type Route } from '@castellan/contracts';
import { z } from 'zod';

/** How much of a field is sent: all of it, names of its own, or of a map of paths those under which something is sent. */
type Part = Selection | 'whole' | 'by path';
/** Names of an answer that are sent. */
export type Selection = ReadonlyMap<string, Part>;

/** The fields of a shape. `isList`: they are those of each of its items. */
type Fields = { readonly isList: boolean; readonly shapes: ReadonlyMap<string, z.ZodType> };

/** What an answer or an item of a list is about, and when it was so. */
const identifying: ReadonlySet<string> = new Set([
  ...['vault_address', 'wallet_address', 'source_address', 'tx_hash', 'log_index', 'leaf_hash', 'root_hash'],
  ...['epoch', 'round', 'index', 'rank', 'version', 'config_digest'],
  ...['as_of', 'block_number', 'chain_time', 'block', 't'],
]);
/** By what else items of a list are distinguished. */
const ofItems: ReadonlySet<string> = new Set(['name', 'kind', 'layer', 'cohort', 'age', 'address', 'user']);
/** The range that figures are about, the receipts that were asked for, and what leads to the next page. */
const ofTheWhole: ReadonlySet<string> = new Set([
  ...['period', 'from', 'to', 'interval_seconds', 'receipts'],
  ...['total', 'has_more', 'next_cursor'],
]);
/** Without how far it can be trusted a figure misleads. */
const ofTrust: ReadonlySet<string> = new Set(['quality', 'pps_status', 'is_stale', 'is_replayed', 'is_redacted']);
/** Maps whose keys are paths of figures in the answer, such as `apy.d30`. */
const byPath: ReadonlySet<string> = new Set(['quality', 'receipts']);
const staysEverywhere = (name: string): boolean => /(^|_)id$/.test(name) || identifying.has(name) || ofTrust.has(name);

/** All names of the widest answer are half of it. */
const longest = 2_000;
const aName = /^\w+(\.\w+)?$/;

/** What a shape is made of, without what it may be besides. */
function partsOf(schema: z.ZodType): { isList: boolean; objects: z.ZodObject[] } {
  if (schema instanceof z.ZodObject) return { isList: false, objects: [schema] };
  if (schema instanceof z.ZodArray) return { isList: true, objects: partsOf(schema.element as z.ZodType).objects };
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return partsOf(schema.unwrap() as z.ZodType);
  const parts: readonly unknown[] =
    schema instanceof z.ZodUnion
      ? schema.options
      : schema instanceof z.ZodIntersection
        ? [schema.def.left, schema.def.right]
        : [];
  const each = parts.map((part) => partsOf(part as z.ZodType));
  return { isList: each.some(({ isList }) => isList), objects: each.flatMap(({ objects }) => objects) };
}

/** The fields of a shape by name; none of a text, a number, or a map whose keys are data. */
export function fieldsIn(schema: z.ZodType): Fields {
  const { isList, objects } = partsOf(schema);
  return {
    isList,
    shapes: new Map(objects.flatMap(({ shape }) => Object.entries(shape as Record<string, z.ZodType>))),
  };
}

function refuse(message: string): never {
  throw new AppError('VALIDATION_FAILED', 'The request is malformed at query.fields.', {
    data: { errors: [{ path: 'query.fields', message }] },
  });
}

const listed = (names: Iterable<string>): string => [...names].join(', ');

/** The names inside of a field, what says how far it can be trusted, and of an item of a list which it is. */
function insideOf(name: string, inner: string, schema: z.ZodType): string[] {
  const { isList, shapes } = fieldsIn(schema);
  if (shapes.size === 0) refuse(`"${name}" has no fields of its own; ask for it whole`);
  if (!shapes.has(inner)) refuse(`"${name}" has no field "${inner}"; it has ${listed(shapes.keys())}`);
  const kept = [...shapes.keys()].filter(
    (each) => ofTrust.has(each) || (isList && (staysEverywhere(each) || ofItems.has(each))),
  );
  return [inner, ...kept];
}

/**
 * The selection that `fields` of a query asks for, with what says what the answer is about.
 * @param asked - Names with commas between; one with a dot is a field of a field, of each item where that is a list.
 * @throws AppError VALIDATION_FAILED that says which names there are.
 */
export function selectionOf({ result }: Pick<Route, 'result'>, asked: unknown): Selection {
  if (typeof asked !== 'string' || asked.length > longest)
    refuse(`must be given once and have at most ${longest} characters`);
  const names = asked.split(',');
  if (!names.every((name) => aName.test(name))) refuse('must be names with commas between, such as name,apy.current');
  const { shapes } = fieldsIn(result);
  const selection = new Map<string, 'whole' | 'by path' | Map<string, 'whole'>>();
  for (const name of shapes.keys())
    if (staysEverywhere(name) || ofTheWhole.has(name)) selection.set(name, byPath.has(name) ? 'by path' : 'whole');
  for (const path of names) {
    const [name = '', inner] = path.split('.');
    const schema = shapes.get(name);
    if (schema === undefined) refuse(`the answer has no field "${name}"; it has ${listed(shapes.keys())}`);
    if (inner === undefined) {
      selection.set(name, 'whole');
      continue;
    }
    const inside = insideOf(name, inner, schema).map((each) => [each, 'whole'] as const);
    const before = selection.get(name);
    if (typeof before !== 'string') selection.set(name, new Map([...(before ?? []), ...inside]));
  }
  return selection;
}

/** Whether something under the path is sent; positions in a list are not names. */
function isSent(path: string, selection: Selection): boolean {
  let part: Part | undefined = selection;
  for (const step of path.split('.')) {
    if (typeof part === 'string') return true;
    if (/^\d+$/.test(step)) continue;
    part = part.get(step);
    if (part === undefined) return false;
  }
  return true;
}

/** A map of paths, with those under which something is sent. */
function ofSent(map: unknown, selection: Selection): unknown {
  if (typeof map !== 'object' || map === null || Array.isArray(map)) return map;
  return Object.fromEntries(Object.entries(map).filter(([path]) => isSent(path, selection)));
}

/** What is selected of a value, in the order of its fields; of a list, of each of its items. */
export function selected(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((item) => selected(item, selection));
  if (typeof value !== 'object' || value === null) return value;
  const picked: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const part = selection.get(name);
    if (part === undefined) continue;
    if (part === 'by path') picked.push([name, ofSent(inner, selection)]);
    else picked.push([name, part === 'whole' ? inner : selected(inner, part)]);
  }
  return Object.fromEntries(picked);
}
