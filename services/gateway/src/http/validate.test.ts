import type { Route } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { parseParts } from './validate.ts';

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
