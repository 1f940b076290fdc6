import { type ErrorCode, errorCodes, type Route, takesFields, takesIdempotencyKey } from '@castellan/contracts';
import { z } from 'zod';
import type { RoleRule } from './description.ts';
import { descriptionOf } from './descriptions.ts';
import { errorAdvice } from './error-advice.ts';
import type { Json } from './json.ts';
import { referenceTo } from './shapes.ts';

/** The fields of a part of a request, each with whether it must be there. */
function fieldsOf(schema: z.ZodType | undefined): ReadonlyMap<string, boolean> {
  if (schema === undefined) return new Map();
  const known = fieldsBySchema.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const fields = new Map(Object.keys(properties).map((name) => [name, required.includes(name)]));
  fieldsBySchema.set(schema, fields);
  return fields;
}
const fieldsBySchema = new WeakMap<z.ZodType, ReadonlyMap<string, boolean>>();
const hasFields = (schema: z.ZodType): boolean => fieldsOf(schema).size > 0;
const namesVault = ({ params, query, body }: Route): boolean =>
  [params, query, body].map(fieldsOf).some((fields) => fields.get('chain_id') && fields.get('vault_address'));
const hasParameter = (name: string) => (route: Route) => fieldsOf(route.query).has(name);
const rolesOnVault: ReadonlySet<RoleRule> = new Set(['viewer', 'secondary', 'primary']);

/** Codes that all operations of a kind may answer, and which operations these are. */
const common: readonly { readonly of: string; readonly has: (route: Route) => boolean; codes: readonly ErrorCode[] }[] =
  [
    {
      of: 'Every operation',
      has: () => true,
      codes: ['BAD_REQUEST', 'ANSWER_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL', 'SERVICE_UNAVAILABLE', 'NOT_READY'],
    },
    {
      of: 'one with parameters or a body',
      has: (route) =>
        route.body !== undefined || takesFields(route) || hasFields(route.params) || hasFields(route.query),
      codes: ['VALIDATION_FAILED', 'ADDRESS_MALFORMED', 'ADDRESS_CHECKSUM'],
    },
    {
      // What a write without a body is sent all the same is read, and refused as any other.
      of: 'a write',
      has: ({ method }) => method !== 'GET',
      codes: ['MALFORMED_JSON', 'BODY_TOO_LARGE', 'MEDIA_TYPE_UNSUPPORTED'],
    },
    {
      of: 'one with an Idempotency-Key',
      has: takesIdempotencyKey,
      codes: ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'],
    },
    {
      of: 'one that reads a token',
      has: ({ auth }) => auth !== 'public',
      codes: ['TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'],
    },
    { of: 'one that needs a token', has: ({ auth }) => auth === 'bearer', codes: ['TOKEN_MISSING', 'SCOPE_REQUIRED'] },
    {
      of: 'one that needs a role on the vault',
      has: (route) => rolesOnVault.has(descriptionOf(route).role),
      codes: ['ROLE_REQUIRED'],
    },
    {
      of: 'one that names a vault by `chain_id` and `vault_address`',
      has: namesVault,
      codes: ['VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND'],
    },
    { of: 'one with `at` and `block`', has: hasParameter('at'), codes: ['BLOCK_IN_FUTURE', 'BEFORE_CREATION'] },
    { of: 'one with `force`', has: hasParameter('force'), codes: ['WOULD_REVERT'] },
    {
      of: 'one with `force` that needs a role on the vault',
      has: (route) => hasParameter('force')(route) && rolesOnVault.has(descriptionOf(route).role),
      codes: ['STEP_UP_REQUIRED'],
    },
  ];

const commonOf = (route: Route): readonly ErrorCode[] =>
  common.filter(({ has }) => has(route)).flatMap(({ codes }) => codes);

/** Which codes operations have by their kind, in words. */
export const commonInWords: string = `${common
  .map(({ of, codes }) => `${of}: ${codes.map((code) => `\`${code}\``).join(', ')}`)
  .join('; ')}.`;

/** What a route answers beside the codes of its kind. */
export function ownErrorsOf(route: Route): ErrorCode[] {
  const known = commonOf(route);
  return [...new Set(descriptionOf(route).errors ?? [])].filter((code) => !known.includes(code));
}

/** Every code a route may answer. */
export const errorsOf = (route: Route): readonly ErrorCode[] => [...commonOf(route), ...ownErrorsOf(route)];

const adviceOf = (code: ErrorCode): string => `- \`${code}\`: ${errorCodes[code].title}. ${errorAdvice[code]}`;

/** Codes in words, below their status. */
function codesInWords(codes: readonly ErrorCode[]): string {
  const byStatus = [...Map.groupBy(codes, (code) => errorCodes[code].status)].sort(([a], [b]) => a - b);
  return byStatus.map(([status, of]) => `**${status}**\n\n${of.map(adviceOf).join('\n')}`).join('\n\n');
}

const isFault = (code: ErrorCode): boolean => errorCodes[code].status >= 500;

/** Two answers for all operations: what the caller can mend, and what is not the caller's fault. Each has every code with its status. */
export function problemResponses(problem: Json): Record<'Refused' | 'Failed', Json> {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const code = referenceTo('ErrorCode');
  const responseOf = (of: readonly ErrorCode[]): Json => ({
    description: codesInWords(of),
    content: { 'application/problem+json': { schema: { allOf: [problem, { properties: { code } }] } } },
  });
  return {
    Refused: responseOf(codes.filter((code) => !isFault(code))),
    Failed: responseOf(codes.filter(isFault)),
  };
}

/** What an operation answers when it does not do what it was asked for. */
export const problemsOfOperation: Readonly<Record<string, Json>> = {
  '4XX': { $ref: '#/components/responses/Refused' },
  '5XX': { $ref: '#/components/responses/Failed' },
};
