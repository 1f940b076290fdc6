import { longestTokenSeconds, SessionStream } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { hasRecentSignature, keyOverlapSeconds } from './session.ts';

const caller = { wallet_address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', sid: 's', issuer: 'i' };

test('behavior: a signature is recent until it is as old as the limit', () => {
  const at = (ageMs: number) => hasRecentSignature({ ...caller, auth_time: 1_000_000 }, 1800, 1_000_000_000 + ageMs);
  expect([at(0), at(1_799_999), at(1_800_000)]).toEqual([true, true, false]);
});

test('behavior: a token that does not say when its wallet signed is never recent, but where nothing is asked', () => {
  expect(hasRecentSignature(caller, 1800, 0)).toBe(false);
  expect(hasRecentSignature(caller, 0, 0)).toBe(true);
});

test('behavior: a key is published as long as the longest token it may have signed', () => {
  expect(keyOverlapSeconds(3600, 90)).toBe(longestTokenSeconds + 90);
});

test('behavior: the stream of ended sessions outlives every token', () => {
  expect(SessionStream.maxAgeSeconds).toBeGreaterThan(longestTokenSeconds);
});
