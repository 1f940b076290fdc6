import { setTimeout as sleep } from 'node:timers/promises';
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
  const until = performance.now() + 80;
  while (performance.now() < until);
  // biome-ignore lint/plugin: the clock of the event loop ticks again
  await sleep(30);
  expect(await lagOf('max')).toBeGreaterThan(0.05);
  // biome-ignore lint/plugin: the figures of the next scrape are of after the last
  await sleep(60);
  expect(await lagOf('p50')).toBeLessThan(0.05);
});
