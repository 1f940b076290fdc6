import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { constantsIn, contractComments, target } from './contract-comments.ts';

test('default: what the API description takes from the comments of the contracts is up to date', () => {
  // node tools/contract-comments.ts writes it again.
  expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual(contractComments());
});

test('behavior: a field has its comment, in an object of a field too, and the docstring of its constant', () => {
  const [first] = constantsIn(`/**
 * A price, raw.
 * @example price
 */
export const Price = z.object({
  /** Base units, see {@link Usd}. */
  value: UintString,
  inner: z
    .object({
      /** UTC. */
      at: IsoTime,
    })
    .nullable(),
  plain: z.string(),
});
`);
  expect(first).toMatchObject({ name: 'Price', isExported: true });
  expect([...(first?.comments ?? [])]).toEqual([
    ['', 'A price, raw.'],
    ['value', 'Base units, see `Usd`.'],
    ['inner.at', 'UTC.'],
  ]);
});

test('behavior: fields that are spread into an answer, or extended, keep their comments', () => {
  const comments = contractComments();
  expect(comments['GetOverview.result.as_of']).toBe('The moment the figures are true for, chain time.');
  expect(comments['PreparedResource.post_condition.ok']).toBe('null until it is asked.');
});
