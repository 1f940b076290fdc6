import { connectMongo, createRegistry } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import type { Rollback } from '../src/log/domain/log-entry.ts';
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

const day = 86_400;
const source = `0x${'5'.repeat(40)}`;

/** An observation of one source in the log. */
function observed(block_number: number, at: number, price_per_share: string) {
  const args = { idle: '1', total_assets: '2', total_supply: '2', pps: '1', pps_precision: '1', price: null };
  return {
    ...{ block_number, block_hash: `0x${block_number}`, block_time: new Date(at * 1_000).toISOString() },
    args: {
      ...args,
      allocation: [{ source_address: source, assets: '1', shares: '1', available: '1', price_per_share }],
    },
  };
}

function readerOf(observations: readonly ReturnType<typeof observed>[], rollbacks: readonly Rollback[] = []) {
  const log = {
    rollbacks: async () => rollbacks,
    livingOfVault: async (_chain: number, _vault: string, names: string[]) =>
      names.includes(STATE_OBSERVED) ? observations : [],
  };
  const mandates = { inForce: async () => null };
  const ports = { log, mandates, now: () => new Date(), priceMaxAgeSeconds: 1 } as unknown as FactsPorts;
  return factsReader(ports, strategyCollections(mongo));
}

test('behavior: an observation shows the yield and the peak that the readings of the week before it give', async () => {
  const observations = [observed(1, day, '1000'), observed(2, 3 * day, '1250'), observed(3, 9 * day, '1000')];
  const history = await readerOf(observations).history({ chainId: 1, vault: '0xbb' }, 2 * day, 9 * day);
  expect(history.map(({ facts }) => facts.sources[0]?.peak)).toEqual(['1250', '1250']);
  const last = history.at(-1)?.facts;
  if (!last) throw new Error('Nothing was observed.');
  expect(snapshotOf(last).values[`ys_${source}_drawdown`]).toBe('0.2');
});

test('behavior: what was recorded before peaks were has that of the readings before it; what a strategy saw since stays', async () => {
  const key = { chainId: 1, vault: '0xcc' };
  // The first two before the range.
  const observations = [observed(1, day, '1000'), observed(2, 2 * day, '1250'), observed(4, 4 * day, '1100')];
  const reader = readerOf(observations);
  const recorded = (block: number, at: number, of: { pps: string | null; peak?: string | null }) => {
    const { block_number, block_hash, args } = observed(block, at, '0');
    const { pps, pps_precision, total_assets: tvl, total_supply: supply, idle: free } = args;
    const seen = { address: source, amount: '1', shares: '1', available: '1', apy: null, tvl: null, ...of };
    return reader.record(
      key,
      {
        ...{ block_number, block_hash, block_time: at, pps, pps_precision, tvl, supply, free },
        ...{ queue_count: 0, queue_shares: '0', price: null, sources: [seen] },
      },
      0,
    );
  };
  await recorded(3, 3 * day, { pps: '1000' });
  await recorded(5, 5 * day, { pps: '1300' });
  await recorded(6, 6 * day, { pps: null });
  await recorded(7, 13 * day - 1, { pps: '1200' });
  await recorded(8, 13 * day, { pps: '1100', peak: '1222' });
  await recorded(9, 13 * day + 1, { pps: '1100', peak: null });
  const history = await reader.history(key, 3 * day, 14 * day);
  expect(history.map(({ facts, isRecorded }) => [facts.block_number, facts.sources[0]?.peak, isRecorded])).toEqual([
    [3, '1250', true],
    [4, '1250', false],
    [5, '1300', true],
    [6, null, true],
    // What stood when its week began, between the fifth and the sixth day.
    [7, '1300', true],
    [8, '1222', true],
    [9, null, true],
  ]);
  const drawdowns = history.map(({ facts }) => snapshotOf(facts).values[`ys_${source}_drawdown`]);
  expect(drawdowns).toEqual(['0.2', '0.12', '0', null, '1/13', '61/611', null]);
});

test('behavior: what was recorded of replaced blocks goes, though the next record lies behind where the branches part', async () => {
  const key = { chainId: 1, vault: '0xdd' };
  const rollbacks: Rollback[] = [];
  const reader = readerOf([], rollbacks);
  const record = (block_number: number, branch: number) =>
    reader.record(
      key,
      { block_number, block_hash: `${branch}`, block_time: block_number, sources: [] } as never,
      branch,
    );
  const recorded = async () => (await reader.history(key, 0, 1_000)).map(({ facts }) => facts.block_number);
  for (const block of [100, 103, 104]) await record(block, 0);
  rollbacks.push({ seq: 7, fromBlock: 104 });
  await record(106, 7);
  expect(await recorded()).toEqual([100, 103, 106]);
  rollbacks.push({ seq: 11, fromBlock: 102 }, { seq: 12, fromBlock: 107 });
  await record(108, 12);
  await record(110, 12);
  expect(await recorded()).toEqual([100, 108, 110]);
});
