import { Problem, type Route } from '@castellan/contracts';
import { type Answers, describeAnswers } from './answers.ts';
import { descriptionOf } from './descriptions.ts';
import { exampleLink } from './examples.ts';
import { introduction, tagDescriptions } from './introduction.ts';
import type { Json } from './json.ts';
import { noteOf } from './notes.ts';
import { describeParameters, type Parameters } from './parameters.ts';
import { ownErrorsOf } from './problems.ts';
import { type DescribedSchemas, describeSchemas } from './schemas.ts';

export type OpenApiDocument = {
  openapi: string;
  info: Json;
  servers: Json[];
  tags: Json[];
  security: Json[];
  paths: Record<string, Record<string, Json>>;
  components: Json;
};

type Described = {
  readonly schemas: DescribedSchemas;
  readonly parameters: Parameters;
  readonly answers: Answers;
  readonly publicUrl: string;
};

/**
 * That a token is needed is said once for all operations, and otherwise where it is not. Which scope it needs is an extension of the
 * operation: linters know scopes of OAuth only.
 */
const needsToken: Json[] = [{ bearer: [] }];
const securityOf = ({ auth }: Route): Json => {
  if (auth === 'bearer') return {};
  return { security: auth === 'public' ? [] : [...needsToken, {}] };
};

/** A list of an operation; without items nothing is said. */
const listed = (key: string, items: readonly unknown[]): Json => (items.length === 0 ? {} : { [key]: items });

const operationOf = (route: Route, { schemas, parameters, answers, publicUrl }: Described): Json => ({
  operationId: route.id,
  tags: [descriptionOf(route).tag],
  summary: descriptionOf(route).summary,
  description: noteOf(route),
  ...(route.deprecated === undefined ? {} : { deprecated: true }),
  ...securityOf(route),
  ...(route.auth === 'public' ? {} : { 'x-castellan-scope': route.scope }),
  ...listed('x-castellan-errors', ownErrorsOf(route)),
  ...listed('parameters', parameters.of(route)),
  ...(route.body
    ? { requestBody: { required: true, content: { 'application/json': { schema: schemas.sent(route.body) } } } }
    : {}),
  responses: answers.of(route),
  ...exampleLink(route.id, publicUrl),
});

/** Describes the routes by the very schemas that validate them (OpenAPI 3.1, JSON Schema 2020-12). */
export function openApiDocument(routes: readonly Route[], publicUrl: string): OpenApiDocument {
  const schemas = describeSchemas(routes, [Problem]);
  const parameters = describeParameters(routes, schemas);
  const answers = describeAnswers(routes, schemas, schemas.result(Problem));
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: operationOf(route, { schemas, parameters, answers, publicUrl }),
    };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Castellan API',
      version: '1',
      description: introduction,
      contact: { name: 'Who runs this installation', url: publicUrl },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(routes.map((route) => descriptionOf(route).tag))].map((name) => ({
      name,
      description: tagDescriptions[name],
    })),
    security: needsToken,
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token of scope `read`, `prepare` or `full`, each with what the one before it may do; `x-castellan-scope` of an operation is ' +
            'the least. It may be bound to one vault: other vaults are then refused, or shown as the public sees them.',
        },
      },
      parameters: parameters.components,
      responses: answers.components,
      schemas: schemas.components,
    },
  };
}
