import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { Problem, routes } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { devWallet } from '../../../packages/protocol/src/dev-wallets.ts';
import { exampleOf } from '../src/openapi/examples.ts';
import { managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway, testConfig } from './harness.ts';

let gateway: TestGateway;
let bearer: { authorization: string };
let dist: string;
const vaultPath = `/api/v1/vaults/31337/${vaultAddress}`;
const vaultKey = `31337:${vaultAddress.toLowerCase()}`;
const detailCalls = () => gateway.spy.filter(({ name }) => name === 'v1.vaults.detail').length;

beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'castellan-dist-'));
  mkdirSync(join(dist, 'assets'));
  writeFileSync(join(dist, 'index.html'), '<!doctype html><title>Castellan</title>');
  writeFileSync(join(dist, 'assets/app-1a2b.js'), 'export {}');
  writeFileSync(join(dist, 'assets/app-1a2b.js.br'), brotliCompressSync('export {}'));
  writeFileSync(join(dist, '..', 'castellan-secret.txt'), 'secret');
  gateway = await startTestGateway({
    config: {
      web: {
        ...testConfig().web,
        dist,
        isRequired: true,
        rpcUrls: { 31337: 'http://127.0.0.1:8545' },
        demoWallets: true,
      },
    },
  });
  bearer = { authorization: `Bearer ${await aToken()}` };
});
beforeEach(() => {
  gateway.spy.length = 0;
  gateway.ports.snapshots.invalidate(vaultKey);
});
afterAll(async () => {
  await gateway.stop();
  rmSync(dist, { recursive: true, force: true });
  rmSync(join(tmpdir(), 'castellan-secret.txt'), { force: true });
});

describe('conditional reads', () => {
  test('default: a strong ETag of the bytes, and 304 for who has them', async () => {
    const first = await gateway.http.inject(vaultPath);
    const etag = `"${createHash('sha256').update(first.body).digest('base64url')}"`;
    expect(first.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache', vary: 'Authorization' });
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await gateway.http.inject({ url: vaultPath, headers: { 'if-none-match': header } });
      expect(again.statusCode).toBe(304);
      expect(again.body).toBe('');
      expect(again.headers).toMatchObject({ etag, 'cache-control': 'private, no-cache', vary: 'Authorization' });
    }
    const other = await gateway.http.inject({ url: vaultPath, headers: { 'if-none-match': '"other"' } });
    expect(other.statusCode).toBe(200);
  });

  test('default: HEAD answers like GET without the body', async () => {
    const answer = await gateway.http.inject({ method: 'HEAD', url: vaultPath });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('');
    expect(answer.headers.etag).toBeDefined();
  });
});

