import { type ErrorCode, errorCodes, Problem, type Route } from '@castellan/contracts';
import { z } from 'zod';
import { descriptionOf } from './descriptions.ts';

type Json = Record<string, unknown>;
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
/** Routes that look at an Idempotency-Key. */
const takesKey = ({ method, rate }: Route): boolean => method !== 'GET' && rate === 'api';

const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  return json;
};

const fieldsOf = (schema: z.ZodType): [string, Json, boolean][] => {
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, json]) => [name, json, required.includes(name)]);
};

const parametersOf = ({ params, query, method, rate }: Route): Json[] => [
  ...fieldsOf(params).map(([name, schema]) => ({ name, in: 'path', required: true, schema })),
  ...fieldsOf(query).map(([name, schema, required]) => ({ name, in: 'query', required, schema })),
  ...(method !== 'GET' && rate === 'api' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
];

/** Every code a route may answer. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const hasInput = route.body !== undefined || fieldsOf(route.params).length > 0 || fieldsOf(route.query).length > 0;
  return [
    ...new Set<ErrorCode>([
      ...(hasInput ? withInput : []),
      // What a write without a body is sent all the same is read, and refused as any other.
      ...(route.method === 'GET' ? [] : withBody),
      ...(takesKey(route) ? withKey : []),
      ...(route.auth === 'public' ? [] : withToken),
      ...(route.auth === 'bearer' ? withBearer : []),
      ...(descriptionOf(route).errors ?? []),
      ...everywhere,
    ]),
  ];
}

export const mediaOf = ({ media, otherMedia }: Route): readonly string[] => [media, ...otherMedia];

/** Every content type of a success answer. A file is read by its format: only as JSON has it a shape. */
function contentOf(route: Route): Json {
  const schema = schemaOf(route.result, 'output');
  if (route.otherMedia.length === 0) return { [route.media]: { schema } };
  return Object.fromEntries(
    mediaOf(route).map((media) => [media, { schema: media === 'application/json' ? {} : { type: 'string' } }]),
  );
}

function problemsOf(route: Route): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}`).join('. '),
        content: {
          'application/problem+json': {
            schema: {
              allOf: [{ $ref: '#/components/schemas/Problem' }, { properties: { code: { enum: codes } } }],
            },
          },
        },
      },
    ]),
  );
}

function successesOf(route: Route): Record<string, Json> {
  const statuses: Record<string, string> = { [route.status]: 'Done', ...descriptionOf(route).otherStatuses };
  return {
    ...Object.fromEntries(
      Object.entries(statuses).map(([status, description]) => [
        status,
        status === '204' ? { description } : { description, content: contentOf(route) },
      ]),
    ),
    ...(route.cache === 'none' ? {} : { 304: { description: 'Not changed since the ETag of If-None-Match' } }),
  };
}

/** For a scheme of type `http` the list names what a token must hold (OpenAPI 3.1, Security Requirement Object). */
const securityOf = ({ auth, scope }: Route): Json[] => {
  if (auth === 'public') return [];
  return auth === 'bearer' ? [{ bearer: [scope] }] : [{ bearer: [scope] }, {}];
};

const operationOf = (route: Route): Json => ({
  operationId: route.id,
  tags: [descriptionOf(route).tag],
  summary: descriptionOf(route).summary,
  security: securityOf(route),
  ...(route.auth === 'public' ? {} : { 'x-castellan-scope': route.scope }),
  parameters: parametersOf(route),
  ...(route.body
    ? {
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(route.body, 'input') } } },
      }
    : {}),
  responses: { ...successesOf(route), ...problemsOf(route) },
});

/** Describes the routes by the very schemas that validate them (OpenAPI 3.1, JSON Schema 2020-12). */
export function openApiDocument(routes: readonly Route[], publicUrl: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Castellan API',
      version: '1',
      description: 'Vaults and their curators: reads, live updates, prepared calls. Amounts are decimal strings.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: [...new Set(routes.map((route) => descriptionOf(route).tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'A token of scope `read`, `prepare` or `full`, each with what the one before it may do. It may be bound to one vault: ' +
            'other vaults are then refused, or shown as the public sees them.',
        },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description: 'The same key and request within 24 h get the first answer again.',
          schema: { type: 'string', maxLength: 255 },
        },
      },
      schemas: { Problem: schemaOf(Problem, 'output') },
    },
  };
}
