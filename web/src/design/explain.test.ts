import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { explain } from './explain.ts';

test('default: a problem answer is said in its own words, with its request id', () => {
  const error = Object.assign(new Error('422 X: y'), {
    status: 422,
    code: 'MANAGER_ALREADY_EXISTS',
    detail: '0xabc is a secondary manager already.',
    request_id: 'req-1',
  });
  expect(explain(error)).toEqual({
    headline: 'The chain would refuse this',
    detail: '0xabc is a secondary manager already.',
    requestId: 'req-1',
    code: 'MANAGER_ALREADY_EXISTS',
  });
});

test('behavior: no connection, an unknown form, a wallet error and nothing at all each have words', () => {
  expect(explain(new TypeError('Failed to fetch')).headline).toBe('The server cannot be reached');
  expect(explain(z.string().safeParse(1).error).headline).toBe('The answer could not be read');
  expect(explain(Object.assign(new Error('long text'), { shortMessage: 'Short.' })).detail).toBe('Short.');
  expect(explain(undefined).detail).toBe('No reason was given.');
});
