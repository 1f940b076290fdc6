import '../../../test/browser.ts';
import { routes } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { anAddress } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aShown } from '../../../test/shown.ts';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';
import { ReturnsTable } from './returns-table.tsx';

const apy = { d7: 0.05, d30: 0.05, d90: 0.052, since_inception: 0.052 };
const drag = { d7: 0.009, d30: 0.009, d90: 0.008, since_inception: 0.008 };
const split = { flow: 0, yield: 0, fees: 0, price: 0, total: 0 };

const answer = routes.analyticsPerformance.result.parse({
  chain_id: 31337,
  vault_address: anAddress(1),
  as_of: '2026-01-01T00:00:00.000Z',
  block_number: 100,
  quality: {},
  annualization: 'compound/365d',
  period: '30d',
  from: '2025-12-02T00:00:00.000Z',
  to: '2026-01-01T00:00:00.000Z',
  apy: { current: 0.05, ...apy },
  gross_apy: apy,
  fee_drag: drag,
  period_return: { h24: 0.0001, d7: 0.001, d30: 0.004, d90: 0.012, since_inception: 0.012 },
  twr: 0.004,
  apr: 0.05,
  benchmark: { name: 'Overnight rate', version: '2', source: 'feed', rate: 0.043 },
  excess_return: 0.0025,
  time_in_loss: 0,
  carried_in: 0,
  drawdown_now: 0,
  tvl_usd: 1,
  tvl_asset: '1',
  tvl_change: { h24: 0, d7: 0, d30: 0 },
  tvl_change_split: { h24: split, d7: split, d30: split },
});

function Page({ shown }: { shown: Shown }) {
  return <ReturnsTable shown={shown} of={useRead(shown, 'analyticsPerformance', { period: '30d' })} />;
}

test('behavior: a window longer than the life of the vault has no figures and says why', async () => {
  const shown = aShown({ created_at: '2025-10-05T00:00:00Z', chain_time: '2026-01-01T00:00:00Z' });
  await renderPage(<Page shown={shown} />, { api: fakeApi({ analyticsPerformance: async () => answer }) });
  const table = await screen.findByRole('table', { name: 'Returns by window' });
  const cells = (name: RegExp) =>
    within(within(table).getByRole('row', { name }))
      .getAllByRole('cell')
      .map((cell) => cell.textContent?.split(',')[0]);
  expect(cells(/^90 days/)).toEqual(['—', '—', '—', '—']);
  expect(within(table).getByText('The vault is 88 days old')).toBeTruthy();
  expect(cells(/^30 days/)).toEqual(['+0.40%', '5.00%', '5.00%', '0.90\u00a0pp']);
  expect(cells(/^24 hours/)).toEqual(['+0.01%', '—', '—', '—']);
  expect(cells(/^Since inception/)?.[0]).toBe('+1.20%');
});
