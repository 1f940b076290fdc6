import { expect, test } from '@jest/globals';
import { type Challenge, siweMessageOf } from '../domain/challenge.ts';
import type { Session } from '../domain/session.ts';
import { stepUp } from './step-up.ts';

const relier = { origin: 'https://app.example.org' };
const issuedAt = new Date('2026-01-01T00:00:00Z');
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const later = new Date(issuedAt.getTime() + 300_000);

/** A session proven on a chain (null: by the wallet's key), and a signature given for it on another one. */
function signing({ begunOn, signedOn, isByKey }: { begunOn: number | null; signedOn: number; isByKey: boolean }) {
  const challenge: Challenge = {
    nonce: 'abcdefgh12345678',
    address: wallet,
    chainId: signedOn,
    issuedAt,
    expiresAt: later,
  };
  const session: Session = {
    sid: 's',
    kind: 'session',
    name: null,
    scope: 'full',
    vault: null,
    parent: null,
    wallet,
    chainId: begunOn,
    authTime: issuedAt,
    issuedAt,
    expiresAt: later,
    revokedAt: null,
  };
  let signed: Session | undefined;
  const ports: Parameters<typeof stepUp>[0] = {
    challenges: { find: async () => challenge, use: async () => true },
    signatures: { isByKey: async () => isByKey, isByContract: async () => true },
    quota: { secondsToWait: async () => 0 },
    attemptsPerMinute: 1,
    sessions: { find: async () => session, keepSignature: async () => undefined },
    signToken: async (of) => {
      signed = of;
      return 'token';
    },
    now: () => issuedAt.getTime(),
    issuer: relier.origin,
    relier,
    distrust: () => undefined,
  };
  const caller = { wallet_address: wallet, sid: 's', issuer: relier.origin };
  const message = siweMessageOf(challenge, relier);
  return stepUp(ports)({ method: 'siwe', message, signature: '0x00' }, caller, '192.0.2.1').then(
    () => signed?.chainId,
    ({ code }: { code: string }) => code,
  );
}

test.each([
  ['a key for the session of a key', { begunOn: null, signedOn: 1, isByKey: true }, null],
  ['a contract on the chain of its session', { begunOn: 1, signedOn: 1, isByKey: false }, 1],
  ['a key for the session of a contract, which stays on its chain', { begunOn: 1, signedOn: 8453, isByKey: true }, 1],
])('behavior: %s steps up', async (_what, how, chainId) => {
  expect(await signing(how)).toBe(chainId);
});

test.each([
  ['a contract on another chain', { begunOn: 1, signedOn: 8453, isByKey: false }],
  ['a contract for a session of which no chain is known', { begunOn: null, signedOn: 1, isByKey: false }],
])('error: SIGNATURE_INVALID for %s', async (_what, how) => {
  expect(await signing(how)).toBe('SIGNATURE_INVALID');
});
