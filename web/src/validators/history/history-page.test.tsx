import '../../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { anAddress, aPublicVault } from '../../../test/builders.ts';
import { fakeApi, renderPage } from '../../../test/harness.tsx';
import { aHistory, aNetwork, aRoundDetail } from '../../../test/validators.ts';
import type { History, RoundDetail } from './history.ts';
import { ValidatorHistoryPage } from './history-page.tsx';
import { RoundPage } from './round-page.tsx';

const calls: unknown[] = [];
const show = (history: () => Promise<History>, url = '/validators/history') =>
  renderPage(<ValidatorHistoryPage />, {
    api: fakeApi({
      validatorHistory: async (asked: { query: unknown }) => {
        calls.push(asked.query);
        return history();
      },
      validators: async () => aNetwork(),
      publicVaults: async () => [aPublicVault()],
    }),
    path: '/validators/history',
    url,
  });
const showRound = (round: () => Promise<RoundDetail>) =>
  renderPage(<RoundPage />, {
    api: fakeApi({ validatorRound: round }),
    path: '/validators/rounds/:digest/:epoch/:round',
    url: `/validators/rounds/0x${'ca'.repeat(32)}/1/7`,
  });

describe('validators over time', () => {
  test('default: each node, transmitter and vault is a row, and what was not recorded is said so', async () => {
    await show(async () => aHistory());
    const nodes = within(await screen.findByRole('table', { name: 'Nodes over time' }));
    const row = within(nodes.getByRole('row', { name: /oracle-0/ }));
    expect(row.getByText('90.00% (9 of 10)')).toBeTruthy();
    expect(row.getByText('20 ms, at most 40 ms')).toBeTruthy();
    expect(row.getByText('not recorded')).toBeTruthy();
    const sent = within(screen.getByRole('table', { name: 'Transmitters over time' }));
    expect(sent.getByText(/^0.5 ETH \(1 without a receipt\)$/)).toBeTruthy();
    expect(sent.getByText('12.5 days')).toBeTruthy();
    const vaults = within(screen.getByRole('table', { name: 'Vaults over time' }));
    expect(vaults.getByRole('link', { name: 'USDC Core' })).toBeTruthy();
    expect(screen.getByText('Recorded since 1 Jan 2026, 10:00 UTC')).toBeTruthy();
    const round = screen.getByRole('link', { name: 'Round 1.7' });
    expect(round.getAttribute('href')).toMatch(/^\/validators\/rounds\/0x[0-9a-f]{64}\/1\/7$/);
  });

  test('behavior: the filters stand in the URL and are asked for', async () => {
    const signer = anAddress(0x50);
    await show(async () => aHistory(), `/validators/history?window=7d&node=${signer}`);
    await screen.findByRole('table', { name: 'Nodes over time' });
    expect(calls.at(-1)).toEqual({ window: '7d', signer });
    await userEvent.selectOptions(screen.getByLabelText('Vault'), 'USDC Core');
    expect(calls.at(-1)).toEqual({ window: '7d', signer, vault_id: `31337:${anAddress(1)}` });
  });

  test('default: before the first round the page says since when it will be', async () => {
    await show(async () => aHistory({ since: null, buckets: [], nodes: [], vaults: [], rounds: [] }));
    expect(await screen.findByText('Nothing has been recorded yet')).toBeTruthy();
  });

  test('error: a failed read gives the reason', async () => {
    await show(() => Promise.reject({ status: 503, detail: 'The vaults service does not answer.' }));
    expect(await screen.findByText('The history could not be read')).toBeTruthy();
  });
});

describe('one round', () => {
  test('default: who observed what, who signed, what was sent and what it cost', async () => {
    await showRound(async () => aRoundDetail());
    const prices = within(await screen.findByRole('table', { name: 'Observed for USDC Core' }));
    expect(prices.getByText('+0.02 bps')).toBeTruthy();
    const nodes = within(screen.getByRole('table', { name: 'Nodes of the round' }));
    expect(nodes.getByText('Not used: it came too late')).toBeTruthy();
    const sent = within(screen.getByRole('table', { name: 'Transactions of the round' }));
    expect(sent.getByText('84,000')).toBeTruthy();
    expect(sent.getByText('Stored')).toBeTruthy();
    expect(sent.getByText('balance not recorded')).toBeTruthy();
  });

  test('error: a round that is not kept says so', async () => {
    await showRound(() => Promise.reject({ status: 404, detail: 'Rounds are kept for 14 days; check the link.' }));
    expect(await screen.findByText('This round could not be read')).toBeTruthy();
    expect(screen.getByText(/kept for 14 days/)).toBeTruthy();
  });
});
