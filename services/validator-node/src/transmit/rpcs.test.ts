import { feeDefaults } from '@castellan/transactor';
import { expect, test } from '@jest/globals';
import { createPublicClient, custom, numberToHex, type PublicClient, pad, parseGwei } from 'viem';
import { lookAtChain } from './rpcs.ts';
import { type TransmitSettings, transmitDefaults } from './types.ts';

const settings: TransmitSettings = {
  ...{ ...transmitDefaults, chainId: 1, finality: 'finalized', maxAgeSeconds: 100 },
  fees: { ...feeDefaults, maxFeeLimit: parseGwei('500'), maxTip: parseGwei('20') },
};
const account = pad('0x1', { size: 20 });

/** A node with this head, on which these tips are paid; undefined: it answers nothing about fees. */
const rpc = (head: bigint, tip: string | undefined): PublicClient =>
  createPublicClient({
    cacheTime: 0,
    transport: custom(
      {
        request: async ({ method }) => {
          if (method === 'eth_chainId') return '0x1';
          if (method === 'eth_getBlockByNumber')
            return { number: numberToHex(head), hash: pad('0x1'), timestamp: '0x1', transactions: [] };
          if (method !== 'eth_feeHistory' || tip === undefined) throw new Error(`${method} is not answered`);
          const reward = [[numberToHex(parseGwei(tip)), numberToHex(parseGwei(tip))]];
          return { oldestBlock: '0x1', baseFeePerGas: ['0x5', '0x6'], gasUsedRatio: [0.5], reward };
        },
      },
      { retryCount: 0 },
    ),
  }) as PublicClient;

const tipOf = async (...rpcs: PublicClient[]) => (await (await lookAtChain(rpcs, account, settings)).market()).tip;

test('behavior: an endpoint whose blocks pay absurd tips does not make ours absurd', async () => {
  expect(await tipOf(rpc(100n, '500'), rpc(99n, '2'))).toBe(parseGwei('2'));
});

test('behavior: one that is far behind, or does not answer, is not asked for what gas costs now', async () => {
  expect(await tipOf(rpc(100n, '3'), rpc(94n, '2'), rpc(100n, undefined))).toBe(parseGwei('3'));
});

test('error: no endpoint says what gas costs', async () => {
  await expect(tipOf(rpc(100n, undefined))).rejects.toThrow('eth_feeHistory');
});
