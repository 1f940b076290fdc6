import { connectMongo, createRegistry } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { type FactsPorts, factsReader } from '../src/strategies/adapters/facts-reader.ts';
import { snapshotOf } from '../src/strategies/domain/facts.ts';
import { strategyCollections } from '../src/strategies/models.ts';
import { STATE_OBSERVED } from '../src/vault/domain/observation.ts';

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

test('behavior: an observation shows the yield and the peak that the readings of the week before it give', async () => {
  const day = 86_400;
  const source = `0x${'5'.repeat(40)}`;
  const args = { idle: '1', total_assets: '2', total_supply: '2', pps: '1', pps_precision: '1', price: null };
  const observed = (block_number: number, at: number, price_per_share: string) => ({
    ...{ block_number, block_hash: `0x${block_number}`, block_time: new Date(at * 1_000).toISOString() },
    args: {
      ...args,
      allocation: [{ source_address: source, assets: '1', shares: '1', available: '1', price_per_share }],
    },
  });
  const observations = [observed(1, day, '1000'), observed(2, 3 * day, '1250'), observed(3, 9 * day, '1000')];
  const log = {
    livingOfVault: async (_chain: number, _vault: string, names: string[]) =>
      names.includes(STATE_OBSERVED) ? observations : [],
  };
  const mandates = { inForce: async () => null };
  const ports = { log, mandates, now: () => new Date(), priceMaxAgeSeconds: 1 } as unknown as FactsPorts;
  const history = await factsReader(ports, strategyCollections(mongo)).history(
    { chainId: 1, vault: '0xbb' },
    2 * day,
    9 * day,
  );
  expect(history.map(({ facts }) => facts.sources[0]?.peak)).toEqual(['1250', '1250']);
  const last = history.at(-1)?.facts;
  if (!last) throw new Error('Nothing was observed.');
  expect(snapshotOf(last).values[`ys_${source}_drawdown`]).toBe('0.2');
});
