import type { Route } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { createInputReader, parseParts } from './validate.ts';

const route = {
  params: z.strictObject({ id: z.string().optional() }),
  query: z.strictObject({ q: z.string().optional() }),
  body: z.strictObject({ note: z.string(), more: z.unknown().optional() }),
} as unknown as Route;
const parse = (raw: { params?: unknown; query?: unknown; body?: unknown }) => () =>
  parseParts(route, { params: {}, query: {}, body: { note: 'fine' }, ...raw });
const refusedAt = (path: string) =>
  expect.objectContaining({
    code: 'VALIDATION_FAILED',
    data: { errors: [{ path, message: 'must not hold control characters' }] },
  });

test.each([
  ['params.id', { params: { id: 'a\0b' } }],
  ['query.q', { query: { q: '\u0000' } }],
  ['query.q', { query: { q: 'line\nbreak' } }],
  ['body.note', { body: { note: '\u001b[31m' } }],
  ['body.more.0.deep', { body: { note: '', more: [{ deep: '\u0085' }] } }],
  ['body.more.a\u{fffd}', { body: { note: '', more: { 'a\0': 1 } } }],
])('error: a control character at %s is refused before anything is asked', (path, raw) => {
  let thrown: unknown;
  try {
    parse(raw)();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toEqual(refusedAt(path));
});

test('behavior: a body may hold lines and tabs', () => {
  expect(parse({ body: { note: 'one\n\ttwo\r\n' } })).not.toThrow();
});

test('error: a body that nests beyond any use is refused, however deep it is', () => {
  const nested = (depth: number) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown;
  expect(parse({ body: { note: '', more: nested(90) } })).not.toThrow();
  for (const depth of [101, 400_000])
    expect(parse({ body: { note: '', more: nested(depth) } })).toThrow('The request is malformed at body.');
});

describe('an answer is no larger for what was sent', () => {
  const refusalOf = (raw: Parameters<typeof parse>[0]) => {
    try {
      parse(raw)();
    } catch (error) {
      return error as { message: string; data: { errors: { path: string; message: string }[] } };
    }
    throw new Error('The request was taken.');
  };
  const long = 'k'.repeat(100_000);
  const bad = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`n${n}`, '\0']));

  test('error: a key is named by its beginning', () => {
    expect(refusalOf({ body: { note: 'fine', [long]: 1 } }).data.errors).toEqual([
      { path: `body.${'k'.repeat(100)}…`, message: 'is not a parameter of this route' },
    ]);
    const { message, data } = refusalOf({ body: { note: '', more: { [long]: bad } } });
    expect(data.errors).toHaveLength(20);
    expect(message.length).toBeLessThan(5000);
  });

  test('error: a path of many long keys ends after 500 characters', () => {
    let more: unknown = bad;
    for (let depth = 0; depth < 90; depth += 1) more = { ['k'.repeat(100)]: more };
    for (const { path } of refusalOf({ body: { note: '', more } }).data.errors)
      expect(path.length).toBeLessThanOrEqual(501);
  });

  test('error: of many faults 20 are named and the others counted, those of several parts together', () => {
    const unknown = (of: number) => Object.fromEntries(Array.from({ length: of }, (_, n) => [`x${n}`, '']));
    const { message, data } = refusalOf({ body: { note: 'fine', ...unknown(1000) } });
    expect(data.errors).toHaveLength(20);
    expect(message).toMatch(/body\.x19 and 980 more\.$/);
    const both = refusalOf({ query: unknown(15), body: { note: 'fine', ...unknown(15) } });
    expect(both.data.errors).toHaveLength(20);
    expect(both.message).toMatch(/body\.x4 and 10 more\.$/);
  });
});

describe('inputs that are remembered', () => {
  const counted = (method: 'GET' | 'POST') => {
    const toParams = jest.fn(({ query }: { query: unknown }) => query);
    const reader = createInputReader();
    const counting = { ...route, method, toParams } as unknown as Route;
    const read = (url: string, q: string) => reader(counting, { url, params: {}, query: { q }, body: { note: q } });
    return { read, toParams };
  };

  test('default: the same address of a GET is validated once, another one anew', () => {
    const { read, toParams } = counted('GET');
    expect([read('/a?q=1', '1'), read('/a?q=1', '1'), read('/a?q=2', '2')].map(({ params }) => params)).toEqual([
      { q: '1' },
      { q: '1' },
      { q: '2' },
    ]);
    expect(toParams).toHaveBeenCalledTimes(2);
  });

  test('behavior: what has a body, and an address of any length, is validated each time', () => {
    const post = counted('POST');
    for (const q of ['1', '2']) expect(post.read('/a', q).params).toEqual({ q });
    const get = counted('GET');
    for (const q of ['1', '2']) expect(get.read(`/a?${'x'.repeat(500)}`, q).params).toEqual({ q });
  });

  test('error: a refusal is not remembered', () => {
    const { read } = counted('GET');
    expect(() => read('/a', 'a\0b')).toThrow();
    expect(read('/a', 'b').params).toEqual({ q: 'b' });
  });
});
