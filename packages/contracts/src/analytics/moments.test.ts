import { expect, test } from '@jest/globals';
import { momentRoutes } from './moments.ts';

test('behavior: kinds of marks are a list with commas between, of those that there are', () => {
  const { query } = momentRoutes.analyticsMarks;
  expect(query.parse({ kinds: 'pause,guard' })).toEqual({ kinds: ['pause', 'guard'] });
  expect(query.parse({})).toEqual({});
  for (const kinds of ['', 'pause,', 'breach', 'pause guard']) expect(query.safeParse({ kinds }).success).toBe(false);
});
