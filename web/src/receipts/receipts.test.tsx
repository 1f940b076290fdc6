import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anOverview } from '../../test/analytics.ts';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { Figures } from '../design/card.tsx';
import { formatShare } from '../format/figures.ts';
import { Metric } from './metric.tsx';
import { ReadFailure } from './read-failure.tsx';
import { qualityWords, type Receipt } from './receipt-text.ts';
import { useRead } from './use-read.ts';

const source = {
  vault: aVault(),
  live: { mode: 'stream' } as const,
  chain: { explorer_url: 'https://scan.example' },
};
const tx = `0x${'cd'.repeat(32)}`;
const receipt: Receipt = {
  value: 0.0535,
  unit: 'fraction',
  method: 'apy_from_pps',
  formula: '(p_e / p_s) ^ (Y / Δ) − 1',
  status: 'ok',
  window: { from: '2025-12-25T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z', actual_seconds: 604_800 },
  sample_size: 28,
  gaps: [{ from: '2025-12-26T00:00:00.000Z', to: '2025-12-27T00:00:00.000Z', reason: 'no report' }],
  rests_on: 'logs',
  inputs: [
    {
      name: 'p_e',
      value: '1042317',
      unit: 'raw PPS',
      t: '2026-01-01T00:00:00.000Z',
      block: 99,
      tx_hash: tx,
      log_index: 3,
      source: 'PPSUpdated',
    },
  ],
  verify: 'npm run verify -- apy.d7 --block 100',
};
const quality = {
  status: 'insufficient',
  reason: 'Only two days of prices so far',
  from: null,
  to: null,
  actual_seconds: null,
  sample_size: 2,
} as const;

function Page() {
  const read = useRead(source, 'analyticsOverview');
  return (
    <>
      <ReadFailure of={read} what="The figures" />
      <Figures>
        <Metric of={read} label="APY" path="apy.d7" value={({ apy }) => apy.d7} show={formatShare} />
      </Figures>
    </>
  );
}
const open = (analyticsOverview: unknown) => renderPage(<Page />, { api: fakeApi({ analyticsOverview } as never) });

describe('figures', () => {
  test('default: a missing one is a dash with the reason of the answer', async () => {
    const { apy } = anOverview();
    await open(async () => anOverview({ apy: { ...apy, d7: null }, quality: { 'apy.d7': quality } }));
    expect(await screen.findByText('—')).toBeTruthy();
    expect(screen.getByText('Only two days of prices so far')).toBeTruthy();
  });

  test('behavior: one over less than was asked for says so beside its value', async () => {
    const partial = { ...quality, status: 'partial', reason: null, actual_seconds: 259_200 } as const;
    await open(async () => anOverview({ quality: { 'apy.d7': partial } }));
    expect(await screen.findByText('5.35%')).toBeTruthy();
    expect(screen.getByText('Over 3 d only')).toBeTruthy();
    expect(qualityWords(undefined)).toBeUndefined();
  });

  test('behavior: while loading its space is kept, and a failure gives reason, request id and retry', async () => {
    const read = jest.fn<() => Promise<unknown>>();
    read.mockRejectedValueOnce(Object.assign(new Error('x'), { status: 503, detail: 'Indexing.', request_id: 'r-2' }));
    read.mockResolvedValueOnce(anOverview());
    await open(read);
    expect(screen.getByRole('status', { name: 'Loading APY' })).toBeTruthy();
    expect((await screen.findByRole('alert')).textContent).toContain('r-2');
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('5.35%')).toBeTruthy();
  });
});

describe('receipts', () => {
  test('default: asked for on demand; formula, inputs with their place on the chain, window, gaps, command', async () => {
    const read = jest.fn(async ({ query }: { query: { receipt?: string } }) =>
      anOverview(query.receipt === 'apy.d7' ? { receipts: { 'apy.d7': receipt } } : {}),
    );
    await open(read);
    const button = await screen.findByRole('button', { name: 'Receipt of APY' });
    expect(read).toHaveBeenCalledTimes(1);
    await userEvent.click(button);
    const panel = within(await screen.findByRole('dialog', { name: 'Receipt: APY' }));
    expect(await panel.findByText('(p_e / p_s) ^ (Y / Δ) − 1')).toBeTruthy();
    for (const text of [
      '1042317 raw PPS',
      'PPSUpdated',
      'block 99',
      'log 3',
      '28 observations',
      'npm run verify -- apy.d7 --block 100',
      '26 Dec 2025, 00:00 UTC to 27 Dec 2025, 00:00 UTC: no report',
    ])
      expect(panel.getByText(text)).toBeTruthy();
    const link = panel.getByRole('link', { name: 'Open transaction of p_e in the explorer' });
    expect(link.getAttribute('href')).toBe(`https://scan.example/tx/${tx}`);
  });

  test('behavior: an integer of the chain is read in whole tokens, with the exact one beside it, and no name of a formula', async () => {
    const [input] = receipt.inputs;
    const price = { value: '1012919', unit: 'pps', method: 'value', formula: 'value', window: null } as const;
    const inputs = input === undefined ? [] : [{ ...input, name: 'value', value: '1012919', unit: 'pps' }];
    await open(async () => anOverview({ receipts: { 'apy.d7': { ...receipt, ...price, inputs } } }));
    await userEvent.click(await screen.findByRole('button', { name: 'Receipt of APY' }));
    const panel = within(await screen.findByRole('dialog'));
    expect(await panel.findByText('1.012919 USDC')).toBeTruthy();
    expect(panel.getByText('pps · complete · exactly 1012919')).toBeTruthy();
    expect(panel.getByText('1012919 pps')).toBeTruthy();
    expect(panel.getByText('= 1.012919 USDC')).toBeTruthy();
    expect(panel.getByText('The input below as it is: nothing is computed from it')).toBeTruthy();
    expect(panel.queryByText('Method value')).toBeNull();
  });

  test('behavior: a figure without arithmetic says where it stands and how to ask for it again', async () => {
    await open(async () => anOverview({ receipts: {} }));
    await userEvent.click(await screen.findByRole('button', { name: 'Receipt of APY' }));
    const panel = within(await screen.findByRole('dialog'));
    const command = await panel.findByText(/^curl/);
    expect(command.textContent).toBe(
      `curl -s 'http://localhost/api/v1/vaults/31337/${anAddress(1)}/analytics/overview?block=100' | jq '.apy.d7'`,
    );
  });
});
