import { errorCodes, isErrorCode, Problem } from '@castellan/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { InjectOptions } from 'fastify';
import { managerAddress, vaultAddress } from './a-vault.ts';
import { aToken, startTestGateway, type TestGateway } from './harness.ts';

let gateway: TestGateway;
let bearer: { authorization: string };

beforeAll(async () => {
  gateway = await startTestGateway();
  bearer = { authorization: `Bearer ${await aToken()}` };
});
beforeEach(() => {
  gateway.spy.length = 0;
});
afterAll(() => gateway.stop());

const wrongChecksum = vaultAddress.replace('8464135c8F', '8464135C8F');
const json = (payload: unknown): Pick<InjectOptions, 'payload' | 'headers'> => ({
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  headers: { 'content-type': 'application/json' },
});
const grant = { vault_address: vaultAddress, chain_id: 31337, wallet_address: managerAddress };
const vaultPath = `/api/v1/vaults/31337/${vaultAddress}`;
const grantPath = '/api/v1/users/view-only';
const namePath = `/api/v1/users/${managerAddress}/display-name`;

type Case = [name: string, request: InjectOptions, status: number, code: string, path?: string];

const get = (url: string, headers = {}): InjectOptions => ({ method: 'GET', url, headers });
const post = (url: string, payload: unknown, headers = {}): InjectOptions => {
  const sent = json(payload);
  return { method: 'POST', url, payload: sent.payload as string, headers: { ...sent.headers, ...headers } };
};
const patch = (payload: unknown): InjectOptions => ({ ...post(namePath, payload), method: 'PATCH' });

