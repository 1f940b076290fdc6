import {
  type ErrorCode,
  errorCodes,
  Problem,
  type Route,
  takesFields,
  takesIdempotencyKey,
} from '@castellan/contracts';
import { z } from 'zod';
import { descriptionOf } from './descriptions.ts';
import { errorAdvice } from './error-advice.ts';
import { exampleLink } from './examples.ts';
import { introduction, tagDescriptions } from './introduction.ts';
import type { Json } from './json.ts';
import { noteOf } from './notes.ts';
import { describeParameters, type Parameters } from './parameters.ts';
import { type DescribedSchemas, describeSchemas } from './schemas.ts';

export type OpenApiDocument = {
  openapi: string;
  info: Json;
  servers: Json[];
  tags: Json[];
  paths: Record<string, Record<string, Json>>;
  components: Json;
};

/** Codes any route may answer. */
const everywhere: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'RATE_LIMITED',
  'INTERNAL',
  'SERVICE_UNAVAILABLE',
  'NOT_READY',
];
const withInput: readonly ErrorCode[] = ['VALIDATION_FAILED', 'ADDRESS_MALFORMED', 'ADDRESS_CHECKSUM'];
const withBody: readonly ErrorCode[] = ['MALFORMED_JSON', 'BODY_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED'];
const withToken: readonly ErrorCode[] = ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'];
const withBearer: readonly ErrorCode[] = ['TOKEN_MISSING', 'SCOPE_REQUIRED'];

const withKey: readonly ErrorCode[] = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'];
const hasFields = (schema: z.ZodType): boolean =>
  Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}).length > 0;

/** Every code a route may answer. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const hasInput = route.body !== undefined || takesFields(route) || hasFields(route.params) || hasFields(route.query);
  return [
    ...new Set<ErrorCode>([
      ...(hasInput ? withInput : []),
      // What a write without a body is sent all the same is read, and refused as any other.
      ...(route.method === 'GET' ? [] : withBody),
      ...(takesIdempotencyKey(route) ? withKey : []),
      ...(route.auth === 'public' ? [] : withToken),
      ...(route.auth === 'bearer' ? withBearer : []),
      ...(descriptionOf(route).errors ?? []),
      ...everywhere,
    ]),
  ];
}

export const mediaOf = ({ media, otherMedia }: Route): readonly string[] => [media, ...otherMedia];

/** Every content type of a success answer. A file is read by its format: only as JSON has it a shape. */
function contentOf(route: Route, { result }: DescribedSchemas): Json {
  if (route.otherMedia.length === 0) return { [route.media]: { schema: result(route.result) } };
  return Object.fromEntries(
    mediaOf(route).map((media) => [media, { schema: media === 'application/json' ? {} : { type: 'string' } }]),
  );
}

const problemNames: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  422: 'UnprocessableContent',
  428: 'PreconditionRequired',
  429: 'TooManyRequests',
  '5XX': 'ServerError',
};

/** What is not the caller's fault is stated together. */
const statusOf = (code: ErrorCode): string => {
  const { status } = errorCodes[code];
  return status < 500 ? String(status) : '5XX';
};

const nameOfProblem = (status: string): string => {
  const name = problemNames[status];
  if (name === undefined) throw new Error(`Problems of status ${status} have no name.`);
  return name;
};

/** One response for each status that operations answer, with all codes that it has. */
function problemResponses(routes: readonly Route[], problem: Json): Record<string, Json> {
  const byStatus = Map.groupBy(Object.keys(errorCodes) as ErrorCode[], statusOf);
  const answered = new Set(routes.flatMap(errorsOf).map(statusOf));
  return Object.fromEntries(
    [...byStatus]
      .filter(([status]) => answered.has(status))
      .map(([status, codes]) => [
        nameOfProblem(status),
        {
          description: codes.map((code) => `- \`${code}\`: ${errorCodes[code].title}. ${errorAdvice[code]}`).join('\n'),
          content: {
            'application/problem+json': { schema: { allOf: [problem, { properties: { code: { enum: codes } } }] } },
          },
        },
      ]),
  );
}

/** Statuses an operation refuses with. */
const problemsOf = (route: Route): Record<string, Json> =>
  Object.fromEntries(
    errorsOf(route)
      .map(statusOf)
      .map((status) => [status, { $ref: `#/components/responses/${nameOfProblem(status)}` }]),
  );

function successesOf(route: Route, schemas: DescribedSchemas): Record<string, Json> {
  const statuses: Record<string, string> = { [route.status]: 'Done', ...descriptionOf(route).otherStatuses };
  return {
    ...Object.fromEntries(
      Object.entries(statuses).map(([status, description]) => [
        status,
        status === '204' ? { description } : { description, content: contentOf(route, schemas) },
      ]),
    ),
    ...(route.cache === 'none' ? {} : { 304: { $ref: '#/components/responses/NotModified' } }),
  };
}

/** Which scope a token needs is an extension of the operation: linters know scopes of OAuth only. */
const securityOf = ({ auth }: Route): Json[] => {
  if (auth === 'public') return [];
  return auth === 'bearer' ? [{ bearer: [] }] : [{ bearer: [] }, {}];
};

const operationOf = (route: Route, schemas: DescribedSchemas, parameters: Parameters): Json => ({
  operationId: route.id,
  tags: [descriptionOf(route).tag],
  summary: descriptionOf(route).summary,
  description: noteOf(route),
  ...(route.deprecated === undefined ? {} : { deprecated: true }),
  security: securityOf(route),
  ...(route.auth === 'public' ? {} : { 'x-castellan-scope': route.scope }),
  'x-castellan-errors': descriptionOf(route).errors ?? [],
  parameters: parameters.of(route),
  ...(route.body
    ? { requestBody: { required: true, content: { 'application/json': { schema: schemas.sent(route.body) } } } }
    : {}),
  responses: { ...successesOf(route, schemas), ...problemsOf(route) },
});

/** Describes the routes by the very schemas that validate them (OpenAPI 3.1, JSON Schema 2020-12). */
export function openApiDocument(routes: readonly Route[], publicUrl: string): OpenApiDocument {
  const schemas = describeSchemas(routes, [Problem]);
  const parameters = describeParameters(routes, schemas);
  const problem = schemas.result(Problem);
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes)
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: {
        ...operationOf(route, schemas, parameters),
        ...exampleLink(route.id, publicUrl),
      },
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
      responses: {
        NotModified: { description: 'Not changed since the ETag of If-None-Match' },
        ...problemResponses(routes, problem),
      },
      schemas: schemas.components,
    },
  };
}
