import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { AppError } from '@castellan/contracts';
import { hostedIssuer } from '@castellan/tokens';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload } from 'jose';
import { managerAddress, vaultAddress } from './a-vault.ts';
import { hashOf, issuer, aToken as makeToken, signingKeys, startTestGateway, type TestGateway } from './harness.ts';

const hosted = 'https://login.example.org/';
const keys = await generateKeyPair('RS256', { extractable: true });
const stranger = await generateKeyPair('ES256');
let jwks: Server;
let jwksStatus = 200;
let jwksReads = 0;
let jwksPort = 0;
let gateway: TestGateway;

/** It has read no keys yet. */
const startGateway = () =>
  startTestGateway({
    issuers: [
      hostedIssuer({
        issuer: hosted,
        jwks_uri: `http://127.0.0.1:${jwksPort}/jwks.json`,
        audience: 'their-client',
        algorithms: ['RS256'],
        wallet_claim: ['wallets', 'primary'],
        required_scope: 'castellan',
      }),
    ],
  });

beforeAll(async () => {
  // Without `alg`, as some issuers publish them: then only our own list says which algorithms count.
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'hosted-1', use: 'sig' };
  jwks = createServer((_request, response) => {
    jwksReads += 1;
    response.statusCode = jwksStatus;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => jwks.listen(0, '127.0.0.1', resolve));
  jwksPort = (jwks.address() as { port: number }).port;
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.stop();
  jwks.close();
});

const ask = (token: string, url = '/api/v1/auth/me', at = gateway) =>
  at.http.inject({ url, headers: { authorization: `Bearer ${token}` } });

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
/** By the gateway's clock, which stands still: a slow run must not come too late. */
const seconds = () => Math.floor(gateway.clock.now / 1000);
const aToken: typeof makeToken = (parts) => makeToken({ now: gateway.clock.now, ...parts });

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as JWTPayload;

