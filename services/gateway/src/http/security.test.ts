import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { testConfig } from '../../test/harness.ts';
import type { WebConfig } from '../config.ts';
import { registerCors, registerSecurityHeaders } from './security.ts';

const safe = 'https://app.safe.example';
const project = '0123456789abcdef0123456789abcdef';

/** What the gateway answers to a page of an origin, as it is set up. */
async function answer(web: Partial<WebConfig>, { url = '/', origin }: { url?: string; origin?: string } = {}) {
  const config = testConfig({ web: { ...testConfig().web, ...web } });
  const app = fastify();
  await registerSecurityHeaders(app, config);
  registerCors(app, config);
  app.get('/*', async () => 'a page');
  const { headers, statusCode } = await app.inject({ url, headers: origin === undefined ? {} : { origin } });
  await app.close();
  const directives = new Map(
    String(headers['content-security-policy'])
      .split(';')
      .map((each) => [each.split(' ')[0], each.split(' ').slice(1)]),
  );
  return { headers, statusCode, directives };
}

test('default: nobody may hold a page in a frame, and a page holds none and reaches no relay', async () => {
  const { headers, directives } = await answer({});
  expect(headers['x-frame-options']).toBe('DENY');
  expect(directives.get('frame-ancestors')).toEqual(["'none'"]);
  expect(directives.get('frame-src')).toEqual(["'none'"]);
  expect(directives.get('connect-src')).toEqual(["'self'"]);
});

test('behavior: only the Safe wallets that are named may hold a page in a frame', async () => {
  const { headers, directives } = await answer({ safeAppOrigins: [safe] });
  expect(headers['x-frame-options']).toBeUndefined();
  expect(directives.get('frame-ancestors')).toEqual([safe]);
  expect(directives.get('connect-src')).toEqual(["'self'"]);
});

test('behavior: with a project the relay may be reached, and nobody may hold the page for that', async () => {
  const { headers, directives } = await answer({ walletConnectProjectId: project });
  expect(directives.get('connect-src')).toEqual(["'self'", 'wss://relay.walletconnect.org']);
  expect(directives.get('frame-src')).toEqual(['https://verify.walletconnect.org']);
  expect(directives.get('script-src')).toEqual(["'self'"]);
  expect(directives.get('frame-ancestors')).toEqual(["'none'"]);
  expect(headers['x-frame-options']).toBe('DENY');
});

test('behavior: a named Safe wallet reads what the Safe app is called, and nothing of the API', async () => {
  const web = { safeAppOrigins: [safe] };
  const manifest = await answer(web, { url: '/manifest.json', origin: safe });
  expect(manifest.headers['access-control-allow-origin']).toBe(safe);
  const api = await answer(web, { url: '/api/v1/vaults', origin: safe });
  expect(api.headers['access-control-allow-origin']).toBeUndefined();
  const unnamed = await answer({}, { url: '/manifest.json', origin: safe });
  expect(unnamed.headers['access-control-allow-origin']).toBeUndefined();
});

test('behavior: pages of a Safe wallet show the icon that the Safe app names, and no other file', async () => {
  const manifest = new URL('../../../../web/public/manifest.json', import.meta.url);
  const { iconPath } = JSON.parse(readFileSync(manifest, 'utf8')) as { iconPath: string };
  const policyOf = async (web: Partial<WebConfig>, url: string) =>
    (await answer(web, { url })).headers['cross-origin-resource-policy'];
  const web = { safeAppOrigins: [safe] };
  expect(await policyOf(web, `/${iconPath}`)).toBe('cross-origin');
  expect(await policyOf(web, '/icon-192.png')).toBe('same-origin');
  expect(await policyOf(web, '/api/v1/vaults')).toBe('same-origin');
  expect(await policyOf({}, `/${iconPath}`)).toBe('same-origin');
});
