import { expect, test } from '@jest/globals';
import { patienceMs } from './patience.ts';

test('behavior: a transaction is offered more for several times before it is given up, and never before a minute', () => {
  expect(patienceMs(5, 12)).toBe(300_000);
  expect(patienceMs(5, 0.25)).toBe(60_000);
});
