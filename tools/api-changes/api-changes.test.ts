import { expect, test } from '@jest/globals';
import { lastRelease, mayBreak, presentDescription, versionNow } from './main.ts';
import { breaksBetween, goneUnannounced } from './operations.ts';
import type { Description, Json } from './shapes.ts';

const text: Json = { type: 'string' };
const operation = (more: Json = {}): Json => ({
  parameters: [{ name: 'limit', in: 'query', required: false, schema: text }],
  security: [{ bearer: [] }],
  requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
  responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Vault' } } } } },
  ...more,
});
const order: Json = {
  type: 'object',
  properties: { kind: { enum: ['buy', 'sell'] }, amount: { type: 'integer', maximum: 10 } },
  required: ['kind'],
  additionalProperties: false,
};
const vault: Json = {
  type: 'object',
  properties: {
    name: text,
    apy: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    inner: { $ref: '#/components/schemas/Vault' },
  },
  required: ['name', 'apy'],
};
const describe = (changed: { order?: Json; vault?: Json; operation?: Json } = {}): Description => ({
  paths: { '/orders': { post: operation(changed.operation) } },
  components: {
    parameters: {},
    schemas: { Order: { ...order, ...changed.order }, Vault: { ...vault, ...changed.vault } },
  },
});
const breaks = (changed: Parameters<typeof describe>[0]) => breaksBetween(describe(), describe(changed));

test('default: nothing has changed since the last release that breaks a caller, or the version says so', () => {
  const { version, description } = lastRelease();
  // node tools/api-changes/main.ts lists the breaks. Keep the old form beside the new one, or raise the version.
  const found = breaksBetween(description, presentDescription());
  expect(mayBreak(version, versionNow()) ? [] : found).toEqual([]);
  expect(goneUnannounced(description, presentDescription())).toEqual([]);
});

test('behavior: an operation may be gone in a version that breaks, where a release before said that it is deprecated', () => {
  const gone = { ...describe(), paths: {} };
  expect(goneUnannounced(describe(), gone)).toEqual(['POST /orders is gone and was never deprecated']);
  expect(goneUnannounced(describe({ operation: { deprecated: true } }), gone)).toEqual([]);
  expect(goneUnannounced(describe(), describe())).toEqual([]);
});

test('behavior: a read that no longer looks at an Idempotency-Key breaks nobody, a write does', () => {
  const key = { name: 'Idempotency-Key', in: 'header', required: false, schema: text };
  const [limit] = operation().parameters as Json[];
  const between = (scope: string) => {
    const form = (parameters: unknown) => describe({ operation: { parameters, 'x-castellan-scope': scope } });
    return breaksBetween(form([limit, key]), form([limit]));
  };
  expect(between('read')).toEqual([]);
  expect(between('full')).toEqual(['POST /orders: the parameter header Idempotency-Key is gone']);
});

test('behavior: what an answer gains and a request need not have breaks nobody', () => {
  const { properties } = vault as { properties: Json };
  expect(
    breaks({ vault: { properties: { ...properties, symbol: text }, required: ['name', 'apy', 'symbol'] } }),
  ).toEqual([]);
  const more = { ...(order.properties as Json), note: text, kind: { enum: ['buy', 'sell', 'hold'] } };
  expect(breaks({ order: { properties: more } })).toEqual([]);
});