describe('snapshots', () => {
  test('behavior: one call serves readers until an event of the vault, or 15 s', async () => {
    for (let n = 0; n < 3; n += 1) await gateway.http.inject(vaultPath);
    expect(detailCalls()).toBe(1);
    gateway.ports.snapshots.invalidate('31337:0xanother');
    await gateway.http.inject(vaultPath);
    expect(detailCalls()).toBe(1);
    gateway.ports.snapshots.invalidate(vaultKey);
    await gateway.http.inject(vaultPath);
    expect(detailCalls()).toBe(2);
    gateway.clock.now += 15_001;
    await gateway.http.inject(vaultPath);
    expect(detailCalls()).toBe(3);
  });

  test('behavior: identical requests that meet share one call', async () => {
    await Promise.all(Array.from({ length: 10 }, () => gateway.http.inject(vaultPath)));
    expect(detailCalls()).toBe(1);
  });

  test('behavior: every caller has an own view', async () => {
    const open = await gateway.http.inject(vaultPath);
    const own = await gateway.http.inject({ url: vaultPath, headers: bearer });
    const another = await aToken({ claims: { wallet_address: vaultAddress } });
    const theirs = await gateway.http.inject({ url: vaultPath, headers: { authorization: `Bearer ${another}` } });
    expect([open, own, theirs].map((answer) => answer.json().my_role)).toEqual([null, 'primary_manager', null]);
    expect(detailCalls()).toBe(3);
  });

  test('behavior: each kind of token of one wallet has an own view', async () => {
    const view = async (claims: object) => {
      const headers = { authorization: `Bearer ${await aToken({ claims: { ...claims } })}` };
      return (await gateway.http.inject({ url: vaultPath, headers })).json().my_role as unknown;
    };
    expect(await view({})).toBe('primary_manager');
    expect(await view({ castellan_vault: `31337:${managerAddress}` })).toBe(null);
    expect(await view({ castellan_scope: 'read' })).toBe('primary_manager');
    expect(await view({ castellan_scope: 'read', castellan_vault: `31337:${vaultAddress}` })).toBe('primary_manager');
    expect(detailCalls()).toBe(4);
    const passed = gateway.spy.map(({ caller }) => [caller?.scope, caller?.vault?.vault_address]);
    expect(passed).toEqual([
      // A token for another vault reads as the public; whatever a token may, this action sees a read.
      ['read', undefined],
      [undefined, undefined],
      ['read', undefined],
      ['read', vaultAddress],
    ]);
  });

  test('behavior: an error is not kept', async () => {
    const missing = `/api/v1/vaults/31337/${managerAddress}`;
    await gateway.http.inject(missing);
    await gateway.http.inject(missing);
    expect(detailCalls()).toBe(2);
  });

  test('behavior: addresses in any case are one vault', async () => {
    await gateway.http.inject(vaultPath);
    const lower = await gateway.http.inject(vaultPath.toLowerCase());
    expect(lower.json().vault_address).toBe(vaultAddress);
    expect(detailCalls()).toBe(1);
  });
});

