import { expect, test } from '@jest/globals';
import { onlyEmpty, registerTrustedTypes } from './trusted-types.ts';

test('default: the one policy is the default one, which has nothing for scripts', () => {
  const created: [string, object][] = [];
  registerTrustedTypes({ trustedTypes: { createPolicy: (...policy) => created.push(policy) } });
  expect(created).toEqual([['default', onlyEmpty]]);
  expect(Object.keys(onlyEmpty)).toEqual(['createHTML']);
});

test('behavior: an element may be emptied, and no markup is let through', () => {
  expect(onlyEmpty.createHTML('')).toBe('');
  for (const markup of [' ', 'text', '<b>bold</b>', '<img src=x onerror=alert(1)>', '<script></script>'])
    expect(onlyEmpty.createHTML(markup)).toBeNull();
});

test('behavior: a browser without Trusted Types goes on without a policy', () => {
  expect(() => registerTrustedTypes({})).not.toThrow();
});
