import { refuse } from './errors.ts';
import { compileFilter, type Evaluate, isOperatorDoc, truthy } from './match.ts';
import { type Doc, decodeExact, isDoc, isNumeric, toNumber } from './values/types.ts';

/** Turns a stored document into what the client sees. @param position - Array position for `field.$`. */
export type Projector = (bytes: Uint8Array, position: number | undefined) => Doc;

/** A tree of fields: `true` for a whole field, a function for a computed one. */
type Tree = Map<string, Tree | true | Computation>;
type Computation = (value: unknown, doc: Doc, position: number | undefined) => unknown;

const isFlag = (value: unknown): boolean => typeof value === 'boolean' || isNumeric(value);

/**
 * Compiles a find projection: inclusion or exclusion, `$slice`, `$elemMatch`, `field.$` and expressions.
 * @returns undefined when nothing is projected.
 * @throws {StoreError} 31253 or 31254 when inclusion and exclusion are mixed.
 */
export function compileProjection(
  projection: unknown,
  evaluate: Evaluate,
): { project: Projector; positional: boolean } | undefined {
  if (projection === undefined || projection === null) return undefined;
  if (!isDoc(projection)) return refuse(14, "BSON field 'find.projection' must be an object");
  const fields = flatten(projection, '');
  if (fields.length === 0) return undefined;
  const inclusive = isInclusive(fields);
  const tree: Tree = new Map();
  for (const [path, value] of fields) {
    if (path === '_id' && isFlag(value)) continue;
    if (value === undefined || (isFlag(value) && truthy(value) !== inclusive)) continue;
    addField(tree, path, value, evaluate, inclusive);
  }
  const id = fields.find(([path]) => path === '_id')?.[1];
  const keepId = id === undefined || !isFlag(id) ? !inclusive || id === undefined : truthy(id);
  const project = (bytes: Uint8Array, position: number | undefined): Doc => {
    const doc = decodeExact(bytes);
    const { _id, ...rest } = inclusive ? include(doc, tree, doc, position) : exclude(doc, tree, doc, position);
    const shownId = id !== undefined && !isFlag(id) ? _id : doc._id;
    return keepId || (id !== undefined && !isFlag(id)) ? { _id: shownId, ...rest } : rest;
  };
  return { project, positional: fields.some(([path]) => path.endsWith('.$')) };
}

