import { connectMongo, createRegistry } from '@castellan/service-kit';
import { startTestStore, type TestStore } from '@castellan/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Connection } from 'mongoose';
import { mongoRuns, type RunDocument, type RunStore } from '../src/strategies/adapters/runs.mongo.ts';

let store: TestStore;
let mongo: Connection;
let runs: RunStore;

beforeAll(async () => {
  store = await startTestStore();
  mongo = await connectMongo({ ...store, registry: createRegistry('test') });
  runs = mongoRuns(mongo);
});
afterAll(async () => {
  await mongo?.close();
  await store?.stop();
});

const fired = (_id: string, more: Partial<RunDocument> = {}): RunDocument => ({
  ...{ _id, chain_id: 31_337, vault: '0xa', version: 1, block_number: 7, block_hash: '0x7', outcome: 'fired' },
  ...{ code: null, because: '', at: '2026-11-27T00:00:00.000Z', reverted: 0, lacking_since: null },
  run: { held_ticks: 0, fired_at_ms: 9_000 },
  fired_before_ms: 4_000,
  ...more,
});

test('behavior: a firing that was never sent leaves cooldown and conviction as they were before', async () => {
  await runs.save(fired('held', { held_before: 2 }));
  await runs.unfire('held', 7);
  expect(await runs.get('held')).toMatchObject({ run: { held_ticks: 2, fired_at_ms: 4_000 }, block_hash: null });
  // As the former version stored it.
  await runs.save(fired('former'));
  await runs.unfire('former', 7);
  expect(await runs.get('former')).toMatchObject({ run: { held_ticks: 0, fired_at_ms: 4_000 } });
});

test('behavior: a firing of another block stays', async () => {
  await runs.save(fired('other', { held_before: 2 }));
  await runs.unfire('other', 6);
  expect(await runs.get('other')).toMatchObject({ run: { held_ticks: 0, fired_at_ms: 9_000 }, block_hash: '0x7' });
});