const anonymous: Case[] = [
  ['malformed address', get('/api/v1/vaults/31337/0x123'), 400, 'ADDRESS_MALFORMED', 'params.vault_address'],
  [
    'not hexadecimal',
    get(`/api/v1/vaults/31337/0x${'z'.repeat(40)}`),
    400,
    'ADDRESS_MALFORMED',
    'params.vault_address',
  ],
  ['very long address', get(`/api/v1/vaults/31337/0x${'a'.repeat(2000)}`), 400, 'ADDRESS_MALFORMED'],
  ['wrong checksum', get(`/api/v1/vaults/31337/${wrongChecksum}`), 400, 'ADDRESS_CHECKSUM', 'params.vault_address'],
  ['chain id with sign', get(`/api/v1/vaults/+1/${vaultAddress}`), 400, 'VALIDATION_FAILED', 'params.chain_id'],
  ['chain id with leading zero', get(`/api/v1/vaults/01/${vaultAddress}`), 400, 'VALIDATION_FAILED'],
  ['chain id with exponent', get(`/api/v1/vaults/1e3/${vaultAddress}`), 400, 'VALIDATION_FAILED'],
  ['chain id hexadecimal', get(`/api/v1/vaults/0x1/${vaultAddress}`), 400, 'VALIDATION_FAILED'],
  ['two faults of two kinds', get('/api/v1/vaults/01/0x12'), 400, 'VALIDATION_FAILED', 'params.chain_id'],
  ['unknown query parameter', get(`${vaultPath}?surprise=1`), 400, 'VALIDATION_FAILED', 'query.surprise'],
  ['batch without its list', get('/api/v1/vaults/pause-status'), 400, 'VALIDATION_FAILED', 'query.vaults'],
  ['batch with a bad address', get('/api/v1/vaults/pause-status?vaults=1:0x12'), 400, 'ADDRESS_MALFORMED'],
  ['malformed hash', get('/api/v1/transactions/31337/0x12'), 400, 'VALIDATION_FAILED', 'params.tx_hash'],
  ['bad percent encoding', get('/api/v1/vaults/31337/%zz'), 400, 'BAD_REQUEST'],
  ['unknown route', get('/api/v1/nothing/here'), 404, 'ROUTE_NOT_FOUND'],
  ['unknown route of the provider', get('/idp/v1/nothing'), 404, 'ROUTE_NOT_FOUND'],
  ['unknown well-known', get('/.well-known/nothing'), 404, 'ROUTE_NOT_FOUND'],
  ['the bare prefix', get('/api'), 404, 'ROUTE_NOT_FOUND'],
  ['unknown route with bad JSON', post('/api/v1/nothing', '{'), 404, 'ROUTE_NOT_FOUND'],
  ['write to the web app', post('/somewhere', {}), 404, 'ROUTE_NOT_FOUND'],
  ['wrong method', { method: 'DELETE', url: vaultPath }, 405, 'METHOD_NOT_ALLOWED'],
  ['wrong method with bad JSON', post(vaultPath, '{'), 405, 'METHOD_NOT_ALLOWED'],
  ['reading a write', get('/idp/v1/nonce'), 405, 'METHOD_NOT_ALLOWED'],
  ['no token', get('/api/v1/auth/me'), 401, 'TOKEN_MISSING'],
  ['another scheme', get('/api/v1/auth/me', { authorization: 'Basic eDp5' }), 401, 'TOKEN_INVALID'],
  ['empty token', get('/api/v1/auth/me', { authorization: 'Bearer ' }), 401, 'TOKEN_INVALID'],
  ['nonsense token', get('/api/v1/auth/me', { authorization: 'Bearer abc' }), 401, 'TOKEN_INVALID'],
  ['bad token where it is optional', get(vaultPath, { authorization: 'Bearer abc' }), 401, 'TOKEN_INVALID'],
  ['no token and bad JSON', post(grantPath, '{'), 401, 'TOKEN_MISSING'],
  ['no token and a huge body', post(grantPath, 'x'.repeat(1_100_000)), 401, 'TOKEN_MISSING'],
  ['token in the URL', get('/api/v1/auth/me?token=abc'), 401, 'TOKEN_MISSING'],
  ['invalid JSON', post('/idp/v1/nonce', '{"address":'), 400, 'MALFORMED_JSON'],
  ['JSON that is no object', post('/idp/v1/nonce', '[]'), 400, 'VALIDATION_FAILED'],
  ['empty body', post('/idp/v1/nonce', ''), 400, 'VALIDATION_FAILED'],
  ['poisoned prototype', post('/idp/v1/nonce', '{"__proto__":{"a":1}}'), 400, 'MALFORMED_JSON'],
  ['wrong media type', post('/idp/v1/nonce', 'a=b', { 'content-type': 'text/plain' }), 415, 'MEDIA_TYPE_UNSUPPORTED'],
  ['huge body', post('/idp/v1/nonce', { address: 'x'.repeat(1_100_000), chain_id: 1 }), 413, 'BODY_TOO_LARGE'],
  ['nonce for a bad address', post('/idp/v1/nonce', { address: '0x1', chain_id: 1 }), 400, 'ADDRESS_MALFORMED'],
  ['chain id as text', post('/idp/v1/nonce', { address: vaultAddress, chain_id: '1' }), 400, 'VALIDATION_FAILED'],
];

const signedIn: Case[] = [
  ['missing field', post(grantPath, { ...grant, wallet_address: undefined }), 400, 'VALIDATION_FAILED'],
  ['wrong checksum in the body', post(grantPath, { ...grant, wallet_address: wrongChecksum }), 400, 'ADDRESS_CHECKSUM'],
  ['unknown field', post(grantPath, { ...grant, extra: 1 }), 400, 'VALIDATION_FAILED', 'body.extra'],
  ['number for an address', post(grantPath, { ...grant, vault_address: 5 }), 400, 'VALIDATION_FAILED'],
  ['10 000 characters', patch({ display_name: 'x'.repeat(10_000) }), 400, 'VALIDATION_FAILED', 'body.display_name'],
  ['bidi characters', patch({ display_name: 'a\u202Eb' }), 400, 'VALIDATION_FAILED', 'body.display_name'],
  [
    'half a vault',
    patch({ display_name: 'x', vault_address: vaultAddress }),
    400,
    'VALIDATION_FAILED',
    'body.chain_id',
  ],
  ['limit 0', get('/api/v1/vaults?limit=0'), 400, 'VALIDATION_FAILED', 'query.limit'],
  ['limit 501', get('/api/v1/vaults?limit=501'), 400, 'VALIDATION_FAILED', 'query.limit'],
  ['limit as decimal', get('/api/v1/vaults?limit=1.5'), 400, 'VALIDATION_FAILED', 'query.limit'],
  ['repeated parameter', get('/api/v1/vaults?limit=1&limit=2'), 400, 'VALIDATION_FAILED', 'query.limit'],
  ['object parameter', get('/api/v1/vaults?limit[a]=1'), 400, 'VALIDATION_FAILED'],
  ['bad path value of a write', { method: 'DELETE', url: '/api/v1/users/view-only/0x1' }, 400, 'VALIDATION_FAILED'],
  ['key with spaces', post(grantPath, grant, { 'idempotency-key': 'a b' }), 400, 'VALIDATION_FAILED'],
];

