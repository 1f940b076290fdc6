import { expect, test } from '@jest/globals';
import type { PublicClient } from 'viem';
import { sharedHead } from './shared-head.ts';

test('behavior: who asks soon after another is given the same head, and what failed is asked again', async () => {
  let now = 0;
  let asked = 0;
  const client = {
    getBlock: async () => {
      asked += 1;
      if (asked === 2) throw new Error('away');
      return { number: BigInt(asked), hash: '0x', timestamp: 0n };
    },
  } as unknown as PublicClient;
  const head = sharedHead(client, { now: () => now, after: () => () => undefined }, 1_000);
  expect((await Promise.all([head(), head()])).map(({ number }) => number)).toEqual([1n, 1n]);
  now = 999;
  expect((await head()).number).toBe(1n);
  now = 1_000;
  await expect(head()).rejects.toThrow('away');
  expect((await head()).number).toBe(3n);
});
