import {
  type Action,
  AppError,
  type ErrorCode,
  errorCodes,
  Problem,
  type Route,
  routes,
  takesFields,
} from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { fieldsIn } from '../../services/gateway/src/http/sparse-fields.ts';
import { descriptionOf } from '../../services/gateway/src/openapi/descriptions.ts';
import { openApiDocument } from '../../services/gateway/src/openapi/document.ts';
import { errorsOf } from '../../services/gateway/src/openapi/problems.ts';
import { vaultAddress } from '../../services/gateway/test/a-vault.ts';
import { aToken, publicJwk, startTestGateway, type TestGateway } from '../../services/gateway/test/harness.ts';
import { hostile, type JsonSchema, valuesOf } from './from-schema.ts';

/** `npm run fuzz -- 100000` sets it, and tries new requests each time; here they are always the same. */
const asked = Number(process.env.FUZZ_RUNS ?? 0);
const settings = asked > 0 ? { numRuns: asked } : { numRuns: 2_000, seed: 9 };
const hangMs = 60_000;
jest.setTimeout(300_000 + settings.numRuns * 100);

const allRoutes = Object.values(routes) as unknown as readonly Route[];
const { paths, components } = openApiDocument(allRoutes, 'http://127.0.0.1:8080');
const schemaOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;

/** What a service may refuse a request with, as the description of its route states it: other routes of its action state others. */
const refusalsOf = (route: Route): ErrorCode[] =>
  (descriptionOf(route).errors ?? []).filter((code) => errorCodes[code].status < 500);
let refusals: readonly ErrorCode[] = [];

const results = new Map<string, readonly unknown[]>();
let answerSeed = 0;

/** Services that check their params as all do, and then answer anything their contract allows, or refuse. */
const callAction: CallAction = async <A extends Action>(action: A, params: unknown) => {
  // Its answers hold JSON of other contracts as text: those are fuzzed as what they are.
  if (action.name === 'v1.vaults.readTogether')
    throw new AppError('SERVICE_UNAVAILABLE', 'Nobody serves it.', { cause: { type: 'SERVICE_NOT_FOUND' } });
  if (action.name === 'v1.auth.jwks') return { keys: [publicJwk] } as z.output<A['result']>;
  if (!action.params.safeParse(params).success) throw new AppError('VALIDATION_FAILED', 'The params are malformed.');
  const values =
    results.get(action.name) ?? fc.sample(valuesOf(schemaOf(action.result, 'output'), 0), { numRuns: 12, seed: 9 });
  results.set(action.name, values);
  const chosen = values[Math.abs(answerSeed) % values.length];
  // Of what comes in parts each is the last: services end what they begin.
  const value = typeof chosen === 'object' && chosen !== null && 'next' in chosen ? { ...chosen, next: null } : chosen;
  const result = action.result.safeParse(value);
  if (result.success) return result.data as z.output<A['result']>;
  throw new AppError(refusals[Math.abs(answerSeed) % refusals.length] ?? 'RATE_LIMITED', 'Refused.');
};

let gateway: TestGateway;
let tokens: Record<'none' | 'malformed' | 'full' | 'read' | 'bound', string | undefined>;
beforeAll(async () => {
  const much = 1_000_000;
  gateway = await startTestGateway({
    callAction,
    config: {
      rates: { apiPerSecond: much, apiBurst: much, preparePerSecond: much, idpPerMinute: much, networkMultiple: 5 },
    },
  });
  tokens = {
    none: undefined,
    malformed: 'Bearer a.b.c',
    full: `Bearer ${await aToken()}`,
    read: `Bearer ${await aToken({ claims: { scope: 'castellan:read' } })}`,
    bound: `Bearer ${await aToken({ claims: { castellan_vault: `31337:${vaultAddress}` } })}`,
  };
});
afterAll(() => gateway.stop());

/** A value as it stands in a path or query; an empty one, or one that names a folder, would be another path. */
const written = (value: unknown): string => {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
  return ['', '.', '..'].includes(text) ? 'x' : encodeURIComponent(text);
};
const asRecord = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;

type Shot = {
  route: Route;
  url: string;
  body: string | undefined;
  media: string;
  token: keyof typeof tokens;
  seed: number;
  key: string | undefined;
};

const made = new Map<z.ZodType, Map<number, fc.Arbitrary<unknown>>>();
/** Made once: to read a schema takes longer than to make a value of it. */
function inputsOf(schema: z.ZodType, hostility: number): fc.Arbitrary<unknown> {
  const byHostility = made.get(schema) ?? new Map<number, fc.Arbitrary<unknown>>();
  const arbitrary = byHostility.get(hostility) ?? valuesOf(schemaOf(schema, 'input'), hostility);
  made.set(schema, byHostility.set(hostility, arbitrary));
  return arbitrary;
}

