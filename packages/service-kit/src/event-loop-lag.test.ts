import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { createRegistry } from './metrics.ts';

const figures = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

test('default: the delay of the event loop is measured from the first scrape on, in each figure of the client', async () => {
  const registry = createRegistry('test');
  const lagOf = async (text: string) =>
    Number(
      new RegExp(`^nodejs_eventloop_lag_${text}_seconds\\{[^}]*\\} (\\S+)$`, 'm').exec(await registry.metrics())?.[1],
    );
  expect(
    await Promise.all(figures.map((figure) => registry.getSingleMetric(`nodejs_eventloop_lag_${figure}_seconds`))),
  ).not.toContain(undefined);
  expect(await lagOf('max')).toBe(0);
  // biome-ignore lint/plugin: what is measured is the passing of time
  await sleep(60);
  const end = performance.now() + 80;
  while (performance.now() < end);
  // biome-ignore lint/plugin: the clock of the event loop ticks again
  await sleep(30);
  const blocked = await lagOf('max');
  expect(blocked).toBeGreaterThan(0.05);
  // The figures of a scrape are of after the last one; a busy machine may have kept this process waiting in some of them.
  await until('a scrape of a quieter time', async () => (await lagOf('max')) < blocked);
});
