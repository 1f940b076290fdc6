import { expect, test } from '@jest/globals';
import type { Challenge } from '../domain/challenge.ts';
import { createNonce } from './create-nonce.ts';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const relier = { origin: 'https://app.example.org' };

/** Nonces of a network that may have two of an address within the minute. */
const asking = () => {
  const kept: { challenge: Challenge; network: string }[] = [];
  const counts = new Map<string, number>();
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const create = createNonce({
    challenges: {
      save: async (challenge, network) => void kept.push({ challenge, network }),
      latest: async (asked, at) =>
        kept.findLast(({ challenge, network }) => network === asked.network && challenge.expiresAt > at)?.challenge,
    },
    quota: {
      secondsToWait: async (key, limit) => {
        counts.set(key, (counts.get(key) ?? 0) + 1);
        return (counts.get(key) ?? 0) > limit ? 30 : 0;
      },
    },
    noncesPerMinute: 2,
    knowsChain: (chainId) => chainId === 1,
    makeNonce: () => `nonce${kept.length}`.padEnd(12, '0'),
    now: () => clock.now,
    nonceSeconds: 300,
    relier,
  });
  return { kept, clock, ask: (network: string, chain_id = 1) => create({ address, chain_id }, network) };
};

test('default: each has a nonce of its own, and both messages to sign', async () => {
  const { ask } = asking();
  const first = await ask('192.0.2.1');
  const second = await ask('192.0.2.1');
  expect(first.nonce).not.toBe(second.nonce);
  expect(first.siwe_message).toContain(first.nonce);
  expect(first.typed_data.message.nonce).toBe(first.nonce);
});

test('behavior: beyond its budget a network gets its last nonce again, and another network one of its own', async () => {
  const { ask } = asking();
  await ask('192.0.2.1');
  const second = await ask('192.0.2.1');
  expect(await ask('192.0.2.1')).toEqual(second);
  expect((await ask('192.0.2.2')).nonce).not.toBe(second?.nonce);
});

test('error: RATE_LIMITED only when none of the nonces is left', async () => {
  const { ask, kept } = asking();
  for (let n = 0; n < 2; n += 1) await ask('192.0.2.1');
  // Used up by good signatures.
  kept.splice(0);
  await expect(ask('192.0.2.1')).rejects.toMatchObject({ code: 'RATE_LIMITED', data: { retry_after_seconds: 30 } });
});

test('error: CHAIN_NOT_FOUND for a chain that is not served', async () => {
  await expect(asking().ask('192.0.2.1', 5)).rejects.toMatchObject({ code: 'CHAIN_NOT_FOUND' });
});
