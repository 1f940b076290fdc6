import type { Route } from '@castellan/contracts';
import * as contracts from '@castellan/contracts';
import generated from './generated/comments.json' with { type: 'json' };
import type { Json } from './json.ts';
import { unitOf } from './units.ts';

/** What the contracts say in their comments, by name and path: `GetPps.result.hwm_steps`. Made by `tools/contract-comments.ts`. */
const comments: Readonly<Record<string, string>> = generated;

const exportNames: ReadonlyMap<unknown, string> = new Map(
  Object.entries<unknown>(contracts)
    .filter(([, value]) => typeof value === 'object')
    .map(([name, value]) => [value, name]),
);
const routeKeys: ReadonlyMap<string, string> = new Map(
  Object.entries(contracts.routes).map(([key, { id }]) => [id, key]),
);

/** What the contracts say of what they export: of a schema, an action or an event. */
export const commentOf = (exported: unknown): string | undefined => comments[exportNames.get(exported) ?? ''];

/** What the contracts say of the action behind a route; nothing where several routes share it, each with words of its own. */
export function actionComment({ action }: Route): string {
  const isShared = Object.values(contracts.routes).filter((other) => other.action === action).length > 1;
  return isShared ? '' : (commentOf(action) ?? '');
}

/** Where the comments on the body and the answer of a route are, whose shapes have no name in the contracts. */
export function commentPaths(route: Route): { body: readonly string[]; result: readonly string[] } {
  const action = exportNames.get(route.action);
  const ofAction = (part: 'params' | 'result', schema: unknown) =>
    action !== undefined && route.action?.[part] === schema ? [`${action}.${part}`] : [];
  return {
    body: [...ofAction('params', route.body), `${routeKeys.get(route.id)}.body`],
    result: ofAction('result', route.result),
  };
}

/** A shape, and what it is a list, a choice or a map of. */
function within(schema: Json): Json[] {
  const { items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  const inner = [items, additionalProperties, anyOf, oneOf, allOf].flat().filter((each) => typeof each === 'object');
  return [schema, ...(inner as Json[]).flatMap(within)];
}

const fieldsOf = (schema: Json): [string, Json][] =>
  within(schema).flatMap(({ properties }) => Object.entries((properties ?? {}) as Record<string, Json>));

/** A number, or a list or map of numbers. Of an object its fields are. */
const isNumber = (schema: Json): boolean =>
  within(schema).some(({ type }) => [type].flat().some((each) => each === 'number' || each === 'integer'));

/** Writes the comments at `path` into a shape and its fields, where nothing is said yet. */
export function describeShape(schema: Json, path: string): void {
  const comment = comments[path];
  if (comment !== undefined) schema.description ??= comment;
  for (const [name, field] of fieldsOf(schema)) describeShape(field, `${path}.${name}`);
}

/** Gives each number that nothing is said of the unit of its name. */
export function describeNumbers(schema: Json): void {
  for (const [name, field] of fieldsOf(schema)) {
    const unit = isNumber(field) ? unitOf(name) : undefined;
    if (unit !== undefined) field.description ??= unit;
    describeNumbers(field);
  }
}
