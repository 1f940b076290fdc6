import { expect, test } from '@jest/globals';
import { errorCodes } from './errors.ts';
import { retryableCodes } from './retryable-codes.ts';

const all = Object.entries(errorCodes);

test('default: they are those that errorCodes calls retryable', () => {
  expect([...retryableCodes].sort()).toEqual(
    all
      .filter(([, { retryable }]) => retryable)
      .map(([code]) => code)
      .sort(),
  );
});

test('behavior: what is answered for a while only is retryable, so that a client may go by the status of a code it does not know', () => {
  for (const [code, { status, retryable }] of all)
    if ([429, 502, 503, 504].includes(status)) expect([code, retryable]).toEqual([code, true]);
});
