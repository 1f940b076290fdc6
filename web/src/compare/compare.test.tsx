import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { config, fakeApi, renderPage } from '../../test/harness.tsx';
import { aComparison } from '../../test/lists.ts';
import { chosenFrom, comparePath } from './chosen.ts';
import { overlaid, takeawayOf } from './compare-charts.tsx';
import { ComparePage } from './compare-page.tsx';
import { seriesRows } from './metrics.ts';

const listed = [1, 2, 3].map((number) => aPublicVault({ vault_address: anAddress(number), name: `Vault ${number}` }));
const open = (url: string, analyticsCompare: (input: { body: unknown }) => Promise<unknown>) =>
  renderPage(<ComparePage />, {
    api: fakeApi({ publicVaults: async () => listed, analyticsCompare }),
    path: '/compare',
    url,
  });
const two = `/compare?vaults=31337:${anAddress(1)},devnet:${anAddress(2)}`;

describe('comparison', () => {
  test('default: the vaults and the period of the URL, a column each, a loss with its sign, a dash with its reason', async () => {
    const compare = jest.fn(async () => aComparison());
    await open(`${two}&period=90d`, compare);
    const table = await screen.findByRole('table', { name: 'Comparison' });
    expect(compare.mock.calls[0]).toEqual([
      {
        body: {
          vaults: [
            { chain_id: 31337, vault_address: anAddress(1) },
            { chain_id: 31337, vault_address: anAddress(2) },
          ],
          period: '90d',
          points: 120,
        },
      },
    ]);
    expect(
      within(table)
        .getAllByRole('columnheader')
        .map((cell) => cell.textContent),
    ).toEqual(['Figure', 'Vault 1', 'Vault 2']);
    const row = within(table).getByRole('row', { name: /APY, 30 days/ });
    expect(
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    ).toEqual(['−1.23%', '—No data yet']);
    expect(within(table).getByRole('row', { name: /Concentration/ }).textContent).toContain('3,650');
    // A fall has the sign that the chart below draws it with.
    expect(within(table).getByRole('row', { name: /Largest drawdown/ }).textContent).toContain('−0.50%');
  });

  test('behavior: one vault is not enough, and the page says what to do; adding one puts it in the URL', async () => {
    const { where } = await open(`/compare?vaults=31337:${anAddress(1)}`, async () => aComparison());
    expect(await screen.findByText('Choose at least two vaults')).toBeTruthy();
    await userEvent.selectOptions(await screen.findByRole('combobox', { name: 'Add a vault' }), 'Vault 2 · Devnet');
    expect(new URLSearchParams(where.search).get('vaults')).toBe(`31337:${anAddress(1)},31337:${anAddress(2)}`);
    expect(await screen.findByRole('table', { name: 'Comparison' })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Remove Vault 1' }));
    expect(new URLSearchParams(where.search).get('vaults')).toBe(`31337:${anAddress(2)}`);
  });

  test('error: a refusal is said in the words of the server, with its request id', async () => {
    await open(two, async () => {
      throw Object.assign(new Error('x'), {
        status: 404,
        code: 'VAULT_NOT_FOUND',
        detail: 'No vault.',
        request_id: 'r-9',
      });
    });
    expect((await screen.findByRole('alert')).textContent).toContain('r-9');
  });
});

describe('link', () => {
  test('default: chain by number or slug, each vault once, the rest named as unread', () => {
    const text = `31337:${anAddress(1)},devnet:${anAddress(1).toLowerCase()},mars:${anAddress(2)},31337:0x12`;
    const { vaults, unread } = chosenFrom(text, config);
    expect(vaults).toHaveLength(1);
    expect(unread).toEqual([`mars:${anAddress(2)}`, '31337:0x12']);
    expect(comparePath(vaults, '7d')).toBe(`/compare?vaults=31337:${anAddress(1).toLowerCase()}&period=7d`);
  });

  test('behavior: ten at most', () => {
    const text = Array.from({ length: 12 }, (_, index) => `31337:${anAddress(index + 1)}`).join(',');
    expect(chosenFrom(text, config).vaults).toHaveLength(10);
  });
});

test('behavior: the sentence above a chart has the figure of the table, with its sign', () => {
  const { table } = aComparison();
  const words = (id: string) => {
    const row = seriesRows.find((each) => each.id === id);
    if (row === undefined) throw new Error(`no ${id}`);
    return takeawayOf({ table }, row);
  };
  expect(words('tvl_usd')).toBe('Highest at the end: Vault 2 with $2,000.00');
  expect(words('drawdown')).toMatch(/^Deepest: Vault \d with −0\.50%$/);
  expect(words('apy')).toBeUndefined();
});

test('behavior: a time at which a vault has no value is a gap, and a depth is drawn downwards', () => {
  const drawdown = seriesRows.find(({ id }) => id === 'drawdown');
  if (drawdown === undefined) throw new Error('no drawdown');
  const lines = overlaid(
    aComparison({ series: { drawdown: [{ t: '2026-01-01T00:00:00.000Z', values: [0.01, null] }] } }),
    drawdown,
  );
  expect(lines.map(({ points }) => points[0]?.[1])).toEqual([-0.01, null]);
  expect(lines.map(({ colour }) => colour)).toEqual([1, 2]);
  expect(lines.map(({ kind }) => kind)).toEqual(['step', 'step']);
});
