import { refuse } from './errors.ts';
import { EMPTY_ARRAY_KEY } from './values/key.ts';
import { type Doc, isDoc } from './values/types.ts';

/** True for a path part that can address an array element. */
export const isIndex = (part: string | undefined): boolean => part !== undefined && /^(0|[1-9]\d*)$/.test(part);

/** What a leaf test sees: the value, and the array position through which it was reached. */
export type Leaf = (value: unknown, position: number | undefined) => boolean;

/**
 * Visits every value a dotted path reaches, entering arrays implicitly as MongoDB's queries do; a missing path is
 * visited once as undefined. Stops at the first visit that returns true.
 * @returns true when some visit returned true.
 */
export function visitPath(node: unknown, parts: readonly string[], at: number, leaf: Leaf, position?: number): boolean {
  if (at === parts.length) return leaf(node, position);
  const part = parts[at] as string;
  if (Array.isArray(node)) return visitArray(node, parts, at, leaf, position);
  if (!isDoc(node)) return leaf(undefined, position);
  return visitPath(Object.hasOwn(node, part) ? node[part] : undefined, parts, at + 1, leaf, position);
}

function visitArray(node: unknown[], parts: readonly string[], at: number, leaf: Leaf, position?: number): boolean {
  const part = parts[at] as string;
  if (isIndex(part) && Number(part) < node.length) {
    if (visitPath(node[Number(part)], parts, at + 1, leaf, position)) return true;
  }
  for (let i = 0; i < node.length; i += 1) {
    if (isDoc(node[i]) && visitPath(node[i], parts, at, leaf, position ?? i)) return true;
  }
  return false;
}

/** All index or sort components of a document: one key per array element, never two arrays at once. */
export type KeyComponents = { keys: unknown[][]; multikey: boolean };

type Component = { value: unknown; rest: readonly string[]; settled: boolean };

/**
 * The values a document has under the paths of an index.
 * @throws {StoreError} CannotIndexParallelArrays when two paths cross different arrays.
 */
export function keyComponents(doc: Doc, paths: readonly (readonly string[])[]): KeyComponents {
  const out: KeyComponents = { keys: [], multikey: false };
  expand(
    paths.map((rest) => ({ value: doc, rest, settled: false })),
    out,
    paths,
  );
  return out;
}

function walk(component: Component): Component {
  let { value, rest } = component;
  while (rest.length > 0) {
    const part = rest[0] as string;
    if (Array.isArray(value) && isIndex(part) && Number(part) < value.length) value = value[Number(part)];
    else if (isDoc(value)) value = Object.hasOwn(value, part) ? value[part] : undefined;
    else break;
    rest = rest.slice(1);
  }
  if (Array.isArray(value)) return { value, rest, settled: false };
  return { value: rest.length > 0 ? undefined : value, rest: [], settled: true };
}

function expand(components: Component[], out: KeyComponents, paths: readonly (readonly string[])[]): void {
  const walked = components.map((component) => (component.settled ? component : walk(component)));
  const open = walked.filter((component) => !component.settled);
  const array = open[0]?.value as unknown[] | undefined;
  if (array === undefined) {
    out.keys.push(walked.map((component) => component.value));
    return;
  }
  out.multikey = true;
  if (open.some((component) => component.value !== array)) {
    refuse(171, `cannot index parallel arrays in ${paths.map((path) => path.join('.')).join(', ')}`);
  }
  for (const element of array.length === 0 ? [EMPTY_ARRAY_KEY] : array) {
    const next = walked.map((component) => (component.settled ? component : enter(component, element)));
    expand(next, out, paths);
  }
}

function enter(component: Component, element: unknown): Component {
  if (component.rest.length === 0) return { value: element, rest: [], settled: true };
  if (element === EMPTY_ARRAY_KEY || (!isDoc(element) && !Array.isArray(element))) {
    return { value: undefined, rest: [], settled: true };
  }
  const nested = Array.isArray(element) && !isIndex(component.rest[0]);
  return nested ? { value: undefined, rest: [], settled: true } : { ...component, value: element };
}

/** Splits a dotted path and refuses empty parts. */
export function splitPath(path: string): string[] {
  const parts = path.split('.');
  if (parts.includes('')) refuse(56, `The path '${path}' contains an empty field name, which is not allowed.`);
  return parts;
}
