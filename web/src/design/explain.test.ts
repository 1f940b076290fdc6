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

test('behavior: figures and dates in the words of the server are as on the pages', () => {
  const detail = 'The range ends after the last indexed block, 2026-01-01T00:00:00.000Z. The fee is at most 51 %.';
  expect(explain({ status: 400, code: 'BLOCK_IN_FUTURE', detail }).detail).toBe(
    'The range ends after the last indexed block, 1 Jan 2026, 00:00 UTC. The fee is at most 51%.',
  );
});

test('behavior: a session that ended is said in words for people, a refused signature in its own', () => {
  const refused = (code: string) =>
    explain({ status: 401, code, detail: 'A bearer token is required. Send the token in the Authorization header.' });
  for (const code of ['TOKEN_MISSING', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_REVOKED'])
    expect(refused(code)).toMatchObject({
      headline: 'Your session ended',
      detail: 'Sign in again to go on. What you see and typed stays.',
    });
  expect(refused('SIGNATURE_INVALID').detail).toContain('bearer token');
});

test('behavior: no connection, an unknown form, a wallet error and nothing at all each have words', () => {
  expect(explain(new TypeError('Failed to fetch')).headline).toBe('The server cannot be reached');
  for (const said of [
    'Failed to fetch dynamically imported module: http://x/assets/shapes-1.js',
    'error loading dynamically imported module: http://x/assets/shapes-1.js',
    'Importing a module script failed.',
  ])
    expect(explain(new TypeError(said)).headline).toBe('A part of the page did not load');
  expect(explain(z.string().safeParse(1).error).headline).toBe('The answer could not be read');
  expect(explain(Object.assign(new Error('long text'), { shortMessage: 'Short.' })).detail).toBe('Short.');
  expect(explain(undefined).detail).toBe('No reason was given.');
});
