import { expect, test } from '@jest/globals';
import { loadConfig } from './config.ts';

const key = { NOTIFICATIONS_KEY: '7'.repeat(64) };
const trustedBy = (text: string) =>
  loadConfig({ ...key, NOTIFICATIONS_TRUSTED_ORIGINS: text }).notifications.trustedOrigins;

test('default: no origin of one’s own network is trusted', () => {
  expect(loadConfig(key).notifications.trustedOrigins).toEqual([]);
});

test('behavior: origins are read as a URL has them: lower case, without the usual port', () => {
  expect(trustedBy('http://127.0.0.1:8090, HTTPS://Hooks.Internal:443/')).toEqual([
    'http://127.0.0.1:8090',
    'https://hooks.internal',
  ]);
});

test.each([
  '127.0.0.1',
  'localhost:8090',
  'ftp://10.0.0.1',
  'http://10.0.0.1/path',
  'http://a@10.0.0.1',
  'http://',
  'null',
  'http://10.0.0.1,',
])('error: %s is no origin', (text) => {
  expect(() => trustedBy(text)).toThrow(/NOTIFICATIONS_TRUSTED_ORIGINS/);
});

test('error: without the key that seals channels nothing starts', () => {
  expect(() => loadConfig({})).toThrow(/NOTIFICATIONS_KEY: is required/);
});
