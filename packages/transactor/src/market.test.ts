import { expect, test } from '@jest/globals';
import { createPublicClient, custom, numberToHex, type PublicClient, toHex } from 'viem';
import { feeDefaults } from './fees.ts';
import { currentMarket, type Reading, readMarket } from './market.ts';

const at = (newest: bigint, baseFee: bigint, tip = 2n): Reading => ({
  ...{ newest, saysTips: true },
  market: { baseFee, tip, highTip: 9n },
});

test('behavior: of those that are about as far the lowest counts, whatever one of them that is behind says', () => {
  expect(currentMarket([at(100n, 10n), at(95n, 8n)]).baseFee).toBe(8n);
  expect(currentMarket([at(100n, 10n), at(94n, 1n)]).baseFee).toBe(10n);
  expect(currentMarket([at(94n, 1n), at(101n, 12n), at(100n, 10n)]).baseFee).toBe(10n);
  expect(currentMarket([at(1n, 1n)]).baseFee).toBe(1n);
});

test('security: one of three that claims to be far ahead does not have its price paid', () => {
  expect(currentMarket([at(100n, 10n), at(9_999n, 500n), at(101n, 12n)]).baseFee).toBe(10n);
});

test('security: one of two that claims to be far ahead does not have its tip paid', () => {
  expect(currentMarket([at(100n, 10n, 2n), at(9_999n, 500n, 400n)]).tip).toBe(2n);
});

test('behavior: one that says nothing of tips lowers none; where none does, there is none', () => {
  const silent: Reading = { ...at(100n, 8n, 0n), saysTips: false };
  expect(currentMarket([at(100n, 10n, 3n), silent, at(100n, 10n, 2n)])).toMatchObject({ baseFee: 8n, tip: 2n });
  expect(currentMarket([at(100n, 10n, 3n), at(100n, 10n, 0n)]).tip).toBe(0n);
  expect(currentMarket([silent]).tip).toBe(0n);
});

/** A node at this block, which asks this base fee. */
const node = (block: bigint, baseFee: bigint, reward?: bigint) =>
  createPublicClient({
    transport: custom(
      {
        request: async ({ method }) => {
          if (method === 'eth_gasPrice') return toHex(baseFee);
          if (method === 'eth_blockNumber') return toHex(block);
          if (method !== 'eth_feeHistory') throw new Error(`${method} is not answered`);
          const baseFeePerGas = [toHex(baseFee), toHex(baseFee), toHex(baseFee)];
          const rewards = reward === undefined ? {} : { reward: [[numberToHex(reward), numberToHex(reward)]] };
          return { oldestBlock: toHex(block - 1n), baseFeePerGas, gasUsedRatio: [0.5, 0.5], ...rewards };
        },
      },
      { retryCount: 0 },
    ),
  }) as PublicClient;

test('behavior: how far a node is, and whether it says tips, is read from what it says gas costs', async () => {
  const read = (...nodes: PublicClient[]) => readMarket(nodes, feeDefaults);
  expect(await read(node(100n, 10n, 3n), node(94n, 1n, 1n))).toMatchObject({ baseFee: 10n, tip: 1n });
  expect(await read(node(100n, 10n, 3n), node(95n, 8n))).toMatchObject({ baseFee: 8n, tip: 3n });
});

test('behavior: a chain of legacy transactions is read the same way', async () => {
  const read = (...nodes: PublicClient[]) => readMarket(nodes, { ...feeDefaults, type: 'legacy' });
  expect((await read(node(100n, 10n), node(94n, 1n))).baseFee).toBe(10n);
  expect((await read(node(100n, 10n), node(95n, 8n))).baseFee).toBe(8n);
});
