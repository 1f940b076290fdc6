import { expect, test } from '@jest/globals';
import type { AuditEntry } from '../domain/audit-entry.ts';
import { type Challenge, siweMessageOf } from '../domain/challenge.ts';
import { createToken } from './create-token.ts';

const relier = { origin: 'https://app.example.org' };
const issuedAt = Date.parse('2026-01-01T00:00:00Z');
const challenge: Challenge = {
  nonce: 'abcdefgh12345678',
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainId: 31337,
  issuedAt: new Date(issuedAt),
  expiresAt: new Date(issuedAt + 300_000),
};
const message = siweMessageOf(challenge, relier);

const exchangeAt = (nowMs: number, isValid = () => true, isByContract = async () => false) => {
  let unused = true;
  let attempts = 0;
  const begun: string[] = [];
  const chains: (number | null)[] = [];
  const recorded: AuditEntry[] = [];
  const exchange = createToken({
    challenges: {
      find: async (nonce) => (nonce === challenge.nonce && unused ? challenge : undefined),
      use: async () => {
        const isFirst = unused;
        unused = false;
        return isFirst;
      },
    },
    signatures: { isByKey: async () => isValid(), isByContract },
    quota: { secondsToWait: async (_key, limit) => Math.max(0, ++attempts - limit) },
    attemptsPerMinute: 2,
    sessions: {
      begin: async ({ sid, chainId }, row) => {
        chains.push(chainId);
        begun.push(sid);
        recorded.push(row);
      },
      listSurplus: async () => [],
      find: async () => undefined,
      end: async () => undefined,
    },
    issuer: relier.origin,
    sessionsPerWallet: 5,
    signToken: async () => 'token',
    makeSessionId: () => 'sid',
    now: () => nowMs,
    sessionSeconds: 60,
    relier,
  });
  return {
    begun,
    chains,
    recorded,
    exchange: (text = message) => exchange({ method: 'siwe', message: text, signature: '0x00' }, '192.0.2.1'),
  };
};

test('default: within five minutes the nonce gives a token', async () => {
  const { begun, recorded, exchange } = exchangeAt(issuedAt + 299_999);
  expect(await exchange()).toMatchObject({ access_token: 'token', expires_in: 60 });
  expect(begun).toEqual(['sid']);
  expect(recorded.map(({ action_type, details }) => [action_type, details])).toEqual([
    ['signed_in', { session_id: 'sid', method: 'siwe', expires_at: '2026-01-01T00:05:59.000Z' }],
  ]);
});

test('error: NONCE_INVALID after five minutes, though the store still has it', async () => {
  const { begun, exchange } = exchangeAt(issuedAt + 300_000);
  await expect(exchange()).rejects.toMatchObject({ code: 'NONCE_INVALID' });
  expect(begun).toEqual([]);
});

test('error: SIGNATURE_INVALID begins no session', async () => {
  const { begun, recorded, exchange } = exchangeAt(issuedAt, () => false);
  await expect(exchange()).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  expect([...begun, ...recorded]).toEqual([]);
});

test('error: SIGNATURE_INVALID for the message of another page', async () => {
  const { exchange } = exchangeAt(issuedAt);
  const phished = message.replaceAll('app.example.org', 'evil.example.org');
  await expect(exchange(phished)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
});

test('behavior: a wrong signature leaves the nonce to the wallet; a good one uses it up', async () => {
  let isValid = false;
  const { exchange } = exchangeAt(issuedAt, () => isValid);
  await expect(exchange()).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' });
  isValid = true;
  expect(await exchange()).toMatchObject({ access_token: 'token' });
  await expect(exchange()).rejects.toMatchObject({ code: 'NONCE_INVALID' });
});

test('behavior: wrong signatures of a network are limited, and a good one of a key passes all the same', async () => {
  let isValid = false;
  const { exchange } = exchangeAt(issuedAt, () => isValid);
  const codes: string[] = [];
  for (let n = 0; n < 4; n += 1) await exchange().catch(({ code }) => codes.push(code));
  expect(codes).toEqual(['SIGNATURE_INVALID', 'SIGNATURE_INVALID', 'RATE_LIMITED', 'RATE_LIMITED']);
  isValid = true;
  expect(await exchange()).toMatchObject({ access_token: 'token' });
});

test('behavior: a session keeps the chain whose contract took the signature; one of a key has none', async () => {
  const byKey = exchangeAt(issuedAt);
  await byKey.exchange();
  const byContract = exchangeAt(
    issuedAt,
    () => false,
    async () => true,
  );
  await byContract.exchange();
  expect([byKey.chains, byContract.chains]).toEqual([[null], [challenge.chainId]]);
});
