import { AppError, action } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { createPublicClient } from 'viem';
import { z } from 'zod';
import { anAddress, aVault, brokerPair, manualClock, scriptedRpc } from './index.ts';

test('behavior: a scripted node answers what it knows and remembers what it does not', async () => {
  const rpc = scriptedRpc({ eth_blockNumber: () => '0x10' });
  const client = createPublicClient({ transport: rpc.transport, cacheTime: 0 });
  expect(await client.getBlockNumber()).toBe(16n);
  expect(() => rpc.verify()).not.toThrow();
  await expect(client.getChainId()).rejects.toThrow('does not script eth_chainId');
  expect(() => rpc.verify()).toThrow('eth_chainId');
});

test('behavior: builders give valid things, with what the test names changed', () => {
  expect(aVault({ is_paused: true })).toMatchObject({ is_paused: true, name: 'USDC Core' });
  expect(anAddress(1)).not.toBe(anAddress(2));
  expect(() => aVault({ total_assets: '-1' })).toThrow();
});

test('behavior: a manual clock moves when told', () => {
  const clock = manualClock(1000);
  clock.advance(500);
  expect([clock.now(), clock.date().getTime()]).toEqual([1500, 1500]);
});

test('behavior: a pair talks through the serializer', async () => {
  const Double = action('v1.maths.double', { params: z.object({ n: z.int() }), result: z.object({ n: z.int() }) });
  const pair = await brokerPair({
    name: 'maths',
    version: 1,
    actions: {
      double: implement(Double, ({ n }) => {
        if (n < 0) throw new AppError('BAD_REQUEST', 'Too small.');
        return { n: n * 2 };
      }),
    },
  });
  expect(await pair.call(Double, { n: 4 })).toEqual({ n: 8 });
  await expect(pair.call(Double, { n: -1 })).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'Too small.' });
  await pair.stop();
});
