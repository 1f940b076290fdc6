import { expect, test } from '@jest/globals';
import { type Hex, keccak256, parseTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { feeDefaults } from './fees.ts';
import { freeNonce, gapsBelow } from './nonces.ts';
import { transactor } from './transactor.ts';

const signer = privateKeyToAccount(keccak256('0x01'));
const to = `0x${'5'.repeat(40)}` as const;
const call = { to, data: '0x1234', gas: 50_000n } as const;
const minTip = feeDefaults.minTip;

/** An account on a quiet chain, with room for three bumps. */
const anAccount = ({
  limit = minTip * 2n,
  balance = 10n ** 18n,
  empty = null as bigint | null,
  l1Fee = 0n,
  type = 'eip1559' as 'eip1559' | 'legacy',
  baseFee = 0n,
} = {}) =>
  transactor({
    signer,
    chain: {
      chainId: 1,
      market: async () => ({ baseFee, tip: 0n }),
      balance: async () => balance,
      estimateEmpty: async () => empty,
      l1Fee: async ({ dataBytes }) => BigInt(dataBytes) * l1Fee,
    },
    policy: { ...feeDefaults, type, maxFeeLimit: limit, maxTip: limit },
    bumpAfterBlocks: 5,
  });
const fees = { maxFee: minTip, tip: minTip };
const read = (raw: Hex) => parseTransaction(raw);

test('default: a form is signed for its chain, nonce, call and fees, and its hash is known before it is sent', async () => {
  const form = await anAccount().sign({ nonce: 7, fees, call });
  expect(form).toEqual({ hash: keccak256(form.raw), raw: form.raw, fees, purpose: 'deliver' });
  expect(read(form.raw)).toMatchObject({ type: 'eip1559', chainId: 1, nonce: 7, ...call, maxFeePerGas: minTip });
  const legacy = await anAccount({ type: 'legacy' }).sign({ nonce: 7, fees, call });
  expect(read(legacy.raw)).toMatchObject({ type: 'legacy', chainId: 1, gasPrice: minTip });
});

test('behavior: a first form takes a third more gas than its estimate, and never more than the limit', async () => {
  const account = anAccount();
  expect(await account.quote(100_000n, 1_000_000n, call.data)).toEqual({
    gas: 130_000n,
    fees,
    needed: 130_000n * minTip,
    balance: 10n ** 18n,
    baseFee: 0n,
  });
  expect((await account.quote(900_000n, 1_000_000n, call.data)).gas).toBe(1_000_000n);
});

test('behavior: what a rollup charges beside the gas has to be paid, too', async () => {
  const gasCost = 130_000n * minTip;
  expect(await anAccount({ l1Fee: 7n }).quote(100_000n, 1_000_000n, call.data)).toMatchObject({
    needed: gasCost + 14n,
  });
  const raised = { maxFee: 1_125_000n, tip: 1_125_000n };
  const balance = call.gas * raised.maxFee;
  expect(await anAccount({ balance }).raised({ nonce: 7, fees, call })).toHaveProperty('raw');
  expect(await anAccount({ balance, l1Fee: 7n }).raised({ nonce: 7, fees, call })).toEqual({
    lacks: 'balance',
    balance,
    needed: balance + 14n,
  });
});

test('behavior: an empty form goes to the account itself, with the gas that the chain asks for it', async () => {
  const plain = await anAccount().fill(3);
  expect(plain.purpose).toBe('cancel');
  expect(read(plain.raw)).toMatchObject({ nonce: 3, to: signer.address.toLowerCase(), gas: 21_000n });
  expect(read((await anAccount({ empty: 90_000n }).fill(3)).raw).gas).toBe(90_000n);
});

test('behavior: a dearer form has the same nonce and purpose, at both fields an eighth more or what the caller wants', async () => {
  const higher = await anAccount().raised({ nonce: 7, fees, call });
  if (!('raw' in higher)) throw new Error('No form was made.');
  expect(higher).toMatchObject({ purpose: 'deliver', fees: { maxFee: 1_125_000n, tip: 1_125_000n } });
  expect(read(higher.raw)).toMatchObject({ nonce: 7, ...call });
  const wanted = { maxFee: minTip * 2n, tip: minTip * 2n };
  expect(await anAccount().raised({ nonce: 7, fees, call: null }, wanted)).toMatchObject({
    purpose: 'cancel',
    fees: wanted,
  });
});

test('behavior: without room below the limit, or money, there is no dearer form', async () => {
  expect(await anAccount({ limit: minTip }).raised({ nonce: 7, fees, call })).toEqual({ lacks: 'room' });
  expect(await anAccount({ balance: 1n }).raised({ nonce: 7, fees, call })).toEqual({
    lacks: 'balance',
    balance: 1n,
    needed: 50_000n * 1_125_000n,
  });
});

test('behavior: a form that does something leaves room below the limit for one that takes its nonce', async () => {
  const limit = 100n * minTip;
  const account = anAccount({ limit, baseFee: 60n * minTip });
  const { fees: first } = await account.quote(1n, 1n, call.data);
  expect(first.maxFee).toBe((limit * 1000n) / 1125n);
  expect(await account.raised({ nonce: 7, fees: first, call })).toEqual({ lacks: 'room' });
  const { fees: last, purpose } = await account.emptied({ nonce: 7, fees: first, call });
  expect(purpose).toBe('cancel');
  expect(last.maxFee * 1000n).toBeGreaterThanOrEqual(first.maxFee * 1125n);
  expect(last.maxFee).toBeLessThanOrEqual(limit);
  expect(last.tip * 1000n).toBeGreaterThanOrEqual(first.tip * 1125n);
  expect((await account.fill(7)).fees.maxFee).toBe(limit);
});

test('behavior: what is given up is made empty even where no more may be offered, at the old price', async () => {
  const dearer = await anAccount().emptied({ nonce: 7, fees, call });
  expect(dearer).toMatchObject({ purpose: 'cancel', fees: { maxFee: 1_125_000n } });
  const same = await anAccount({ limit: minTip }).emptied({ nonce: 7, fees, call });
  expect(same).toMatchObject({ purpose: 'cancel', fees });
  expect(read(same.raw).data).toBeUndefined();
});

test('behavior: the next nonce is the lowest that is free, and gaps are those below the highest', () => {
  expect(freeNonce(4, new Set())).toBe(4);
  expect(freeNonce(4, new Set([2, 4, 5, 7]))).toBe(6);
  expect(gapsBelow(8, 4, new Set([2, 4, 5, 7]))).toEqual([6]);
  expect(gapsBelow(3, 4, new Set())).toEqual([]);
});
