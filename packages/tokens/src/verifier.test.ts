import { AppError } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { busKeySet, embeddedIssuer, type Issuer } from './issuers.ts';
import { embeddedLimits } from './limits.ts';
import { createRevocations } from './revocations.ts';
import { createTokenVerifier } from './verifier.ts';

const issuer = 'https://id.example.org';
const audience = 'castellan';
const wallet_address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const startMs = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;

async function scene(parts: Partial<Issuer> = {}) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' };
  const world = { keys: [jwk], now: startMs, isAway: false, asked: 0, outcomes: [] as string[] };
  const now = () => world.now;
  const getKey = busKeySet(async () => ({ keys: world.keys }), now);
  const embedded = embeddedIssuer({ issuer, audience, getKey });
  const counted: Issuer['getKey'] = (header, token) => {
    world.asked += 1;
    if (world.isAway) throw new AppError('SERVICE_UNAVAILABLE', 'away');
    return getKey(header, token);
  };
  const verifier = createTokenVerifier({
    issuers: [{ ...embedded, getKey: counted, ...parts }],
    revocations: createRevocations(now),
    cacheEntries: 10,
    now,
    count: (outcome) => void world.outcomes.push(outcome),
  });
  const seconds = startMs / 1000;
  const claims = { iss: issuer, aud: audience, sub: wallet_address, sid: 's1', wallet_address };
  const token = await new SignJWT({ ...claims, iat: seconds, nbf: seconds, exp: seconds + 90 * 86_400 })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' })
    .sign(privateKey);
  const verify = () =>
    verifier.verify(token, 'hash').then(
      ({ caller }) => caller.wallet_address,
      ({ code }: AppError) => code,
    );
  return { world, verify, walletOf: () => verifier.walletOf('hash') };
}

test('default: a token is verified once in ten minutes', async () => {
  const { world, verify } = await scene();
  for (const at of [0, 9.9 * minute, 10 * minute, 19 * minute]) {
    world.now = startMs + at;
    expect(await verify()).toBe(wallet_address);
  }
  expect(world.outcomes).toEqual(['verified', 'cached', 'verified', 'cached']);
});

test('error: TOKEN_INVALID within twenty minutes after its key was deleted, though it was good before', async () => {
  const { world, verify, walletOf } = await scene();
  await verify();
  world.keys = [];
  world.now += 20 * minute;
  expect(await verify()).toBe('TOKEN_INVALID');
  expect(walletOf()).toBeUndefined();
});

test('behavior: while another issuer does not answer, what was good stays so, and it is asked every 30 s', async () => {
  const { world, verify } = await scene({ isEmbedded: false, maxTokenAgeSeconds: undefined });
  await verify();
  world.isAway = true;
  world.now += 10 * minute;
  for (let n = 0; n < 3; n += 1) expect(await verify()).toBe(wallet_address);
  expect(world.asked).toBe(2);
  world.now += minute / 2;
  world.isAway = false;
  world.keys = [];
  world.now += 10 * minute;
  expect(await verify()).toBe('TOKEN_INVALID');
});

test('error: SERVICE_UNAVAILABLE for a token that was never verified, and for one of the embedded issuer', async () => {
  for (const parts of [{}, { isEmbedded: false }]) {
    const { world, verify } = await scene(parts);
    world.isAway = true;
    expect(await verify()).toBe('SERVICE_UNAVAILABLE');
  }
  const { world, verify } = await scene();
  await verify();
  world.isAway = true;
  world.now += 10 * minute;
  expect(await verify()).toBe('SERVICE_UNAVAILABLE');
});

describe('limits of a token', () => {
  const claimed = (claims: JWTPayload) => () => embeddedLimits(claims);

  test('default: the chain on which a contract wallet was proven; none for a key', () => {
    expect(claimed({ castellan_chain: 8453 })()).toEqual({ chain_id: 8453 });
    expect(claimed({})()).toEqual({});
  });

  test.each(['8453', 0, -1, 1.5, null, [8453]])('error: TOKEN_INVALID for the chain %p', (castellan_chain) => {
    expect(claimed({ castellan_chain })).toThrow(expect.objectContaining({ code: 'TOKEN_INVALID' }));
  });
});
