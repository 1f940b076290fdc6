import '../../../test/browser.ts';
import { GetDrawdown } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown } from '../../../test/shown.ts';
import { pointAt } from '../../charts/model.ts';
import { Drawdown, drawdownSeries } from './drawdown.tsx';

const day = (number: number) => `2026-01-0${number}T00:00:00.000Z`;
const exact = (numerator: string) => ({ numerator, denominator: '10000' });
const answer = GetDrawdown.result.parse({
  chain_id: 31337,
  vault_address: anAddress(1),
  as_of: day(4),
  block_number: 100,
  quality: {},
  period: '30d',
  from: day(1),
  to: day(4),
  interval_seconds: 0,
  points: [
    { t: day(1), drawdown: 0 },
    { t: day(2), drawdown: 0.005 },
    { t: day(4), drawdown: 0 },
  ],
  max_drawdown: 0.005,
  max_drawdown_since_inception: 0.005,
  recovery_seconds: 172_800,
  seconds_since_high: 0,
  calmar: 12,
  carried_in: 0,
  current_drawdown: 0,
  episodes: [
    {
      start: day(1),
      trough: day(2),
      recovered: day(4),
      depth: 0.005,
      duration_seconds: 259_200,
      peak_net_pps: '1000000',
      peak_net_pps_exact: exact('10000000000'),
      trough_net_pps: '995000',
      trough_net_pps_exact: exact('9950000000'),
    },
  ],
});

test('default: a fall holds until the next report, and is drawn downwards', () => {
  const [series] = drawdownSeries(answer);
  if (series === undefined) throw new Error('no series');
  expect(series.kind).toBe('step-area');
  expect(pointAt(series, Date.parse(day(3)))?.[1]).toBe(-0.005);
});

test('behavior: the table has the sign of the chart, and the sentence says it in words', async () => {
  await renderPage(<Drawdown shown={aShown()} />, { api: fakeApi({ analyticsDrawdown: async () => answer }) });
  const table = await screen.findByRole('table', { name: 'Falls of the net price' });
  expect(table.textContent).toContain('−0.50%');
  expect(screen.getByText(/^The net price fell by 0\.50% at most/)).toBeTruthy();
});

test('behavior: falls too small to be listed are not denied', async () => {
  const small = { ...answer, max_drawdown: 0.000_006, episodes: [] };
  await renderPage(<Drawdown shown={aShown()} />, { api: fakeApi({ analyticsDrawdown: async () => small }) });
  expect(await screen.findByText('No fall of 0.001% or more in this period.')).toBeTruthy();
  expect(screen.getByText(/^The net price fell by 0\.0006% at most/)).toBeTruthy();
});
