import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { totalsOf } from './totals.ts';
import { filterVaults } from './vault-filter.ts';
import { VaultList } from './vault-list.tsx';

const vaults = [
  aPublicVault({ vault_address: anAddress(1), name: 'Beta', tvl_usd: 10, current_pps_display: '10.000001' }),
  aPublicVault({ vault_address: anAddress(2), name: 'Alpha', tvl_usd: null, current_pps_display: '9.5' }),
  aPublicVault({ vault_address: anAddress(3), name: 'Gamma', tvl_usd: 300, current_pps_display: '10.0000001' }),
];
const names = () =>
  within(screen.getByRole('table', { name: 'Vaults' }))
    .getAllByRole('link')
    .map((link) => link.textContent);
const header = (name: string) => screen.getByRole('columnheader', { name });

describe('list of vaults', () => {
  test('default: the largest first, those without a price last, and the header says so', async () => {
    await renderPage(<VaultList vaults={vaults} isStale={false} />);
    expect(names()).toEqual(['Gamma', 'Beta', 'Alpha']);
    expect(header('TVL').getAttribute('aria-sort')).toBe('descending');
    expect(screen.getByText('no price')).toBeTruthy();
  });

  test('behavior: a header sorts, again reverses, and the URL keeps it', async () => {
    const { where } = await renderPage(<VaultList vaults={vaults} isStale={false} />);
    await userEvent.click(screen.getByRole('button', { name: 'Vault' }));
    expect(names()).toEqual(['Alpha', 'Beta', 'Gamma']);
    expect(where.search).toBe('?sort=name');
    await userEvent.click(screen.getByRole('button', { name: 'Vault' }));
    expect(names()).toEqual(['Gamma', 'Beta', 'Alpha']);
    expect(header('Vault').getAttribute('aria-sort')).toBe('descending');
  });

  test('behavior: prices sort as decimals, not as text', async () => {
    await renderPage(<VaultList vaults={vaults} isStale={false} />, { url: '/?sort=pps' });
    expect(names()).toEqual(['Alpha', 'Gamma', 'Beta']);
  });

  test('behavior: upkeep sorts by the time that it lasts, what has the least first', async () => {
    const { upkeep_info } = aPublicVault();
    const lasting = [100, 20, null].map((days, at) => ({
      ...(vaults[at] ?? aPublicVault()),
      upkeep_info: { ...upkeep_info, enabled: days !== null, runway_seconds: days === null ? null : days * 86_400 },
    }));
    await renderPage(<VaultList vaults={lasting} isStale={false} />);
    await userEvent.click(screen.getByRole('button', { name: 'Upkeep' }));
    expect(names()).toEqual(['Alpha', 'Beta', 'Gamma']);
  });

  test('behavior: a search without a hit says what to do', async () => {
    await renderPage(<VaultList vaults={vaults} isStale={false} />, { url: '/?q=nothing' });
    expect(screen.getByText('No vault matches')).toBeTruthy();
  });

  test('behavior: finds by name, symbol, asset and address, on one chain', () => {
    expect(filterVaults(vaults, { text: ' gam', chain: 'all' })).toHaveLength(1);
    expect(filterVaults(vaults, { text: anAddress(2).toLowerCase(), chain: 'all' })).toHaveLength(1);
    expect(filterVaults(vaults, { text: '', chain: 'mars' })).toHaveLength(0);
  });
});

test('behavior: a total leaves unpriced vaults out and says how many', () => {
  expect(totalsOf(vaults)).toMatchObject({ usd: 310, unpriced: 1, chains: 1 });
  expect(totalsOf([{ ...aPublicVault(), tvl_usd: null }]).usd).toBeNull();
});
