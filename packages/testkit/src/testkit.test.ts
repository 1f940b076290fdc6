import { readFileSync } from 'node:fs';
import { AppError, action } from '@castellan/contracts';
import { implement } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { createPublicClient } from 'viem';
import { z } from 'zod';
import {
  anAddress,
  aVault,
  brokerPair,
  dockerAsked,
  freePort,
  manualClock,
  scriptedRpc,
  startOwnStore,
  testImages,
  untilPromised,
} from './index.ts';

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

test('behavior: a manual clock moves only by hand', () => {
  const clock = manualClock(1000);
  clock.advance(500);
  expect([clock.now(), clock.date().getTime()]).toEqual([1500, 1500]);
});

test('behavior: a pair talks through the serializer', async () => {
  const Double = action('v1.maths.double', {
    callers: { services: ['gateway'] },
    params: z.object({ n: z.int() }),
    result: z.object({ n: z.int() }),
  });
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

test('behavior: an interrupted store refuses connections and comes back on the same port with its data', async () => {
  const store = await startOwnStore({});
  const things = async (withinMs = 30_000) => {
    const client = await MongoClient.connect(store.uri, { serverSelectionTimeoutMS: withinMs });
    return { collection: client.db(store.database).collection<{ _id: number }>('things'), client };
  };
  const { collection, client } = await things();
  await collection.insertOne({ _id: 1 });
  await client.close();
  await store.interrupt();
  await expect(things(200)).rejects.toMatchObject({ name: 'MongoServerSelectionError' });
  await store.restart();
  const again = await things();
  expect(await again.collection.countDocuments()).toBe(1);
  await again.client.close();
  await store.stop();
});

test('behavior: the server of TEST_MONGODB_URI is cut off for one file only, and no data is lost', async () => {
  const server = await startOwnStore({});
  const cut = await startOwnStore({ TEST_MONGODB_URI: `${server.uri}/?replicaSet=none` });
  const insert = async (uri: string, withinMs = 30_000) => {
    const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: withinMs });
    try {
      const things = client.db(cut.database).collection('things');
      await things.insertOne({});
      return await things.countDocuments();
    } finally {
      await client.close();
    }
  };
  expect(await insert(cut.uri)).toBe(1);
  await cut.interrupt();
  await expect(insert(cut.uri, 200)).rejects.toMatchObject({ name: 'MongoServerSelectionError' });
  expect(await insert(server.uri)).toBe(2);
  await cut.restart();
  expect(await insert(cut.uri)).toBe(3);
  await cut.interrupt();
  await server.stop();
});

test('error: a server without a host and port cannot be cut off', async () => {
  await expect(startOwnStore({ TEST_MONGODB_URI: 'mongodb+srv://somewhere' })).rejects.toThrow('TEST_MONGODB_URI');
});

test('behavior: containers are asked for by one value, and their images are the deployed ones', () => {
  expect([{ TESTCONTAINERS: '1' }, { TESTCONTAINERS: '0' }, {}].map(dockerAsked)).toEqual([true, false, false]);
  const compose = readFileSync(new URL('../../../docker-compose.yml', import.meta.url), 'utf8');
  for (const image of Object.values(testImages)) expect(compose).toContain(`image: ${image}\n`);
});

test('behavior: no port is given twice, and none that a connection may have', async () => {
  const ports = await Promise.all(Array.from({ length: 40 }, freePort));
  expect(new Set(ports).size).toBe(40);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

test('behavior: a promise is broken by time that this process had, not by time in which it stood still', async () => {
  const standStill = (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; );
  };
  let reads = 0;
  const afterAPause = () => {
    reads += 1;
    if (reads < 3) standStill(300);
    return reads > 5;
  };
  expect(await untilPromised('the sixth read', afterAPause, 400)).toBe(true);
  await expect(untilPromised('what never comes', () => false, 100)).rejects.toThrow(
    'Not within 100 ms: what never comes',
  );
});