/** Fields of the answer, of its fields, and what is none; most often nothing. */
function fieldsOf(route: Route): fc.Arbitrary<unknown> {
  if (!takesFields(route)) return fc.constant(undefined);
  const { shapes } = fieldsIn(route.result);
  const inner = [...shapes].flatMap(([name, shape]) =>
    [...fieldsIn(shape).shapes.keys()].map((each) => `${name}.${each}`),
  );
  const known = fc
    .uniqueArray(fc.constantFrom(...shapes.keys(), ...inner), { minLength: 1, maxLength: 5 })
    .map((names) => names.join(','));
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: known },
    { weight: 1, arbitrary: fc.tuple(known, hostile).map(([names, other]) => `${names},${JSON.stringify(other)}`) },
    { weight: 1, arbitrary: hostile },
  );
}

const shotsAt = (route: Route): fc.Arbitrary<Shot> =>
  fc
    .record({
      hostility: fc.constantFrom(0, 0, 5, 25),
      seed: fc.integer(),
      token: fc.constantFrom<keyof typeof tokens>('none', 'malformed', 'full', 'full', 'full', 'read', 'bound'),
      media: fc.constantFrom(
        ...Array.from({ length: 9 }, () => 'application/json'),
        'text/plain',
        'application/xml; q',
      ),
      key: fc.option(fc.constantFrom('k', 'a b', 'k'.repeat(300)), { nil: undefined, freq: 5 }),
      broken: fc.constantFrom(...Array.from({ length: 9 }, () => ''), '{', '[', '"\\u', '{"a":1,}'),
    })
    .chain(({ hostility, seed, token, media, key, broken }) => {
      const at = (schema: z.ZodType) => inputsOf(schema, hostility);
      const sent = route.body ? at(route.body) : fc.option(hostile, { nil: undefined, freq: 3 });
      return fc
        .tuple(at(route.params), at(route.query), sent, fieldsOf(route))
        .map(([params, asked, body, fields]): Shot => {
          const query = fields === undefined ? asked : { ...asRecord(asked), fields };
          const named = asRecord(params);
          const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => written(named[name] ?? 'x'));
          const search = Object.entries(asRecord(query)).map(([name, value]) => `${written(name)}=${written(value)}`);
          const url = search.length === 0 ? path : `${path}?${search.join('&')}`;
          const isBodiless = route.method === 'GET' || body === undefined;
          return { route, url, token, media, seed, key, body: isBodiless ? undefined : broken || JSON.stringify(body) };
        });
    });

async function answerTo({ route, url, body, media, token, seed, key }: Shot) {
  answerSeed = seed;
  refusals = refusalsOf(route);
  const authorization = tokens[token];
  const answer = await gateway.http.inject({
    method: route.method,
    url,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': media }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { payload: body }),
    payloadAsStream: true,
  });
  const stream = answer.stream();
  if (`${answer.headers['content-type']}`.startsWith('text/event-stream')) {
    // It stays open by its nature; that it begins is the answer.
    stream.destroy();
    return { status: answer.statusCode, type: 'text/event-stream', text: '' };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { status: answer.statusCode, type: `${answer.headers['content-type']}`, text: `${Buffer.concat(chunks)}` };
}

/** The answer, or that none came. */
async function answered(shot: Shot) {
  let timer: NodeJS.Timeout | undefined;
  // biome-ignore lint/plugin: what does not come cannot be waited for
  const hangs = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('No answer came.')), hangMs);
  });
  return Promise.race([answerTo(shot), hangs]).finally(() => clearTimeout(timer));
}

type Response = { content?: Readonly<Record<string, unknown>> };
type Responses = Readonly<Record<string, Response & { $ref?: string }>>;
/** What the description states of a status. */
function statedOf({ path, method }: Route, status: number): Response | undefined {
  const operation = paths[path]?.[method.toLowerCase()] as { responses: Responses } | undefined;
  const stated = operation?.responses[status < 400 ? status : `${Math.floor(status / 100)}XX`];
  const name = stated?.$ref?.split('/').at(-1);
  return name === undefined ? stated : (components.responses as Responses)[name];
}

test('behavior: no request makes an error of ours, a malformed problem or a hang, and every status and media type is a stated one', async () => {
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(fc.constantFrom(...allRoutes).chain(shotsAt), async (shot) => {
    const { status, type, text } = await answered(shot);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const stated = statedOf(shot.route, status);
    expect([status, stated !== undefined]).toEqual([status, true]);
    expect(status).toBeLessThan(500);
    const media = type.split(';')[0] as string;
    if (text !== '' || stated?.content) expect(Object.keys(stated?.content ?? {})).toContain(media);
    // A body that is not JSON is read by nobody, whatever the route.
    if (shot.body !== undefined && shot.media !== 'application/json') expect([401, 415]).toContain(status);
    if (status < 400) return;
    expect(media).toBe('application/problem+json');
    const problem = Problem.parse(JSON.parse(text));
    expect(problem.status).toBe(status);
    const refused = errorsOf(shot.route).map((code) => errorCodes[code].status);
    expect([shot.route.id, refused]).toEqual([shot.route.id, expect.arrayContaining([status])]);
    expect(errorCodes[problem.code as ErrorCode].status).toBe(status);
  });
  await fc.assert(property, { ...settings, endOnFailure: true });
  // That the requests reach all the way down is what makes the rest worth saying.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(settings.numRuns / 20);
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 415]));
});
