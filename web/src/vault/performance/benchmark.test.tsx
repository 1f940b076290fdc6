import '../../../test/browser.ts';
import { routes } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown } from '../../../test/shown.ts';
import { BenchmarkSection, benchmarkSeries } from './benchmark.tsx';

const anAnswer = (more: object = {}) =>
  routes.analyticsBenchmark.result.parse({
    chain_id: 31337,
    vault_address: anAddress(1),
    as_of: '2026-01-31T00:00:00.000Z',
    block_number: 100,
    quality: {},
    period: '30d',
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-31T00:00:00.000Z',
    interval_seconds: 86_400,
    benchmark: { name: 'Overnight rate', version: '2', source: 'feed', rate: 0.043, address: anAddress(9) },
    vault_return: 0.006,
    benchmark_return: 0.0035,
    excess_return: 0.0025,
    tracking_error: 0.012,
    information_ratio: 1.4,
    days: 30,
    points: [
      { t: '2026-01-02T00:00:00.000Z', vault: null, benchmark: 0.0001 },
      { t: '2026-01-31T00:00:00.000Z', vault: 0.006, benchmark: 0.0035 },
    ],
    ...more,
  });

test('default: both lines, what the benchmark is, and by how much the vault was ahead', async () => {
  const answer = anAnswer();
  await renderPage(<BenchmarkSection shown={aShown()} />, { api: fakeApi({ analyticsBenchmark: async () => answer }) });
  expect(await screen.findByText(/^The vault returned 0.25\spp more than Overnight rate/)).toBeTruthy();
  expect(screen.getByText('Overnight rate, version 2, read from a feed on chain')).toBeTruthy();
  expect(benchmarkSeries(answer).map(({ points }) => points.map(([, value]) => value))).toEqual([
    [null, 0.006],
    [0.0001, 0.0035],
  ]);
});

test('behavior: without a benchmark the section says who sets one, and shows no figure', async () => {
  const none = { name: 'holding the asset', version: '1', source: 'holding', rate: 0, address: null };
  const answer = anAnswer({ benchmark: none, benchmark_return: null, excess_return: null });
  await renderPage(<BenchmarkSection shown={aShown()} />, { api: fakeApi({ analyticsBenchmark: async () => answer }) });
  expect(await screen.findByText(/^No benchmark is set for/)).toBeTruthy();
  expect(screen.queryByText('Tracking error')).toBeNull();
});