describe('idempotent writes', () => {
  const grant = (key: string, display_name = 'Ann', headers = bearer) =>
    gateway.http.inject({
      method: 'POST',
      url: '/api/v1/users/view-only',
      headers: { ...headers, 'idempotency-key': key },
      payload: { vault_address: vaultAddress, chain_id: 31337, wallet_address: managerAddress, display_name },
    });

  test('default: the same key and request get the first answer, once done', async () => {
    const first = await grant('key-1');
    expect(first.statusCode).toBe(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const again = await grant('key-1');
    expect(again.statusCode).toBe(201);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.json()).toEqual(first.json());
    expect(gateway.spy).toHaveLength(1);
  });

  test('error: IDEMPOTENCY_KEY_REUSED for another request under the key', async () => {
    await grant('key-2');
    expect((await grant('key-2', 'Ben')).json()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('error: IDEMPOTENCY_IN_PROGRESS while the first runs', async () => {
    const answers = await Promise.all([grant('key-3', 'Slow'), grant('key-3', 'Slow')]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409]);
    expect(gateway.spy).toHaveLength(1);
  });

  test('behavior: keys of two callers are two keys', async () => {
    const other = { authorization: `Bearer ${await aToken({ claims: { wallet_address: vaultAddress } })}` };
    await grant('key-4');
    await grant('key-4', 'Ann', other);
    expect(gateway.spy).toHaveLength(2);
  });

  test('behavior: keys of two kinds of token of one wallet are two keys', async () => {
    const claims = { castellan_vault: `31337:${vaultAddress}` };
    await grant('key-7');
    await grant('key-7', 'Ann', { authorization: `Bearer ${await aToken({ claims })}` });
    expect(gateway.spy).toHaveLength(2);
    await grant('key-7', 'Ann', { authorization: `Bearer ${await aToken({ claims })}` });
    expect(gateway.spy).toHaveLength(2);
  });

  test('behavior: a refusal is kept, a fault of ours is not', async () => {
    expect((await grant('key-5', 'Forbidden')).statusCode).toBe(403);
    const again = await grant('key-5', 'Forbidden');
    expect(Problem.parse(again.json()).code).toBe('ROLE_REQUIRED');
    expect(again.headers['content-type']).toContain('application/problem+json');
    expect(gateway.spy).toHaveLength(1);
    await grant('key-6', 'Away');
    await grant('key-6', 'Away');
    expect(gateway.spy).toHaveLength(3);
  });
});

describe('correlation', () => {
  test('default: a sane request id is kept, another is replaced; the trace id is returned', async () => {
    const trace = 'a'.repeat(32);
    const kept = await gateway.http.inject({
      url: '/api/v1/chains',
      headers: { 'x-request-id': 'my-id.1', traceparent: `00-${trace}-${'b'.repeat(16)}-01` },
    });
    expect(kept.headers['x-request-id']).toBe('my-id.1');
    expect(kept.headers['x-trace-id']).toBe(trace);
    const replaced = await gateway.http.inject({ url: '/api/v1/chains', headers: { 'x-request-id': 'bad id\u00e9' } });
    expect(replaced.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(replaced.headers['x-trace-id']).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the web app', () => {
  test('default: its files, and its index for every address it routes itself', async () => {
    const index = await gateway.http.inject('/managed-vaults/devnet/0x12?tab=a');
    expect(index.headers['content-type']).toContain('text/html');
    expect(index.headers['cache-control']).toBe('no-cache');
    expect((await gateway.http.inject('/')).body).toContain('Castellan');
    const script = await gateway.http.inject('/assets/app-1a2b.js');
    expect(script.headers['content-type']).toContain('javascript');
    expect(script.headers['cache-control']).toContain('immutable');
    expect((await gateway.http.inject('/assets/gone.js')).statusCode).toBe(404);
  });

  test('behavior: a compressed copy goes to who takes it, under the same name', async () => {
    const ask = (encoding: string) =>
      gateway.http.inject({ url: '/assets/app-1a2b.js', headers: { 'accept-encoding': encoding } });
    const small = await ask('br');
    const plain = await ask('identity');
    expect(small.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(`${brotliDecompressSync(small.rawPayload)}`).toBe('export {}');
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe('export {}');
  });

  test('behavior: an answer to a page of another origin says that it depends on that as well', async () => {
    const url = '/assets/app-1a2b.js';
    const answer = await gateway.http.inject({ url, headers: { origin: 'https://friend.example' } });
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://friend.example',
      vary: 'Origin, Accept-Encoding',
    });
  });

  test('error: nothing outside its folder', async () => {
    for (const url of ['/../castellan-secret.txt', '/%2e%2e/castellan-secret.txt', '/..%2fcastellan-secret.txt']) {
      const answer = await gateway.http.inject(url);
      expect(answer.body).not.toContain('secret');
    }
  });

  test('default: its configuration, with demo wallets only where they were asked for', async () => {
    const { demo_wallets, ...rest } = (await gateway.http.inject('/config.json')).json();
    expect(rest).toEqual({
      public_url: 'http://127.0.0.1:8080',
      devnet: true,
      chains: [
        {
          chain_id: 31337,
          slug: 'devnet',
          name: 'Devnet',
          rpc_url: 'http://127.0.0.1:8545',
          explorer_url: null,
          native_symbol: 'ETH',
        },
      ],
      walletconnect_project_id: null,
      safe_app_origins: [],
    });
    const published = [1, 2, 4, 50].map((addressIndex) => {
      const account = devWallet(addressIndex);
      const key = account.getHdKey().privateKey;
      return { address: account.address, private_key: `0x${Buffer.from(key ?? []).toString('hex')}` };
    });
    expect(demo_wallets).toMatchObject(published);
    expect(testConfig().web.demoWallets).toBe(false);
    const { headers } = await gateway.http.inject('/');
    expect(headers['content-security-policy']).toContain("connect-src 'self' http://127.0.0.1:8545");
  });
});

test('error: what is no HTTP is answered as a problem', async () => {
  await gateway.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.http.server.address() as { port: number };
  const text = await new Promise<string>((resolve) => {
    let heard = '';
    const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    socket.on('data', (chunk) => {
      heard += chunk;
    });
    socket.on('close', () => resolve(heard));
  });
  expect(text).toContain('application/problem+json');
  expect(text).toContain('BAD_REQUEST');
});

/** Every schema of the description, wherever it stands. */
function* schemasOf(node: unknown): Generator<Record<string, unknown>> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'schema') yield value as Record<string, unknown>;
    else yield* schemasOf(value);
  }
}

describe('description', () => {
  test('default: its schemas are JSON Schema 2020-12, and accept what is answered and the examples', async () => {
    const document = (await gateway.http.inject('/api/v1/openapi.json')).json();
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'api', ...document });
    const resolved = JSON.parse(JSON.stringify(document).replaceAll('"#/components', '"api#/components'));
    const named = Object.values<Record<string, unknown>>(resolved.components.schemas);
    // Most stand there many times: every route answers with the same problems.
    const schemas = new Map([...schemasOf(resolved), ...named].map((schema) => [JSON.stringify(schema), schema]));
    expect(named.length).toBeGreaterThan(200);
    const checks = new Map<string, ValidateFunction>();
    for (const [text, schema] of schemas) {
      checks.set(text, ajv.compile(schema));
      // Seconds in one piece would keep the heartbeats of the bus waiting, which is in this process.
      await setImmediate();
    }
    const unfit = Object.values(routes).filter(({ id, path, method, status }) => {
      const example = exampleOf(id)?.answer;
      const { $ref = '', ...inline } = resolved.paths[path][method.toLowerCase()].responses[String(status)];
      const { content } = resolved.components.responses[$ref.split('/').at(-1)] ?? inline;
      return (
        example !== undefined && content && !checks.get(JSON.stringify(content['application/json'].schema))?.(example)
      );
    });
    expect(unfit.map(({ id }) => id)).toEqual([]);
    const answers = resolved.paths['/api/v1/vaults/{chain_id}/{vault_address}'].get.responses;
    const isDetail = ajv.compile(answers['200'].content['application/json'].schema);
    expect(isDetail((await gateway.http.inject(vaultPath)).json())).toBe(true);
    expect(isDetail({ vault_address: 5 })).toBe(false);
    const isProblem = ajv.compile({ $ref: 'api#/components/schemas/Problem' });
    expect(isProblem((await gateway.http.inject('/api/v1/vaults/1/0x1')).json())).toBe(true);
  });

  test('behavior: examples are where the description says they are', async () => {
    const document = (await gateway.http.inject('/api/v1/openapi.json')).json();
    const { url } = document.paths['/api/v1/chains'].get.externalDocs;
    expect((await gateway.http.inject(new URL(url).pathname)).json()).toEqual(exampleOf('chains'));
    expect((await gateway.http.inject('/docs/examples/toString')).statusCode).toBe(404);
  });

  test('default: every route is in it, and its references resolve', async () => {
    const document = (await gateway.http.inject('/api/v1/openapi.json')).json();
    expect(document.openapi).toBe('3.1.0');
    for (const route of Object.values(routes)) {
      const operation = document.paths[route.path][route.method.toLowerCase()];
      expect(operation.operationId).toBe(route.id);
      expect(operation.responses[String(route.status)]).toBeDefined();
      const parameters = (operation.parameters ?? []).map(({ $ref, ...inline }: { $ref?: string }) =>
        $ref === undefined ? inline : document.components.parameters[$ref.split('/').at(-1) as string],
      );
      const inPath = parameters.filter((one: { in?: string }) => one.in === 'path');
      expect(inPath.map((one: { name: string }) => `{${one.name}}`)).toEqual(route.path.match(/\{\w+\}/g) ?? []);
    }
    const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g);
    for (const [, path = ''] of refs) {
      const found = path.split('/').reduce((node, step) => node?.[step], document);
      expect([path, typeof found]).toEqual([path, 'object']);
    }
    const events = (await gateway.http.inject('/api/v1/asyncapi.json')).json();
    expect(events.channels.vaultStream.address).toBe(routes.stream.path);
    const page = await gateway.http.inject('/docs/api');
    for (const route of Object.values(routes)) expect(page.body).toContain(route.path);
    expect(page.body).not.toContain('<script');
    expect((await gateway.http.inject('/docs')).body).toContain('npm run docs');
    const refused = await gateway.http.inject({ method: 'POST', url: '/docs' });
    expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});
