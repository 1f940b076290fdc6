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

test('default: no relay of wallets is reached, and nobody may hold the pages in a frame', () => {
  const { web } = loadConfig(production);
  expect(web.walletConnectProjectId).toBeUndefined();
  expect(web.safeAppOrigins).toEqual([]);
});

test('behavior: a project of WalletConnect and the origins of Safe wallets are taken', () => {
  const WALLETCONNECT_PROJECT_ID = '0123456789abcdef0123456789abcdef';
  const SAFE_APP_ORIGINS = 'https://app.safe.global, https://safe.example.org/welcome';
  const { web } = loadConfig({ ...production, WALLETCONNECT_PROJECT_ID, SAFE_APP_ORIGINS });
  expect(web.walletConnectProjectId).toBe(WALLETCONNECT_PROJECT_ID);
  expect(web.safeAppOrigins).toEqual(['https://app.safe.global', 'https://safe.example.org']);
});

test.each(['https://*.safe.global', '*', "'self'", 'https://a.example;script-src'])(
  'error: %s names no origin that may hold the pages',
  (SAFE_APP_ORIGINS) => {
    expect(() => loadConfig({ ...production, SAFE_APP_ORIGINS })).toThrow(/SAFE_APP_ORIGINS/);
  },
);
