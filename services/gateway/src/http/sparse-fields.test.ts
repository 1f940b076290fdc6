import { type Route, routes, takesFields } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { examples } from '../openapi/examples.ts';
import { fieldsIn, selected, selectionOf } from './sparse-fields.ts';

const asked = (result: z.ZodType, fields: unknown, answer: unknown) =>
  selected(answer, selectionOf({ result } as Route, fields));
const faultOf = (result: z.ZodType, fields: unknown): string => {
  try {
    selectionOf({ result } as Route, fields);
  } catch (error) {
    const { code, data } = error as { code: string; data: { errors: { path: string; message: string }[] } };
    expect([code, data.errors.map(({ path }) => path)]).toEqual(['VALIDATION_FAILED', ['query.fields']]);
    return data.errors[0]?.message ?? '';
  }
  return 'no fault';
};

const Figures = z.object({
  chain_id: z.int(),
  as_of: z.string(),
  quality: z.record(z.string(), z.string()),
  apy: z.object({ current: z.number(), d30: z.number() }).nullable(),
  tvl_usd: z.number(),
  points: z.array(z.object({ t: z.string(), up: z.number(), down: z.number() })),
});
const figures = {
  tvl_usd: 7,
  quality: { 'apy.d30': 'partial' },
  chain_id: 1,
  as_of: '2026-11-20T12:00:00Z',
  apy: { current: 0.05, d30: 0.04 },
  points: [
    { t: '1', up: 1, down: 2 },
    { t: '2', up: 3, down: 4 },
  ],
};
const always = { quality: {}, chain_id: 1, as_of: figures.as_of };

test('default: what is asked for, with where and when it is so and how far it can be trusted, in the order of the answer', () => {
  const some = asked(Figures, 'tvl_usd', figures);
  expect(some).toEqual({ tvl_usd: 7, ...always });
  expect(JSON.stringify(asked(Figures, 'apy,tvl_usd', figures))).toBe(
    JSON.stringify(asked(Figures, 'tvl_usd,apy', figures)),
  );
  expect(Object.keys(some as object)).toEqual(['tvl_usd', 'quality', 'chain_id', 'as_of']);
});

test('behavior: a name with a dot is a field of a field, and of each item of a list, which keeps what it is distinguished by', () => {
  expect(asked(Figures, 'apy.current,points.up', figures)).toEqual({
    ...always,
    apy: { current: 0.05 },
    points: [
      { t: '1', up: 1 },
      { t: '2', up: 3 },
    ],
  });
  expect(asked(Figures, 'apy.d30,apy.current', figures)).toMatchObject({ ...always, apy: figures.apy });
  expect(asked(Figures, 'apy.current', { ...figures, apy: null })).toEqual({ ...always, apy: null });
});

test('behavior: who asks for the whole and for a part of it gets the whole, in either order', () => {
  for (const fields of ['apy,apy.current', 'apy.current,apy'])
    expect(asked(Figures, fields, figures)).toEqual({ ...always, quality: figures.quality, apy: figures.apy });
});

test('behavior: quality is that of the figures that are sent, of a list by its places, of a part by its whole', () => {
  const quality = { 'apy.d30': 'partial', 'points.0.up': 'partial', 'points.1.down': 'partial', points: 'stale' };
  const kept = (fields: string) =>
    Object.keys((asked(Figures, fields, { ...figures, quality }) as typeof figures).quality);
  expect(kept('apy')).toEqual(['apy.d30']);
  expect(kept('apy.d30')).toEqual(['apy.d30']);
  expect(kept('apy.current')).toEqual([]);
  expect(kept('points.up')).toEqual(['points.0.up', 'points']);
  expect(kept('points')).toEqual(['points.0.up', 'points.1.down', 'points']);
  expect(kept('tvl_usd,quality')).toEqual(Object.keys(quality));
});

test('behavior: a quality that is no map of paths is sent as it is', () => {
  for (const quality of [null, 'good', ['good']])
    expect(asked(Figures, 'tvl_usd', { ...figures, quality })).toMatchObject({ quality });
});

test('behavior: receipts that were asked for are those of the figures that are sent', () => {
  const { answer } = examples.analyticsOverview as { answer: Record<string, object> };
  const some = asked(routes.analyticsOverview.result, 'apy.d30,tvl_usd', answer) as Record<string, object>;
  expect(Object.keys(answer.receipts as object).length).toBeGreaterThan(10);
  expect(Object.keys(some.receipts as object)).toEqual(['apy.d30', 'tvl_usd']);
});