test.each<[string, Parameters<typeof describe>[0], string]>([
  ['a field that is gone from an answer', { vault: { required: ['name'] } }, 'POST /orders 200.apy may be absent now'],
  [
    'a field that may be null',
    { vault: { properties: { ...(vault.properties as Json), name: { anyOf: [text, { type: 'null' }] } } } },
    'POST /orders 200.name: {"type":"null"} is answered now',
  ],
  [
    'another type',
    { vault: { properties: { ...(vault.properties as Json), name: { type: 'integer' } } } },
    'POST /orders 200.name: string is integer now',
  ],
  ['a field that is needed', { order: { required: ['kind', 'amount'] } }, 'POST /orders body.amount is needed now'],
  [
    'a field that is refused',
    { order: { properties: { kind: { enum: ['buy', 'sell'] } } } },
    'POST /orders body.amount is refused now',
  ],
  [
    'a value that is refused, and a lower limit',
    { order: { properties: { kind: { enum: ['buy'] }, amount: { type: 'integer', maximum: 9 } } } },
    'POST /orders body.kind: "sell" is no longer taken, POST /orders body.amount: its maximum is 9 now',
  ],
  ['a parameter that is gone', { operation: { parameters: [] } }, 'POST /orders: the parameter query limit is gone'],
  [
    'a parameter that is needed',
    { operation: { parameters: [{ name: 'limit', in: 'query', required: true, schema: text }] } },
    'POST /orders: the parameter query limit is needed now',
  ],
  ['another status', { operation: { responses: { 201: {} } } }, 'POST /orders: 200 is no longer answered'],
  [
    'a token of more scope',
    { operation: { 'x-castellan-scope': 'full' } },
    'POST /orders needs a token of more scope now',
  ],
])('error: %s', (_what, changed, sentence) => {
  expect(breaks(changed).join(', ')).toBe(sentence);
});

/** The same description, with what its operation says of tokens and answers said for all. */
const saidForAll = (answer: Json): Description => {
  const { security: _, ...others } = operation({ responses: { 200: { $ref: '#/components/responses/Vault' } } });
  const { components } = describe();
  return {
    security: [{ bearer: [] }],
    paths: { '/orders': { post: others } },
    components: { ...components, responses: { Vault: answer } },
  };
};
const vaultAnswer: Json = { content: { 'application/json': { schema: { $ref: '#/components/schemas/Vault' } } } };

test('behavior: what is said for all operations counts as what each says itself', () => {
  expect(breaksBetween(describe(), saidForAll(vaultAnswer))).toEqual([]);
  expect(breaksBetween(saidForAll(vaultAnswer), describe())).toEqual([]);
});

test('error: an answer for all operations loses its shape', () => {
  const text: Json = { content: { 'text/csv': { schema: { type: 'string' } } } };
  expect(breaksBetween(describe(), saidForAll(text))).toEqual(['POST /orders: application/json is no longer answered']);
});

/** The vault as another shape and what it has besides, behind another name. */
const upon = (base: Json, own: Json): Description => {
  const { components } = describe();
  const { paths } = describe();
  const Vault: Json = { $ref: '#/components/schemas/Named' };
  const Named: Json = { allOf: [{ $ref: '#/components/schemas/Base' }, own] };
  return { paths, components: { ...components, schemas: { ...components.schemas, Base: base, Named, Vault } } };
};
const { name: ofName, ...otherFields } = vault.properties as Record<string, Json>;
const named: Json = { type: 'object', properties: { name: ofName }, required: ['name'] };
const others: Json = { type: 'object', properties: otherFields, required: ['apy'] };

test('behavior: a shape may be said by another one', () => {
  expect(breaksBetween(describe(), upon(named, others))).toEqual([]);
  expect(breaksBetween(upon(named, others), describe())).toEqual([]);
});

test('error: the shape that another one is said by has changed', () => {
  expect(breaksBetween(describe(), upon({ ...named, required: [] }, others))).toEqual([
    'POST /orders 200.name may be absent now',
  ]);
  const gone = upon(named, { ...others, properties: { ...otherFields, apy: { type: 'string' } } });
  expect(breaksBetween(describe(), gone).join()).toContain('POST /orders 200.apy: ');
});

test('error: all operations need a token now', () => {
  const open = { ...saidForAll(vaultAnswer), security: [] };
  expect(breaksBetween(open, saidForAll(vaultAnswer))).toEqual(['POST /orders needs a token of more scope now']);
});

test('error: a path that is gone', () => {
  expect(breaksBetween(describe(), { ...describe(), paths: {} })).toEqual(['POST /orders is gone']);
});

test('behavior: the first number of a version may break callers, before 1.0.0 the second', () => {
  expect([mayBreak('0.1.0', '0.1.5'), mayBreak('0.1.0', '0.2.0')]).toEqual([false, true]);
  expect([mayBreak('1.4.0', '1.5.0'), mayBreak('1.4.0', '2.0.0')]).toEqual([false, true]);
});
