import { expect, test } from '@jest/globals';
import { leastOut } from './clamp.ts';

test('default: the least is what is expected less the slippage, rounded down', () => {
  expect(leastOut(1_000n, 50)).toBe(995n);
  expect(leastOut(999n, 5_000)).toBe(499n);
});

test('error: something must come out, however much may be lost', () => {
  expect(leastOut(1_000n, 10_000)).toBe(1n);
  expect(leastOut(1n, 50)).toBe(1n);
});
