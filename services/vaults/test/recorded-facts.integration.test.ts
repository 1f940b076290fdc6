import { connectMongo, createRegistry } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type FactsPorts, factsReader } from '../src/strategies/adapters/facts-reader.ts';
import { strategyCollections } from '../src/strategies/models.ts';

/** What strategies saw is kept for a quarter of a year, block by block: far more than a simulation may hold at once. */

let store: TestStore;
let mongo: Connection;
beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ ...store, registry: createRegistry('test') });
});
afterAll(async () => {
  await mongo?.close();
  await store?.stop();
});

test('behavior: of a range with more readings than fit, evenly many are read; of any other all', async () => {
  const collections = strategyCollections(mongo);
  const vault = '0xaa';
  const [most, count] = [100, 250];
  const documents = Array.from({ length: count }, (_, index) => ({
    ...{ _id: `1:${vault}:${index}`, chain_id: 1, vault, block_number: index, block_time: 1_000 + 2 * index },
    ...{ recorded_at: new Date(), facts: { block_number: index, block_time: 1_000 + 2 * index, sources: [] } },
  }));
  await collections.recorded.insertMany(documents as never);
  const log = { livingOfVault: async () => [] };
  const mandates = { inForce: async () => null };
  const reader = factsReader({ log, mandates, now: () => new Date() } as unknown as FactsPorts, collections, most);
  const all = await reader.history({ chainId: 1, vault }, 1_000, 1_000 + 2 * count);
  expect(all.length).toBeLessThanOrEqual(most);
  expect(all.length).toBeGreaterThan(most / 2);
  const numbers = all.map(({ facts }) => facts.block_number);
  expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  expect(Math.max(...numbers.map((number, index) => number - (numbers[index - 1] ?? number)))).toBeLessThanOrEqual(5);
  expect(await reader.history({ chainId: 1, vault }, 1_000, 1_099)).toHaveLength(50);
});
