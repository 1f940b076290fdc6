import { type Description, type Json, shapeBreaks, targetOf } from './shapes.ts';

type Response = { content?: Record<string, { schema: Json }> };
type Operation = {
  readonly parameters?: readonly Json[];
  readonly requestBody?: { readonly content: Record<string, { schema: Json }> };
  readonly responses: Readonly<Record<string, Response & Json>>;
  /** Without it that of the description counts. */
  readonly security?: readonly Json[];
  readonly 'x-castellan-scope'?: string;
  readonly deprecated?: boolean;
};
type Pair = { readonly name: string; readonly old: Operation; readonly now: Operation };
type Sides = { readonly before: Description; readonly after: Description };

const scopes = ['read', 'prepare', 'full'];
/** -1: it needs no token. */
function scopeOf(description: Description, operation: Operation): number {
  const { security = description.security ?? [], 'x-castellan-scope': scope = 'read' } = operation;
  const isOpen = security.length === 0 || security.some((way) => Object.keys(way).length === 0);
  return isOpen ? -1 : scopes.indexOf(scope);
}

const sent = (sides: Sides) => ({ ...sides, direction: 'sent' as const, compared: new Set<string>() });
const answered = (sides: Sides) => ({ ...sides, direction: 'answered' as const, compared: new Set<string>() });

const parametersOf = (description: Description, { parameters = [] }: Operation) =>
  new Map(
    parameters
      .map((parameter) => targetOf(description, parameter) ?? parameter)
      .map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]),
  );

/** A read answers as before when it no longer looks at the key by which a write is done once. */
const isIgnored = (key: string, now: Operation): boolean =>
  key === 'header Idempotency-Key' && now['x-castellan-scope'] === 'read';

function parameterBreaks(sides: Sides, { name, old, now }: Pair): string[] {
  const before = parametersOf(sides.before, old);
  const after = parametersOf(sides.after, now);
  const added = [...after].filter(([key, { required }]) => required === true && before.get(key)?.required !== true);
  return [
    ...added.map(([key]) => `${name}: the parameter ${key} is needed now`),
    ...[...before].flatMap(([key, { schema }]) => {
      const other = after.get(key);
      if (other === undefined) return isIgnored(key, now) ? [] : [`${name}: the parameter ${key} is gone`];
      return shapeBreaks(sent(sides), schema as Json, other.schema as Json, `${name} ${key}`);
    }),
  ];
}

const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json']?.schema;

function bodyBreaks(sides: Sides, { name, old, now }: Pair): string[] {
  const before = bodyOf(old);
  const after = bodyOf(now);
  if (after === undefined) return before === undefined ? [] : [`${name} takes no body now`];
  if (before === undefined) return [`${name} needs a body now`];
  return shapeBreaks(sent(sides), before, after, `${name} body`);
}

function answerBreaks(sides: Sides, { name, old, now }: Pair): string[] {
  const successes = Object.entries(old.responses).filter(([status]) => status.startsWith('2'));
  return successes.flatMap(([status, answer]) => {
    const given = now.responses[status];
    if (given === undefined) return [`${name}: ${status} is no longer answered`];
    const { content = {} }: Response = targetOf(sides.before, answer) ?? answer;
    const response: Response = targetOf(sides.after, given) ?? given;
    return Object.entries(content).flatMap(([media, { schema }]) => {
      const other = response.content?.[media]?.schema;
      if (other === undefined) return [`${name}: ${media} is no longer answered`];
      return shapeBreaks(answered(sides), schema, other, `${name} ${status}`);
    });
  });
}

/** Operations that are gone and that no release said were deprecated; no version may do that. */
export function goneUnannounced(before: Description, after: Description): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => !after.paths[path]?.[method] && !(operation as Operation).deprecated)
      .map(([method]) => `${method.toUpperCase()} ${path} is gone and was never deprecated`),
  );
}

/** What of a later description would break callers of an earlier one, one sentence each. */
export function breaksBetween(before: Description, after: Description): string[] {
  const sides = { before, after };
  const found = Object.entries(before.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const other = after.paths[path]?.[method];
      if (other === undefined) return [`${name} is gone`];
      const pair: Pair = { name, old: operation as Operation, now: other as Operation };
      const scope =
        scopeOf(after, pair.now) > scopeOf(before, pair.old) ? [`${name} needs a token of more scope now`] : [];
      return [...scope, ...parameterBreaks(sides, pair), ...bodyBreaks(sides, pair), ...answerBreaks(sides, pair)];
    }),
  );
  return [...new Set(found)];
}
