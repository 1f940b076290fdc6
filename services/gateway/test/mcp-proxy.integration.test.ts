import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createIdentity } from '@castellan/service-kit';
import { freePort, testKeys } from '@castellan/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { managerAddress } from './a-vault.ts';
import { aToken, issuer as publicUrl, startTestGateway, type TestGateway } from './harness.ts';

/** What reaches the endpoint for agents, and what stays at the gateway. */
let gateway: TestGateway;
let upstream: Server;
let base: string;
const seen: { headers: IncomingHttpHeaders; body: string }[] = [];
const ai = createIdentity('ai', testKeys('ai'));

beforeAll(async () => {
  const port = await freePort();
  upstream = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      seen.push({ headers: request.headers, body });
      response.writeHead(200, { 'content-type': 'application/json', 'x-inside': 'secret' }).end('{"jsonrpc":"2.0"}');
    });
  });
  await new Promise<void>((resolve) => upstream.listen(port, '127.0.0.1', resolve));
  gateway = await startTestGateway({ config: { chat: { url: `http://127.0.0.1:${port}` } } });
  await gateway.http.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(gateway.http.server.address() as { port: number }).port}`;
});
afterAll(async () => {
  await gateway.stop();
  await new Promise((resolve) => upstream.close(resolve));
});
beforeEach(() => void seen.splice(0));

const ask = (headers: Record<string, string>, body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}') =>
  fetch(`${base}/mcp`, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
const askWith = async (claims = {}) => ask({ authorization: `Bearer ${await aToken({ claims })}`, cookie: 'a=b' });

describe('the endpoint for agents', () => {
  test('default: a request arrives as it is, with an envelope in the place of the token', async () => {
    const response = await askWith();
    expect([response.status, await response.text()]).toEqual([200, '{"jsonrpc":"2.0"}']);
    expect(response.headers.get('x-inside')).toBeNull();
    const [{ headers, body }] = seen as [(typeof seen)[number]];
    expect(body).toBe('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
    const caller = await ai.accept(String(headers['x-castellan-envelope']));
    expect(caller).toMatchObject({ wallet_address: managerAddress, scope: 'prepare' });
  });

  test('behavior: a token that reads gives an envelope that reads', async () => {
    await askWith({ castellan_scope: 'read' });
    expect(await ai.accept(String(seen[0]?.headers['x-castellan-envelope']))).toMatchObject({ scope: 'read' });
  });

  test('error: without a good token nothing reaches it', async () => {
    for (const headers of [{}, { authorization: 'Bearer x.y.z' }, { 'x-castellan-envelope': 'mine' }]) {
      const response = await ask(headers as Record<string, string>);
      expect(response.status).toBe(401);
      const challenge = String(response.headers.get('www-authenticate'));
      expect(challenge).toMatch(/^Bearer realm="castellan"/);
      const [, metadata] = /, resource_metadata="([^"]+)"$/.exec(challenge) ?? [];
      expect(metadata).toBe(`${publicUrl}/.well-known/oauth-protected-resource/mcp`);
    }
    expect(seen).toEqual([]);
  });

  test.each(['/mcp', ''])(
    'default: who asks at the well-known address%s learns whose tokens are taken',
    async (suffix) => {
      const at = `${base}/.well-known/oauth-protected-resource${suffix}`;
      const response = await fetch(at);
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(/^application\/json/),
      ]);
      expect(await response.json()).toEqual({
        resource: `${publicUrl}/mcp`,
        resource_name: 'Castellan',
        resource_documentation: `${publicUrl}/docs`,
        authorization_servers: [publicUrl],
        scopes_supported: ['read', 'prepare'],
        bearer_methods_supported: ['header'],
      });
      const posted = await fetch(at, { method: 'POST' });
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    },
  );

  test('error: a challenge elsewhere names no metadata of the endpoint', async () => {
    const response = await fetch(`${base}/api/v1/auth/me`);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="castellan"']);
  });

  test('error: an envelope of the sender is replaced, and a body beyond 64 KiB refused', async () => {
    const token = await aToken();
    await ask({ authorization: `Bearer ${token}`, 'x-castellan-envelope': 'mine' });
    expect(seen[0]?.headers['x-castellan-envelope']).not.toBe('mine');
    expect((await ask({ authorization: `Bearer ${token}` }, 'x'.repeat(70_000))).status).toBe(413);
  });

  test('error: the session was ended', async () => {
    gateway.ports.revocations.add('gone', Date.now() + 60_000);
    expect((await askWith({ sid: 'gone' })).status).toBe(401);
  });
});
