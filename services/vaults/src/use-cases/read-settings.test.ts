import { expect, test } from '@jest/globals';
import { costPerDay } from './read-settings.ts';

const day = 86_400n;
const paid = (...amounts: string[]) => amounts.map((amount) => ({ args: { amount } }));

test.each([
  ['nothing was paid', [], 0n, 7n * day, null],
  ['a week of payments', ['70', '70'], 0n, 7n * day, 20n],
  ['a vault of two days', ['3', '4'], 5n * day, 7n * day, 4n],
  ['a vault of this very block', ['2'], 9n, 9n, 172_800n],
])('behavior: the cost of a day, rounded up, of %s', (_what, amounts, since, chainTime, cost) => {
  expect(costPerDay(paid(...amounts), { since, chainTime })).toBe(cost);
});