test('behavior: an answer that is a list gives the fields of each item', () => {
  const list = z.array(z.object({ chain_id: z.int(), name: z.string(), symbol: z.string() }));
  expect(asked(list, 'symbol', [{ chain_id: 1, name: 'A', symbol: 'a' }])).toEqual([{ chain_id: 1, symbol: 'a' }]);
});

test('behavior: a page keeps what leads to the next one', () => {
  const Page = z.object({
    rows: z.array(z.object({ id: z.string(), note: z.string(), total: z.int() })),
    total: z.int(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  });
  const page = { rows: [{ id: 'a', note: 'n', total: 1 }], total: 9, has_more: true, next_cursor: 'c' };
  expect(asked(Page, 'rows.note', page)).toEqual({ ...page, rows: [{ id: 'a', note: 'n' }] });
});

test('behavior: of shapes that may be one or the other the fields of both are known', () => {
  const Either = z.object({ mode: z.union([z.object({ a: z.int(), kind: z.string() }), z.object({ b: z.int() })]) });
  expect(asked(Either, 'mode.b', { mode: { b: 1 } })).toEqual({ mode: { b: 1 } });
  expect(asked(Either, 'mode.a', { mode: { a: 1, kind: 'x' } })).toEqual({ mode: { a: 1 } });
});

test.each([
  ['prise', 'the answer has no field "prise"; it has chain_id, as_of, quality, apy, tvl_usd, points'],
  ['apy.d90', '"apy" has no field "d90"; it has current, d30'],
  ['points.sideways', '"points" has no field "sideways"; it has t, up, down'],
  ['tvl_usd.whole', '"tvl_usd" has no fields of its own; ask for it whole'],
  ['quality.apy', '"quality" has no fields of its own; ask for it whole'],
  ['toString', 'the answer has no field "toString"; it has chain_id, as_of, quality, apy, tvl_usd, points'],
  ['__proto__', 'the answer has no field "__proto__"; it has chain_id, as_of, quality, apy, tvl_usd, points'],
  ['', 'must be names with commas between, such as name,apy.current'],
  ['tvl_usd,', 'must be names with commas between, such as name,apy.current'],
  ['tvl_usd, apy', 'must be names with commas between, such as name,apy.current'],
  ['apy.current.x', 'must be names with commas between, such as name,apy.current'],
  ['tvl_usd\n', 'must be names with commas between, such as name,apy.current'],
  [['apy', 'tvl_usd'], 'must be given once and have at most 2000 characters'],
  [`apy${',apy'.repeat(500)}`, 'must be given once and have at most 2000 characters'],
])('error: fields=%j', (fields, message) => {
  expect(faultOf(Figures, fields)).toBe(message);
});

const selecting = (Object.values(routes) as unknown as Route[]).filter(takesFields);

test('behavior: every answer of which fields can be asked for has some, and an example has no field that is not known', () => {
  expect(selecting.length).toBeGreaterThan(60);
  for (const { id, result } of selecting) {
    const { shapes } = fieldsIn(result);
    expect([id, shapes.size > 0]).toEqual([id, true]);
    const answer = [examples[id]?.answer ?? []].flat()[0] ?? {};
    expect([id, Object.keys(answer).filter((name) => !shapes.has(name))]).toEqual([id, []]);
  }
});

test('behavior: all fields together are the whole answer, and any of them are as in it', () => {
  for (const { id, result } of selecting) {
    const answer = examples[id]?.answer;
    if (answer === undefined) continue;
    const names = [...fieldsIn(result).shapes.keys()];
    expect(JSON.stringify(asked(result, names.join(','), answer))).toBe(JSON.stringify(answer));
    fc.assert(
      fc.property(fc.subarray(names, { minLength: 1 }), (some) => {
        const [one] = [asked(result, some.join(','), answer)].flat() as Record<string, unknown>[];
        const [whole = {}] = [answer].flat() as Record<string, unknown>[];
        for (const [name, value] of Object.entries(one ?? {}))
          if (some.includes(name) || !['quality', 'receipts'].includes(name)) expect(value).toEqual(whole[name]);
        for (const name of some) expect(name in (one ?? {})).toBe(one !== undefined && name in whole);
      }),
      { numRuns: 10, seed: 1 },
    );
  }
});

test('behavior: what says how far a field inside of another can be trusted stays beside it', () => {
  const Tree = z.object({ data: z.object({ root_hash: z.string(), is_stale: z.boolean(), leaves: z.int() }) });
  const answer = { data: { root_hash: '0x1', is_stale: true, leaves: 3 } };
  expect(asked(Tree, 'data.root_hash', answer)).toEqual({ data: { root_hash: '0x1', is_stale: true } });
});
