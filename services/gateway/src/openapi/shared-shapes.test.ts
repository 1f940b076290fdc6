import { expect, test } from '@jest/globals';
import { shareShapes } from './shared-shapes.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };
const object = (fields: object, more: object = {}) => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
  ...more,
});
const four = { a: text, b: text, c: text, d: text };
const longer = { first_word: text, second_word: text, third_word: text };

test('default: an object that holds all fields of another shape is said by it', () => {
  const { Holder } = shareShapes(
    { Base: object(four), Holder: object({ ...four, e: text }, { description: 'More.' }) },
    {},
  );
  expect(Holder).toEqual({ description: 'More.', allOf: [ref('Base'), object({ e: text })] });
});

test('behavior: a base that no shape is said by is none, and neither is what only it refers to', () => {
  const bases = {
    Answer: object(four),
    Series: object({ ...four, count: { type: 'integer', description: 'How many.' } }),
  };
  expect(Object.keys(shareShapes({ Other: object({ a: text }) }, bases))).toEqual(['Other']);
  const shared = shareShapes({ Other: object({ ...four, z: text }) }, bases);
  expect(Object.keys(shared)).toEqual(['Answer', 'Other']);
  expect(shared.Other).toEqual({ allOf: [ref('Answer'), object({ z: text })] });
});

test.each<[string, object]>([
  ['it needs another field', object({ ...four, e: text }, { required: ['a', 'b', 'c', 'e'] })],
  ['a field is another one', object({ ...four, d: { type: 'integer' }, e: text })],
  ['it refuses other fields', object({ ...four, e: text }, { additionalProperties: false })],
])('error: an object is not said by another one where %s', (_why, holder) => {
  expect(shareShapes({ Base: object(four), Holder: holder as Record<string, unknown> }, {}).Holder).toEqual(holder);
});

test('error: a request that refuses other fields is no base of another shape', () => {
  const shapes = { Base: object(four, { additionalProperties: false }), Holder: object({ ...four, e: text }) };
  expect(shareShapes(shapes, {})).toEqual(shapes);
});

test('behavior: shapes of the same content refer to the one with the shortest name, and keep their words', () => {
  const closed = { additionalProperties: false };
  const shared = shareShapes(
    { ResumeBody: object(longer, { description: 'Again.', ...closed }), StopBody: object(longer, closed) },
    {},
  );
  expect(shared.ResumeBody).toEqual({ description: 'Again.', ...ref('StopBody') });
  expect(shared.StopBody).toEqual(object(longer, closed));
});

test('behavior: an object at several places is named after the shortest way to it', () => {
  const inner = object(longer);
  const about = { description: 'Of the second.' };
  const shapes = {
    Vault: object({ last_pause: inner }),
    AllVaults: object({ vaults: { type: 'array', items: { ...inner, ...about } } }),
  };
  const shared = shareShapes(shapes, {});
  expect(shared.VaultLastPause).toEqual(inner);
  expect(shared.Vault).toEqual(object({ last_pause: ref('VaultLastPause') }));
  expect(shared.AllVaults).toEqual(
    object({ vaults: { type: 'array', items: { ...about, ...ref('VaultLastPause') } } }),
  );
});

test('behavior: two objects with the same way to them do not get one name', () => {
  const one = object(longer);
  const other = object({ ...longer, fourth_word: text });
  const both = { anyOf: [one, other] };
  const shapes = { Vault: object({ words: both }), AllVaults: object({ words: both, more: text }) };
  const shared = shareShapes(shapes, {});
  expect(shared.Vault).toEqual(object({ words: { anyOf: [ref('VaultWords'), ref('AllVaultsWords')] } }));
  expect([shared.VaultWords, shared.AllVaultsWords]).toEqual([one, other]);
});

test('behavior: an object that is a shape already refers to it, even once', () => {
  const shared = shareShapes({ Words: object(longer), Vault: object({ words: object(longer) }) }, {});
  expect(shared).toEqual({ Words: object(longer), Vault: object({ words: ref('Words') }) });
});

test('behavior: what may be null has a name from the fifth place on', () => {
  const orNull = { anyOf: [ref('Amount'), { type: 'null' }] };
  const fields = { a: orNull, b: orNull, c: orNull, d: orNull };
  const rare = { Amount: text, Vault: object(fields) };
  expect(shareShapes(rare, {})).toEqual(rare);
  const often = shareShapes({ Amount: text, Vault: object({ ...fields, e: { ...orNull, description: 'Why.' } }) }, {});
  expect(often.AmountOrNull).toEqual(orNull);
  expect((often.Vault as { properties: object }).properties).toMatchObject({
    a: ref('AmountOrNull'),
    e: { description: 'Why.', ...ref('AmountOrNull') },
  });
});

test('behavior: a number of which only the unit is known has the name of the unit, others say themselves what they are', () => {
  const block = { type: 'integer', description: 'The number of a block.' };
  const own = { type: 'integer', description: 'The block of the deposit.' };
  const shared = shareShapes({ Vault: object({ block, own }) }, {});
  expect(shared).toEqual({ BlockNumber: block, Vault: object({ block: ref('BlockNumber'), own }) });
});
