import { expect, test } from '@jest/globals';
import { loadConfig } from './config.ts';

const production = {
  NODE_ENV: 'production',
  NATS_URL: 'nats://127.0.0.1:4222',
  MONGODB_URI: 'mongodb://127.0.0.1:27017',
  PUBLIC_URL: 'https://app.example.org',
};

test('default: nobody is believed who forwards for others', () => {
  expect(loadConfig(production).http.trustProxy).toBe(false);
});

test('behavior: a proxy is named by its address, or by how many there are', () => {
  expect(loadConfig({ ...production, TRUST_PROXY: '172.30.0.1' }).http.trustProxy).toBe('172.30.0.1');
  expect(loadConfig({ ...production, TRUST_PROXY: '2' }).http.trustProxy).toBe(2);
});

test('error: in production nobody is believed without being named', () => {
  expect(() => loadConfig({ ...production, TRUST_PROXY: 'true' })).toThrow(/TRUST_PROXY/);
  expect(loadConfig({ ...production, NODE_ENV: 'development', TRUST_PROXY: 'true' }).http.trustProxy).toBe(true);
});