function flatten(projection: Doc, prefix: string): [string, unknown][] {
  return Object.entries(projection).flatMap(([key, value]): [string, unknown][] => {
    if (key === '') return refuse(40352, 'FieldPath cannot be constructed with empty string');
    if (key.startsWith('$'))
      return refuse(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField: '${key}'.`,
      );
    const path = prefix + key;
    if (isDoc(value) && !isOperatorDoc(value)) {
      if (Object.keys(value).length === 0)
        refuse(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
      return flatten(value, `${path}.`);
    }
    return [[path, value]];
  });
}

function isInclusive(fields: [string, unknown][]): boolean {
  const flags = fields.filter(([path, value]) => path !== '_id' && (isFlag(value) || isExpression(path, value)));
  const included = flags.find(([path, value]) => isExpression(path, value) || truthy(value));
  const excluded = flags.find(([path, value]) => !isExpression(path, value) && !truthy(value));
  if (included && excluded) {
    const first = flags[0] === included;
    refuse(
      first ? 31254 : 31253,
      `Cannot do ${first ? 'exclusion' : 'inclusion'} on field ${first ? excluded[0] : included[0]} in ${first ? 'inclusion' : 'exclusion'} projection`,
    );
  }
  if (included) return true;
  if (excluded) return false;
  const id = fields.find(([path]) => path === '_id')?.[1];
  const onlyId = fields.every(([path]) => path === '_id');
  if (onlyId) return isFlag(id) ? truthy(id) : true;
  // $slice alone keeps the other fields, $elemMatch alone does not.
  return fields.some(([, value]) => isDoc(value) && '$elemMatch' in value);
}

const isExpression = (path: string, value: unknown): boolean => {
  if (path.endsWith('.$') || typeof value === 'string' || Array.isArray(value)) return true;
  return isDoc(value) && !('$slice' in value) && !('$elemMatch' in value) && !('$meta' in value);
};

function addField(tree: Tree, path: string, value: unknown, evaluate: Evaluate, inclusive: boolean): void {
  const parts = path.split('.');
  const last = parts.at(-1) === '$' ? parts.splice(-2)[0] : parts.pop();
  let node = tree;
  for (const part of parts) {
    const next = node.get(part) ?? new Map();
    if (!(next instanceof Map)) refuse(31249, `Path collision at ${path}`);
    node.set(part, next);
    node = next;
  }
  if (node.has(last as string)) refuse(31249, `Path collision at ${path}`);
  node.set(last as string, leafOf(path, value, evaluate, inclusive));
}

function leafOf(path: string, value: unknown, evaluate: Evaluate, inclusive: boolean): true | Computation {
  if (path.endsWith('.$')) return firstMatch;
  if (isFlag(value)) return true;
  if (isDoc(value) && '$slice' in value) return slice(value.$slice);
  if (isDoc(value) && '$elemMatch' in value) return elementMatch(value.$elemMatch, evaluate);
  if (isDoc(value) && '$meta' in value) return refuse(238, '$meta is not supported by the embedded store');
  const compute = evaluate(value);
  if (!inclusive) return refuse(31252, 'Cannot use an expression in an exclusion projection');
  return (_current, doc) => compute(doc);
}

const firstMatch: Computation = (value, _doc, position) => {
  if (!Array.isArray(value)) return value;
  if (position === undefined)
    return refuse(
      51246,
      "Executor error during find command :: positional operator '.$' couldn't find a matching element in the array",
    );
  return value.slice(position, position + 1);
};

function slice(operand: unknown): Computation {
  const numbers = (Array.isArray(operand) ? operand : [operand]).map(toNumber);
  const [first = Number.NaN, count] = numbers;
  if (numbers.some((item) => !Number.isInteger(item)) || (count !== undefined && count <= 0)) {
    refuse(28667, 'Invalid $slice syntax. The given syntax did not match the find() syntax of $slice');
  }
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (count === undefined) return first >= 0 ? value.slice(0, first) : value.slice(first);
    const start = first >= 0 ? first : Math.max(0, value.length + first);
    return value.slice(start, start + count);
  };
}

function elementMatch(operand: unknown, evaluate: Evaluate): Computation {
  const matcher = compileFilter({ value: { $elemMatch: operand } }, evaluate);
  return (value) => {
    const context: { position?: number | undefined } = {};
    if (!matcher.test({ value }, context) || context.position === undefined) return undefined;
    return (value as unknown[]).slice(context.position, context.position + 1);
  };
}

function include(doc: Doc, tree: Tree, root: Doc, position: number | undefined): Doc {
  const out: Doc = {};
  for (const key of Object.keys(doc)) {
    const node = tree.get(key);
    if (node === undefined) continue;
    const value =
      node instanceof Map ? includeDeep(doc[key], node, root, position) : leaf(node, doc[key], root, position);
    if (value !== undefined) out[key] = value;
  }
  for (const [key, node] of tree) {
    if (typeof node !== 'function' || Object.hasOwn(doc, key)) continue;
    const value = node(undefined, root, position);
    if (value !== undefined) out[key] = value;
  }
  return out;
}

const leaf = (node: true | Computation, value: unknown, root: Doc, position: number | undefined): unknown =>
  node === true ? value : node(value, root, position);

function includeDeep(value: unknown, tree: Tree, root: Doc, position: number | undefined): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((item) => isDoc(item) || Array.isArray(item))
      .map((item) => includeDeep(item, tree, root, position));
  }
  return isDoc(value) ? include(value, tree, root, position) : undefined;
}

function exclude(doc: Doc, tree: Tree, root: Doc, position: number | undefined): Doc {
  const out: Doc = {};
  for (const key of Object.keys(doc)) {
    const node = tree.get(key);
    if (node === true) continue;
    const value =
      node instanceof Map
        ? excludeDeep(doc[key], node, root, position)
        : node
          ? node(doc[key], root, position)
          : doc[key];
    if (value !== undefined) out[key] = value;
  }
  return out;
}

function excludeDeep(value: unknown, tree: Tree, root: Doc, position: number | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => excludeDeep(item, tree, root, position));
  return isDoc(value) ? exclude(value, tree, root, position) : value;
}
