import '../../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useSearchParams } from 'react-router';
import { anAddress, aVault } from '../../../test/builders.ts';
import { config, fakeApi, renderPage } from '../../../test/harness.tsx';
import { aTransaction, someTransactions } from '../../../test/lists.ts';
import { filteredCsv } from '../../lists/export.ts';
import { usePages } from '../../receipts/use-pages.ts';
import type { Shown } from '../vault-gate.tsx';
import { exportOnly, filterFrom, filterParts, queryOf, rangeOf } from './filter.ts';
import { Transactions } from './transactions.tsx';

const [chain] = config.chains;
if (chain === undefined) throw new Error('a chain is needed');
const shown: Shown = {
  vault: aVault(),
  area: 'public',
  chain,
  updatedAt: 0,
  live: { mode: 'paused', toggle: () => undefined, pollMs: false },
  error: null,
  retry: () => undefined,
};

function Page() {
  const [search] = useSearchParams();
  const filter = filterFrom(search);
  const range = rangeOf(filter, { period: '30d' }, shown.vault.created_at);
  return (
    <Transactions
      shown={shown}
      pages={usePages(shown, 'analyticsTransactions', queryOf(filter, range))}
      filter={filter}
      range={range}
    />
  );
}

type Call = { query: Record<string, string> };
const answering = () =>
  jest.fn(async ({ query }: Call) =>
    query.cursor === undefined
      ? someTransactions(
          [aTransaction(2), aTransaction(1, { type: 'pps_update', assets: null, shares: null })],
          'next',
          3,
        )
      : someTransactions([aTransaction(0)], null, 3),
  );

describe('transactions', () => {
  test('default: the filter of the URL is what is asked for', async () => {
    const analyticsTransactions = answering();
    await renderPage(<Page />, {
      api: fakeApi({ analyticsTransactions }),
      url: `/?tx=deposit&wallet=${anAddress(0x30)}&tx_from=2026-01-01&tx_to=2026-01-02`,
    });
    await screen.findByRole('table', { name: 'Transactions' });
    expect(analyticsTransactions.mock.calls[0]?.[0].query).toEqual({
      type: 'deposit',
      wallet: anAddress(0x30),
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-03T00:00:00.000Z',
      limit: '25',
    });
  });

  test('behavior: one transaction is asked for of all time, named by a chip, and no longer once that is pressed', async () => {
    const hash = `0x${'ab'.repeat(32)}`;
    const analyticsTransactions = answering();
    const { where } = await renderPage(<Page />, {
      api: fakeApi({ analyticsTransactions }),
      url: `/?unit=token&tx_hash=${hash}#transactions`,
    });
    await screen.findByRole('table', { name: 'Transactions' });
    expect(analyticsTransactions.mock.calls[0]?.[0].query).toEqual({ period: 'all', tx_hash: hash, limit: '25' });
    // Who is led here is at the list and not at the top of the section above it.
    expect(document.activeElement?.textContent).toBe('Transactions');
    await userEvent.click(screen.getByRole('button', { name: /^Transaction 0xabab…abab alone/ }));
    expect(where.search).toBe('?unit=token');
    await waitFor(() => expect(analyticsTransactions.mock.lastCall?.[0].query.tx_hash).toBeUndefined());
  });

  test('behavior: choosing a kind puts it in the URL, clearing takes it out', async () => {
    const { where } = await renderPage(<Page />, {
      api: fakeApi({ analyticsTransactions: answering() }),
      url: '/?unit=token',
    });
    const user = userEvent.setup();
    await user.selectOptions(screen.getByRole('combobox', { name: 'Kind' }), 'pps_update');
    expect(where.search).toBe('?unit=token&tx=pps_update');
    await user.click(screen.getByRole('button', { name: 'Clear filters' }));
    expect(where.search).toBe('?unit=token');
  });

  test('behavior: half of a wallet changes nothing and says what is missing', async () => {
    const { where } = await renderPage(<Page />, { api: fakeApi({ analyticsTransactions: answering() }) });
    const user = userEvent.setup();
    const field = screen.getByRole('textbox', { name: 'Wallet' });
    await user.type(field, '0x12');
    expect(where.search).toBe('');
    expect(screen.getByText('A wallet is 0x and 40 hexadecimal digits')).toBeTruthy();
    await user.clear(field);
    await user.paste(anAddress(0x30));
    expect(where.search).toBe(`?wallet=${anAddress(0x30)}`);
  });

  test('behavior: more rows come by the cursor, below those that are there', async () => {
    const analyticsTransactions = answering();
    await renderPage(<Page />, { api: fakeApi({ analyticsTransactions }) });
    await userEvent.click(await screen.findByRole('button', { name: 'Show more' }));
    await waitFor(() => expect(screen.getByText('3 of 3 entries')).toBeTruthy());
    expect(analyticsTransactions.mock.calls[1]?.[0].query.cursor).toBe('next');
    expect(within(screen.getByRole('table')).getAllByRole('row')).toHaveLength(4);
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull();
  });
});

describe('filter', () => {
  test('default: without days the period of the page counts, an open beginning is the vault’s', () => {
    const none = filterFrom(new URLSearchParams());
    expect(rangeOf(none, { period: '7d' }, '2025-10-01T00:00:00Z')).toEqual({ period: '7d' });
    expect(rangeOf({ ...none, to: '2026-01-02' }, { period: '7d' }, '2025-10-01T00:00:00Z')).toEqual({
      from: '2025-10-01T00:00:00Z',
      to: '2026-01-03T00:00:00.000Z',
    });
    expect(rangeOf({ ...none, from: '2026-01-03', to: '2026-01-02' }, { period: '7d' }, '')).toEqual({ period: '7d' });
  });

  test('behavior: what the URL cannot mean is left out', () => {
    const filter = filterFrom(new URLSearchParams('tx=nonsense&wallet=0x12&tx_from=2026-13-45&tx_hash=0x12'));
    expect(filter).toEqual({ type: 'all', wallet: '', from: '', to: '', hash: '' });
    expect(filterParts({ type: 'all', wallet: '' })).toEqual({ tx: null, wallet: null });
  });

  test('behavior: an export holds the rows of the filter, figures as they are and no formula', () => {
    const lines = [
      { type: 'deposit', wallet_address: '0xAB', assets: '1000' },
      { type: 'deposit', wallet_address: '0xCD', assets: '-5' },
      { type: 'pause', wallet_address: '=1+1', assets: null },
    ];
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    expect(filteredCsv(text, exportOnly({ type: 'deposit', wallet: '0xcd', from: '', to: '', hash: '' }))).toBe(
      'type,wallet_address,assets\r\ndeposit,0xCD,-5\r\n',
    );
    const hash = `0x${'ab'.repeat(32)}`;
    expect(exportOnly({ type: 'all', wallet: '', from: '', to: '', hash })).toEqual({ tx_hash: hash });
    expect(filteredCsv(text, { type: 'pause' })).toBe("type,wallet_address,assets\r\npause,'=1+1,\r\n");
  });
});
