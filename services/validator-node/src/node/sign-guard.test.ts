import { expect, test } from '@jest/globals';
import { type Address, zeroHash } from 'viem';
import { judge, recovered, type SignedSoFar } from '../store/guard.ts';
import { ensureGuard } from './sign-guard.ts';

const signer: Address = '0x00000000000000000000000000000000000000AA';
const strategy: Address = '0x00000000000000000000000000000000000000bb';

function guardless(setting: 'refuse' | 'wait' | 'sign') {
  const made: SignedSoFar[] = [];
  return {
    made,
    options: {
      signer,
      setting,
      futureToleranceSeconds: 30,
      store: {
        hasGuard: async () => made.length > 0,
        beginGuard: async (first: SignedSoFar) => void made.push(first),
      },
      chains: [{ pricesSoFar: async () => ({ chainId: 1, headSeconds: 1_000n, nonces: [{ strategy, nonce: 7n }] }) }],
    },
  };
}

const asked = (epoch: number, round: number, timestamp: bigint, nonce = 7n) => ({
  digest: zeroHash,
  epoch,
  round,
  canonicalNonces: new Map(),
  entries: [{ chainId: 1, strategy, nonce, timestamp }],
});

test('error: a listed signer without a guard is refused, and the setting is named', async () => {
  const { options, made } = guardless('refuse');
  await expect(ensureGuard('member', options)).rejects.toThrow(
    /document store has no guard.*ocr2\.empty_guard = "wait"/,
  );
  expect(made).toEqual([]);
});

test('behavior: a signer that is not listed gets its guard, and is taken when it is listed', async () => {
  const { options, made } = guardless('refuse');
  await ensureGuard('refused', options);
  expect(made).toEqual([]);
  await ensureGuard('outsider', options);
  await ensureGuard('member', options);
  expect(made).toEqual([{ rounds: {}, entries: {} }]);
});

test('behavior: allowed, it signs nothing before an epoch was waited out, and no price that it may have signed', async () => {
  const { options, made } = guardless('wait');
  await ensureGuard('member', options);
  const begun = made[0] as SignedSoFar;
  expect(judge(begun, asked(9, 9, 2_000n))).toBe('recovering');
  const after = recovered(begun, zeroHash, 9);
  expect(judge(after, asked(9, 254, 2_000n))).toBe('round_not_above');
  expect(judge(after, asked(10, 1, 1_030n))).toBe('timestamp_not_above');
  expect(judge(after, asked(10, 1, 1_031n, 6n))).toBe('nonce_not_above');
  expect(judge(after, asked(10, 1, 1_031n))).toMatchObject({ refusals: [null], after: { entries: {} } });
});

test('error: no guard is made from a chain that does not answer', async () => {
  const { options, made } = guardless('wait');
  const chains = [{ pricesSoFar: () => Promise.reject(new Error('away')) }];
  await expect(ensureGuard('member', { ...options, chains })).rejects.toThrow('away');
  expect(made).toEqual([]);
});
