import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { AppRoutes } from './router.tsx';

const silence = () => new Promise(() => undefined);

test('behavior: the shorter address of a vault leads to the one it has, from a hash of before to its section', async () => {
  const vault = aVault();
  const api = fakeApi({ vault: async () => vault, followVault: silence, merkleProofStatus: silence });
  const { where } = await renderPage(<AppRoutes />, {
    api,
    path: '*',
    url: `/vaults/devnet/${vault.vault_address}?period=7d#managers`,
  });
  expect(await screen.findByRole('heading', { level: 1, name: vault.name })).toBeTruthy();
  expect(where).toMatchObject({
    pathname: `/managed-vaults/devnet/${vault.vault_address}/managers`,
    search: '?period=7d',
    hash: '',
  });
});

test('default: an address that leads nowhere says so', async () => {
  await renderPage(<AppRoutes />, { path: '*', url: '/nothing-here' });
  expect(await screen.findByRole('heading', { name: 'There is no page here' })).toBeTruthy();
});
