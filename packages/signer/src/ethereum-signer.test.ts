import { setImmediate } from 'node:timers/promises';
import { servedKey } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { parseTransaction, recoverTransactionAddress } from 'viem';
import { ethereumSigner } from './ethereum-signer.ts';
import { KeyServiceError, type RemoteKey } from './remote-key.ts';
import { transactionSigner } from './transaction-signer.ts';

const key = servedKey(`0x${'5a'.repeat(32)}`);
const remote = (sign: RemoteKey['sign'] = ({ digest }) => key.sign(digest)): RemoteKey => ({
  name: 'test:key',
  readPublicKey: async () => key.publicKey,
  sign,
});

test('default: 16 requests at once, and the others after them, though some fail', async () => {
  let running = 0;
  let most = 0;
  let asked = 0;
  const signer = await ethereumSigner(
    remote(async ({ digest }) => {
      asked += 1;
      running += 1;
      most = Math.max(most, running);
      await setImmediate();
      running -= 1;
      if (asked % 2 === 0) throw new KeyServiceError('throttled', 'busy');
      return key.sign(digest);
    }),
  );
  const signed = await Promise.allSettled(Array.from({ length: 40 }, () => signer.signKeccak256('0x01')));
  expect([asked, most]).toEqual([40, 16]);
  expect(signed.some(({ status }) => status === 'fulfilled')).toBe(true);
  await signer.signKeccak256('0x01').catch(() => undefined);
  expect(asked).toBe(41);
});

test.each([0n, 1n << 256n, 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n])(
  'error: %i is no part of a signature',
  async (number) => {
    for (const parts of [
      { r: number, s: 1n },
      { r: 1n, s: number },
    ]) {
      const signer = await ethereumSigner(remote(async () => parts));
      await expect(signer.signKeccak256('0x01')).rejects.toMatchObject({ fault: 'wrong_key' });
    }
  },
);

test.each([
  { type: 'eip1559', maxFeePerGas: 7n, maxPriorityFeePerGas: 1n },
  { type: 'legacy', gasPrice: 7n },
] as const)('behavior: a transaction of type $type is signed by the key', async (fees) => {
  const { address, signTransaction } = transactionSigner(await ethereumSigner(remote()));
  const call = { chainId: 8453, nonce: 3, to: address, data: '0x1234', gas: 21_000n, value: 0n } as const;
  const serializedTransaction = await signTransaction({ ...call, ...fees });
  expect(parseTransaction(serializedTransaction)).toMatchObject({ chainId: 8453, nonce: 3, data: '0x1234' });
  expect(await recoverTransactionAddress({ serializedTransaction: serializedTransaction as never })).toBe(address);
});