describe('the embedded issuer', () => {
  test('default: the caller of a good token is passed to the services', async () => {
    const token = await aToken({ claims: { sid: 'session-1' } });
    gateway.spy.length = 0;
    expect((await ask(token)).statusCode).toBe(200);
    // The envelope says no more than the action takes: this one reads.
    const expires_at = seconds() + 3600;
    const who = { wallet_address: managerAddress, sid: 'session-1', issuer, expires_at };
    expect(gateway.spy[0]?.caller).toEqual({ ...who, scope: 'read' });
    expect((await ask(token)).statusCode).toBe(200);
  });

  const unsigned = async () => {
    const good = await aToken();
    return `${base64({ alg: 'none', typ: 'at+jwt' })}.${base64(claimsOf(good))}.`;
  };
  /** The public key's own text as an HMAC secret: what a verifier that trusts `alg` would accept. */
  const confused = async () => {
    const head = `${base64({ alg: 'HS256', typ: 'at+jwt', kid: 'k1' })}.${base64(claimsOf(await aToken()))}`;
    const spki = await exportSPKI(signingKeys.publicKey);
    return `${head}.${createHmac('sha256', spki).update(head).digest('base64url')}`;
  };
  const tampered = async () => {
    const [head, , signature] = (await aToken()).split('.');
    const claims = { ...claimsOf(await aToken()), wallet_address: vaultAddress };
    return `${head}.${base64(claims)}.${signature}`;
  };
  const limited = (claims: JWTPayload) => aToken({ claims: { castellan_scope: 'read', ...claims } });
  const bad: [string, () => Promise<string>, string][] = [
    ['no signature (alg none)', unsigned, 'TOKEN_INVALID'],
    ['HS256 with the public key as secret', confused, 'TOKEN_INVALID'],
    ['changed claims', tampered, 'TOKEN_INVALID'],
    ['another key under the same kid', () => aToken({ key: stranger.privateKey }), 'TOKEN_INVALID'],
    ['an unknown kid', () => aToken({ header: { kid: 'k9' }, key: stranger.privateKey }), 'TOKEN_INVALID'],
    ['an untrusted issuer', () => aToken({ claims: { iss: 'https://evil.example' } }), 'TOKEN_INVALID'],
    ['no issuer', () => aToken({ claims: { iss: undefined } as never }), 'TOKEN_INVALID'],
    ['the issuer with a slash', () => aToken({ claims: { iss: `${issuer}/` } }), 'TOKEN_INVALID'],
    ['another audience', () => aToken({ claims: { aud: 'other' } }), 'TOKEN_INVALID'],
    ['an id token', () => aToken({ header: { typ: 'JWT' } }), 'TOKEN_INVALID'],
    ['no type', () => aToken({ header: { typ: undefined } }), 'TOKEN_INVALID'],
    ['expired beyond the leeway', () => aToken({ claims: { exp: seconds() - 31 } }), 'TOKEN_EXPIRED'],
    ['not valid yet', () => aToken({ claims: { nbf: seconds() + 60 } }), 'TOKEN_INVALID'],
    ['no expiry', () => aToken({ claims: { exp: undefined } as never }), 'TOKEN_INVALID'],
    ['older than any token', () => aToken({ claims: { iat: seconds() - 91 * 86_400 } }), 'TOKEN_EXPIRED'],
    ['a token past its end, however long its session', () => limited({ exp: seconds() - 31 }), 'TOKEN_EXPIRED'],
    ['an unknown scope', () => limited({ castellan_scope: 'admin' }), 'TOKEN_INVALID'],
    ['a scope that is a list', () => limited({ castellan_scope: ['read'] }), 'TOKEN_INVALID'],
    ['an empty scope', () => limited({ castellan_scope: '' }), 'TOKEN_INVALID'],
    ['no scope, in so many words', () => limited({ castellan_scope: null }), 'TOKEN_INVALID'],
    ['a vault without its chain', () => limited({ castellan_vault: vaultAddress }), 'TOKEN_INVALID'],
    ['a vault that is no address', () => limited({ castellan_vault: '31337:0x12' }), 'TOKEN_INVALID'],
    ['two vaults', () => limited({ castellan_vault: `1:${vaultAddress}:${vaultAddress}` }), 'TOKEN_INVALID'],
    ['a vault that is an object', () => limited({ castellan_vault: { chain_id: 1 } }), 'TOKEN_INVALID'],
    ['a time of signing that is text', () => limited({ auth_time: 'now' }), 'TOKEN_INVALID'],
    ['no session', () => aToken({ claims: { sid: undefined } as never }), 'TOKEN_INVALID'],
    ['a session without a name', () => aToken({ claims: { sid: '' } }), 'TOKEN_INVALID'],
    ['no wallet', () => aToken({ claims: { wallet_address: undefined } }), 'TOKEN_INVALID'],
    ['a wallet that is no address', () => aToken({ claims: { wallet_address: '0x12' } }), 'TOKEN_INVALID'],
  ];
  test.each(bad)('error: %s', async (_name, make, code) => {
    gateway.spy.length = 0;
    const answer = await ask(await make());
    expect(answer.json()).toMatchObject({ status: 401, code });
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
    expect(gateway.spy).toEqual([]);
  });

  test('default: what a token leaves out, and when its wallet signed, is passed to the services', async () => {
    const castellan_vault = `31337:${vaultAddress.toLowerCase()}`;
    const token = await aToken({ claims: { castellan_scope: 'prepare', castellan_vault, auth_time: 1_700_000_000 } });
    gateway.spy.length = 0;
    expect((await ask(token)).statusCode).toBe(200);
    expect((await gateway.ports.verifier.verify(token, hashOf(token))).caller.scope).toBe('prepare');
    expect(gateway.spy[0]?.caller).toMatchObject({
      scope: 'read',
      vault: { chain_id: 31337, vault_address: vaultAddress },
      auth_time: 1_700_000_000,
    });
  });

  test('behavior: within the leeway an expired token still counts', async () => {
    expect((await ask(await aToken({ claims: { exp: seconds() - 20 } }))).statusCode).toBe(200);
  });

  test('behavior: a remembered token is refused once it expires', async () => {
    const token = await aToken({ claims: { exp: seconds() + 5 } });
    expect((await ask(token)).statusCode).toBe(200);
    expect(gateway.ports.verifier.walletOf(hashOf(token))).toBe(managerAddress);
    gateway.clock.now += 36_000;
    expect((await ask(token)).json()).toMatchObject({ code: 'TOKEN_EXPIRED' });
    gateway.clock.now -= 36_000;
  });

  test('behavior: an ended session is refused at once, also when its token was remembered', async () => {
    const token = await aToken({ claims: { sid: 'to-end' } });
    expect((await ask(token)).statusCode).toBe(200);
    gateway.ports.revocations.add('to-end', Date.now() + 3_600_000);
    expect((await ask(token)).json()).toMatchObject({ code: 'TOKEN_REVOKED' });
    const another = await aToken({ claims: { sid: 'to-end' } });
    expect((await ask(another)).json()).toMatchObject({ code: 'TOKEN_REVOKED' });
  });

  test('behavior: a public route does not look at the token', async () => {
    expect((await ask('nonsense', '/api/v1/chains')).statusCode).toBe(200);
  });
});

