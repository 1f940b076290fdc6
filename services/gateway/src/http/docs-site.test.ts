import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { loadConfig } from '../config.ts';
import { registerDocs } from './docs-site.ts';
import { registerSecurityHeaders } from './security.ts';

let app: FastifyInstance;
let folder: string;
const get = (url: string, headers = {}) => app.inject({ url, headers });

function build(): void {
  mkdirSync(join(folder, 'dist/assets'), { recursive: true });
  mkdirSync(join(folder, 'dist/api'));
  for (const name of ['index', 'webhooks', '404', 'api/try'])
    writeFileSync(join(folder, `dist/${name}.html`), `the page ${name}`);
  writeFileSync(join(folder, 'dist/webhooks.html.br'), 'compressed');
  writeFileSync(join(folder, 'dist/assets/style.css'), 'a{}');
  writeFileSync(join(folder, 'dist/mandate.schema.json'), '{}');
  writeFileSync(join(folder, 'dist/inputs.json'), '{}');
  writeFileSync(join(folder, 'secret.html'), 'a secret');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'castellan-docs-'));
  app = fastify();
  await app.register(fastifyStatic, { root: folder, serve: false, cacheControl: false, preCompressed: true });
  await registerSecurityHeaders(app, loadConfig({}));
  registerDocs(app, { dist: join(folder, 'dist'), limit: (_request, _reply, done) => done() });
  const before = await get('/docs');
  expect([before.statusCode, before.headers['cache-control']]).toEqual([200, 'no-store']);
  expect(before.body).toContain('npm run docs');
  expect((await get('/docs/webhooks')).statusCode).toBe(404);
  // A build is found without a restart.
  build();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

test('default: pages are asked for again, assets with their version stay', async () => {
  expect((await get('/docs')).body).toBe('the page index');
  const page = await get('/docs/webhooks?x');
  expect([page.body, page.headers['cache-control'], page.headers['content-type']]).toEqual([
    'the page webhooks',
    'no-cache',
    'text/html; charset=utf-8',
  ]);
  expect((await get('/docs/webhooks', { 'accept-encoding': 'br' })).body).toBe('compressed');
  expect((await get('/docs/assets/style.css?1')).headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect((await get('/docs/assets/style.css')).headers['cache-control']).toBe('no-cache');
  expect((await get('/docs/forward.js')).headers['content-type']).toContain('text/javascript');
});

test('behavior: a JSON schema is served as it is, and no other file beside the pages', async () => {
  const schema = await get('/docs/mandate.schema.json');
  expect([schema.statusCode, schema.body, schema.headers['content-type']]).toEqual([
    200,
    '{}',
    expect.stringContaining('application/json'),
  ]);
  expect((await get('/docs/inputs.json')).statusCode).toBe(404);
  expect((await get('/docs/gone.schema.json')).statusCode).toBe(404);
});

test('error: what is not there, and what is outside of its folder, is not found', async () => {
  const urls = [
    '/docs/nothing',
    '/docs/404',
    '/docs/%2e%2e/secret',
    '/docs/assets/%2e%2e/%2e%2e/secret.html',
    '/docs/%00',
  ];
  for (const url of [...urls, '/docs/assets/nothing.js']) {
    const { statusCode, body } = await get(url);
    expect([url, statusCode, body.includes('a secret')]).toEqual([url, 404, false]);
  }
});

test('behavior: the policy of content is that of all pages, but for the one whose scripts are not ours', async () => {
  const policyOf = async (url: string) => String((await get(url)).headers['content-security-policy']);
  const strict = await policyOf('/docs/webhooks');
  expect(strict).toContain("script-src 'self';");
  expect(strict).toContain("require-trusted-types-for 'script';trusted-types default;");
  const relaxed = strict.replace("require-trusted-types-for 'script';trusted-types default;", '');
  expect([await policyOf('/docs/api/try'), await policyOf('/docs/api/try/')]).toEqual([relaxed, relaxed]);
});