async function expectProblem([, request, status, code, path]: Case, headers: Record<string, string>) {
  const answer = await gateway.http.inject({ ...request, headers: { ...request.headers, ...headers } });
  expect(answer.headers['content-type']).toContain('application/problem+json');
  const problem = Problem.parse(answer.json());
  expect(problem).toMatchObject({ status, code });
  expect(answer.statusCode).toBe(status);
  expect(isErrorCode(problem.code) && errorCodes[problem.code].status).toBe(status);
  expect(problem.request_id).toBe(answer.headers['x-request-id']);
  if (path) expect(problem.errors?.map((error) => error.path)).toContain(path);
  if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer /);
  if (status === 405) expect(answer.headers.allow).toMatch(/GET|POST/);
  expect(gateway.spy).toEqual([]);
}

describe('every bad request is answered as a problem and reaches no service', () => {
  test.each(anonymous)('error: %s', (...one) => expectProblem(one, {}));
  test.each(signedIn)('error: signed in, %s', (...one) => expectProblem(one, bearer));
});

describe('what services answer', () => {
  test('error: unknown chain and unknown vault keep their codes over the bus', async () => {
    const chain = await gateway.http.inject(`/api/v1/vaults/5/${vaultAddress}`);
    expect(chain.json()).toMatchObject({ status: 404, code: 'CHAIN_NOT_FOUND' });
    const vault = await gateway.http.inject(`/api/v1/vaults/31337/${managerAddress}`);
    expect(vault.json()).toMatchObject({ status: 404, code: 'VAULT_NOT_FOUND' });
  });

  test('error: a bug is 500 without stack, text or host', async () => {
    const answer = await gateway.http.inject({
      ...patch({ display_name: 'x' }),
      headers: { 'content-type': 'application/json', ...bearer },
    });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'INTERNAL' });
    expect(answer.body).not.toMatch(/mongodb|10\.0\.0\.7|TypeError|at /);
  });

  test('error: nobody there is 503 with Retry-After', async () => {
    const answer = await gateway.http.inject('/api/v1/registry/token-assets');
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(answer.json()).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('error: 503 of a service keeps its code', async () => {
    const answer = await gateway.http.inject(post(grantPath, { ...grant, display_name: 'Away' }, bearer));
    expect(answer.json()).toMatchObject({ status: 503, code: 'RPC_UNAVAILABLE' });
    expect(answer.headers['retry-after']).toBeDefined();
  });
});

describe('what is not the API', () => {
  test('error: without a built web app the page says so', async () => {
    const answer = await gateway.http.inject('/managed-vaults/devnet/x');
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain('web app is not built');
  });

  test('default: headers protect the page', async () => {
    const { headers } = await gateway.http.inject('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script';trusted-types default;");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['strict-transport-security']).toBeUndefined();
  });

  test('behavior: only listed origins may use the API from a page', async () => {
    const ask = (origin: string) =>
      gateway.http.inject({
        method: 'OPTIONS',
        url: vaultPath,
        headers: { origin, 'access-control-request-method': 'GET' },
      });
    const friend = await ask('https://friend.example');
    expect(friend.statusCode).toBe(204);
    expect(friend.headers['access-control-allow-origin']).toBe('https://friend.example');
    const exposed = `${friend.headers['access-control-expose-headers']}`.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['etag', 'retry-after', 'deprecation', 'sunset', 'link']));
    const stranger = await ask('https://evil.example');
    expect(stranger.statusCode).toBe(403);
    expect(stranger.headers['access-control-allow-origin']).toBeUndefined();
    const read = await gateway.http.inject(get(vaultPath, { origin: 'https://evil.example' }));
    expect(read.headers['access-control-allow-origin']).toBeUndefined();
  });
});
