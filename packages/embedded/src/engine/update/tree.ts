import { refuse } from '../errors.ts';
import { isIndex } from '../paths.ts';
import { bsonType, type Doc, isDoc, promote } from '../values/types.ts';

// MongoDB refuses to pad an array further than this (kMaxPaddingAllowed).
const MAX_PADDING = 1_500_000;

/** The value at a concrete path, or undefined. */
export function getAt(root: unknown, parts: readonly string[]): unknown {
  let node = root;
  for (const part of parts) {
    if (Array.isArray(node)) node = isIndex(part) ? node[Number(part)] : undefined;
    else if (isDoc(node) && Object.hasOwn(node, part)) node = node[part];
    else return undefined;
  }
  return node;
}

const shown = (value: unknown): string => JSON.stringify(promote(value));

function step(node: unknown, part: string, above: string): Doc | unknown[] {
  if (Array.isArray(node)) {
    if (!isIndex(part)) refuse(28, `Cannot create field '${part}' in element {${above}: ${shown(node)}}`);
    if (Number(part) > node.length + MAX_PADDING) refuse(2, `Cannot backfill array to index ${part}`);
    return node;
  }
  if (isDoc(node) && bsonType(node) === undefined) return node;
  return refuse(28, `Cannot create field '${part}' in element {${above}: ${shown(node)}}`);
}

function put(container: Doc | unknown[], part: string, value: unknown): void {
  if (!Array.isArray(container)) {
    define(container, part, value);
    return;
  }
  while (container.length < Number(part)) container.push(null);
  container[Number(part)] = value;
}

function define(container: Doc, part: string, value: unknown): void {
  // Assignment to __proto__ would change the prototype instead of adding a field.
  if (part !== '__proto__') container[part] = value;
  else Object.defineProperty(container, part, { value, enumerable: true, configurable: true, writable: true });
}

/** Sets a concrete path, making sub-documents on the way. @throws {StoreError} PathNotViable. */
export function setAt(root: Doc, parts: readonly string[], value: unknown): void {
  let node: unknown = root;
  for (const [i, part] of parts.entries()) {
    const container = step(node, part, parts[i - 1] ?? '');
    if (i === parts.length - 1) {
      put(container, part, value);
      return;
    }
    const next = getAt(container, [part]);
    if (next === undefined) put(container, part, {});
    node = getAt(container, [part]);
  }
}

/** Removes a concrete path; an array element becomes null so that its neighbours keep their places. */
export function unsetAt(root: Doc, parts: readonly string[]): void {
  const last = parts.at(-1) as string;
  const container = getAt(root, parts.slice(0, -1));
  if (Array.isArray(container)) {
    if (isIndex(last) && Number(last) < container.length) container[Number(last)] = null;
  } else if (isDoc(container)) delete container[last];
}

/** A deep copy of containers; scalars are shared, as nothing changes them in place. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isDoc(value) || bsonType(value) !== undefined) return value;
  const out: Doc = {};
  for (const key of Object.keys(value)) define(out, key, copyOf(value[key]));
  return out;
}

/** Puts back the number widths of `before` wherever `after` holds an equal number; for updates made by pipelines. */
export function restoreWidths(before: unknown, after: unknown, equal: (a: unknown, b: unknown) => boolean): unknown {
  if (Array.isArray(after)) {
    return after.map((item, i) => restoreWidths(Array.isArray(before) ? before[i] : undefined, item, equal));
  }
  if (isDoc(after) && bsonType(after) === undefined) {
    const out: Doc = {};
    for (const key of Object.keys(after)) {
      define(out, key, restoreWidths(isDoc(before) ? before[key] : undefined, after[key], equal));
    }
    return out;
  }
  return typeof after === 'number' && before !== undefined && equal(before, after) ? before : after;
}
