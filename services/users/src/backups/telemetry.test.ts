import { Registry } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { backupMetrics } from './telemetry.ts';

const name = 'backup_last_timestamp_seconds';
const first = new Date('2026-01-01T00:00:00Z');
const second = new Date('2026-01-02T00:00:00Z');

/** The series of a scrape, none or one. */
async function scraped(registry: Registry): Promise<string[]> {
  const text = await registry.metrics();
  await new Promise((resolve) => setImmediate(resolve));
  return text.split('\n').filter((line) => line.startsWith(`${name} `));
}

test('default: a scrape shows the last backup, and reads again after a minute', async () => {
  const registry = new Registry();
  const clock = { now: 0 };
  const store = { at: first, reads: 0 };
  const read = () => {
    store.reads += 1;
    return Promise.resolve(store.at);
  };
  backupMetrics(registry, read, () => clock.now);
  // A time that is not known yet is no backup of 1970.
  expect(await scraped(registry)).toEqual([]);
  expect(await scraped(registry)).toEqual([`${name} ${first.getTime() / 1000}`]);
  store.at = second;
  expect([await scraped(registry), store.reads]).toEqual([[`${name} ${first.getTime() / 1000}`], 1]);
  clock.now += 60_000;
  await scraped(registry);
  expect([await scraped(registry), store.reads]).toEqual([[`${name} ${second.getTime() / 1000}`], 2]);
});

test('error: a store that cannot be read takes nothing from a scrape, and is asked again', async () => {
  const registry = new Registry();
  let isAway = true;
  backupMetrics(registry, () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(first)));
  expect(await scraped(registry)).toEqual([]);
  isAway = false;
  expect(await scraped(registry)).toEqual([]);
  expect(await scraped(registry)).toEqual([`${name} ${first.getTime() / 1000}`]);
});
