import {
  preparedArgs,
  type Route,
  retryableCodes,
  routes,
  streamPath,
  updateKinds,
  VaultUpdate,
} from '@castellan/contracts';
import { z } from 'zod';
import { openApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { describeSchemas } from '../../services/gateway/src/openapi/schemas.ts';
import { docstringExamples, methodOf } from './docstring-examples.ts';
import { declarationOf, type Json, typeOf } from './schema-types.ts';

/**
 * What the SDK takes of `@castellan/contracts`, without the schemas: as JavaScript, what a request needs; as types, the shapes of the
 * API's own description, so that who installs the SDK installs no schemas.
 */
const all = Object.entries(routes as unknown as Record<string, Route>);

/** The module that stands for the contracts in the built SDK. */
export function contractsModule(): string {
  const called = all.map(([key, { id, method, path, auth, otherMedia, action }]) => [
    key,
    { id, method, path, auth, otherMedia, ...(action === undefined ? {} : { action: 1 }) },
  ]);
  return [
    `export const routes = ${JSON.stringify(Object.fromEntries(called))};`,
    `export const streamPath = ${JSON.stringify(streamPath)};`,
    `export const retryableCodes = ${JSON.stringify(retryableCodes)};`,
    `export const updateKinds = ${JSON.stringify(updateKinds)};`,
  ].join('\n');
}

type Operation = {
  summary: string;
  description?: string;
  parameters?: readonly Json[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, Json>;
};

type Answer = { content?: Record<string, { schema: Json }> };

/** Types that are not shapes of the API. */
const helpers = `
export type FieldError = { path: string; message: string };
export type PreparedKind = keyof PreparedArgsByKind;
export type PreparedArgs<K extends PreparedKind = PreparedKind> = PreparedArgsByKind[K];
type PartOf<R, K extends string> = R extends { [P in K]: infer Part } ? Part : never;
/** The parts of a request. */
export type RouteInput<R> = { params: PartOf<R, 'params'>; query: PartOf<R, 'query'>; body: PartOf<R, 'body'> };
/** What a route answers. */
export type RouteResult<R> = PartOf<R, 'result'>;
`;

const fieldsOf = (parameters: readonly Json[], place: string): string => {
  const fields = parameters.filter((parameter) => parameter.in === place);
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = fields.map(({ name, description, schema }) => [name, { description, ...(schema as Json) }]);
  return fields.length === 0 ? '{}' : typeOf({ type: 'object', properties: Object.fromEntries(properties), required });
};

const isOptional = (schema: z.ZodType | undefined): boolean => schema?.safeParse(undefined).success === true;

/** What an editor shows of a method. */
const docOf = ({ summary, description = '' }: Operation, examples: readonly string[]): string => {
  const lines = [summary, description, ...examples.flatMap((example) => ['@example', ...example.split('\n')])];
  return `/**\n${lines.map((line) => ` * ${line}`).join('\n')}\n */`;
};

/** The declarations that stand for those of the contracts in the built SDK. */
export function contractsTypes(root: string): string {
  const document = openApiDocument(Object.values(routes) as unknown as Route[], 'https://app.example.org');
  const components = document.components as Record<string, Record<string, Json>>;
  const examples = Map.groupBy(docstringExamples(root), methodOf);
  const resolved = (kind: 'parameters' | 'responses', given: Json): Json =>
    typeof given.$ref === 'string'
      ? (components[kind]?.[given.$ref.slice(given.$ref.lastIndexOf('/') + 1)] as Json)
      : given;
  const declared = all.map(([key, route]) => {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()] as unknown as Operation;
    const given = (operation.parameters ?? []).map((parameter) => resolved('parameters', parameter));
    const body = operation.requestBody?.content['application/json']?.schema;
    const { content } = resolved('responses', operation.responses[String(route.status)] ?? {}) as Answer;
    const answer = content?.[route.media]?.schema ?? { type: 'null' };
    const result = route.otherMedia.length > 0 ? 'string' : typeOf(answer);
    return `${docOf(operation, examples.get(route.id) ?? [])}
${key}: {
  params: ${fieldsOf(given, 'path')};
  query: ${fieldsOf(given, 'query')};
  body: ${body === undefined ? 'undefined' : `${typeOf(body)}${isOptional(route.body) ? ' | undefined' : ''}`};
  result: ${result};
};`;
  });
  const kinds = Object.entries(preparedArgs).map(([kind, schema]) => {
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' });
    return `${kind}: ${typeOf(json)};`;
  });
  // No answer of a route: the stream's.
  const shapes = { ...describeSchemas([], [VaultUpdate]).components, ...components.schemas };
  return [
    ...Object.entries(shapes).map(([name, schema]) => declarationOf(name, schema)),
    `/** The arguments of each change that can be prepared. */\nexport interface PreparedArgsByKind {\n${kinds.join('\n')}\n}`,
    helpers,
    `/** Every route, by its name. */\nexport interface Routes {\n${declared.join('\n')}\n}\n`,
  ].join('\n');
}