describe('a hosted issuer', () => {
  const hostedToken = (claims: JWTPayload = {}, header = {}) =>
    aToken({
      claims: {
        iss: hosted,
        aud: 'their-client',
        sid: undefined,
        scope: 'openid castellan',
        wallets: { primary: vaultAddress.toLowerCase() },
        wallet_address: undefined,
        ...claims,
      } as JWTPayload,
      header: { alg: 'RS256', kid: 'hosted-1', typ: 'JWT', ...header },
      key: keys.privateKey,
    });

  test('error: SERVICE_UNAVAILABLE, not 401, while its keys cannot be had', async () => {
    const fresh = await startGateway();
    jwksStatus = 500;
    try {
      const answer = await ask(await hostedToken(), '/api/v1/auth/me', fresh);
      expect(answer.json()).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    } finally {
      jwksStatus = 200;
      await fresh.stop();
    }
  });

  test('default: its tokens count, with the wallet where the configuration says', async () => {
    gateway.spy.length = 0;
    expect((await ask(await hostedToken())).statusCode).toBe(200);
    expect(gateway.spy[0]?.caller).toMatchObject({ wallet_address: vaultAddress, issuer: hosted });
  });

  const callerFor = async (claims: JWTPayload) => {
    gateway.spy.length = 0;
    expect((await ask(await hostedToken(claims))).statusCode).toBe(200);
    return gateway.spy[0]?.caller;
  };

  test('behavior: names of ours in its claims say nothing', async () => {
    const caller = await callerFor({ castellan_scope: 'nonsense', castellan_vault: 'nonsense' });
    const token = await hostedToken({ castellan_scope: 'nonsense' });
    expect((await gateway.ports.verifier.verify(token, hashOf(token))).caller).not.toHaveProperty('scope');
    expect(caller).not.toHaveProperty('vault');
  });

  test('behavior: its holder signed in at auth_time, else when the token was issued', async () => {
    const iat = seconds() - 100;
    expect(await callerFor({ iat, auth_time: iat - 500 })).toMatchObject({ auth_time: iat - 500 });
    expect(await callerFor({ iat })).toMatchObject({ auth_time: iat });
  });

  test('behavior: a time of signing in milliseconds, ahead of us or as text is none', async () => {
    for (const auth_time of [Date.now(), seconds() + 3600, 'today']) {
      expect(await callerFor({ auth_time })).not.toHaveProperty('auth_time');
    }
  });

  test('error: its rules hold', async () => {
    const codes = await Promise.all(
      [
        hostedToken({ scope: 'openid' }),
        hostedToken({ aud: 'castellan' }),
        hostedToken({ wallets: {} }),
        hostedToken({ exp: seconds() - 60 }),
        aToken({ claims: { iss: hosted, aud: 'their-client' } }),
      ].map(async (token) => (await ask(await token)).json().code as string),
    );
    expect(codes).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID', 'TOKEN_INVALID', 'TOKEN_EXPIRED', 'TOKEN_INVALID']);
  });

  test('error: an algorithm that is not on its list, by its own key', async () => {
    const key = await importJWK(await exportJWK(keys.privateKey), 'PS256');
    const token = await aToken({
      claims: { iss: hosted, aud: 'their-client', scope: 'castellan', wallets: { primary: vaultAddress } },
      header: { alg: 'PS256', kid: 'hosted-1' },
      key,
    });
    expect((await ask(token)).json()).toMatchObject({ code: 'TOKEN_INVALID' });
  });

  test('behavior: ended sessions of the embedded issuer say nothing of its tokens', async () => {
    gateway.ports.revocations.add('shared-sid', Date.now() + 3_600_000);
    expect((await ask(await hostedToken({ sid: 'shared-sid' }))).statusCode).toBe(200);
  });

  test('behavior: keys are read once, not for each token', async () => {
    expect((await ask(await hostedToken())).statusCode).toBe(200);
    const before = jwksReads;
    for (let n = 0; n < 5; n += 1) await ask(await hostedToken({ jti: String(n) }));
    expect(jwksReads).toBe(before);
  });
});

test('error: 503 while the embedded provider is away and its keys are not known yet', async () => {
  const { busKeySet, embeddedIssuer } = await import('@castellan/tokens');
  const away = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'away'));
  const lonely = embeddedIssuer({ issuer, audience: 'castellan', getKey: busKeySet(away, Date.now) });
  const { createTokenVerifier } = await import('@castellan/tokens');
  const verifier = createTokenVerifier({
    issuers: [lonely],
    revocations: { has: () => false },
    cacheEntries: 10,
    now: Date.now,
    count: () => undefined,
  });
  const token = await aToken();
  await expect(verifier.verify(token, hashOf(token))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
