import '../../test/browser.ts';
import { describe, expect, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { setSingles } from '../navigation/keys.ts';
import { sectionPath, usersPath } from '../navigation/paths.ts';
import { Rail } from './rail.tsx';

const vault = anAddress(1);

test.each([
  ['a section', sectionPath('operate', 'devnet', vault, 'users'), 'Dashboard'],
  ['the overview', sectionPath('operate', 'devnet', vault, 'overview'), 'Dashboard'],
  ['a page that has the name of a section', usersPath('devnet', vault), 'User management'],
])('behavior: on %s the menu marks where one is', async (_, url, current) => {
  await renderPage(<Rail />, { path: '/operate/:chainName/:vaultAddress/*', url });
  const menu = within(screen.getByRole('navigation', { name: 'This vault' }));
  expect(menu.getByRole('link', { current: 'page' }).textContent?.replace(/g \w$/, '')).toBe(current);
});

test('behavior: each page of the menu names its keys, unless they are switched off', async () => {
  const url = sectionPath('operate', 'devnet', vault, 'overview');
  const keys = () => screen.getByRole('link', { name: 'Pause' }).textContent;
  const { unmount } = await renderPage(<Rail />, { path: '/operate/:chainName/:vaultAddress/*', url });
  expect(keys()).toBe('Pauseg p');
  unmount();
  setSingles(false);
  await renderPage(<Rail />, { path: '/operate/:chainName/:vaultAddress/*', url });
  expect(keys()).toBe('Pause');
  setSingles(true);
});

describe('the vaults to choose from', () => {
  const own = [aPublicVault({ name: 'Core' }), aPublicVault({ vault_address: anAddress(2), name: 'Growth' })];
  const open = async (url: string) => {
    const vaults = own.map((each) => ({ ...each, my_role: 'view_only' }));
    const api = fakeApi({ myVaults: async () => ({ vaults, total: 2 }) });
    const path = '/operate/:chainName/:vaultAddress/*';
    const page = await renderPage(<Rail />, { api, address: anAddress(0x10), path, url });
    const list = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Vault' });
    return { ...page, list };
  };

  test('behavior: on a vault that is none of the own ones none of these is shown as chosen, and each can be', async () => {
    const { list, where } = await open(`/operate/devnet/${anAddress(0x77)}`);
    expect(list.selectedOptions[0]?.textContent).toBe('Another vault');
    await userEvent.selectOptions(list, 'Core · Devnet');
    await waitFor(() => expect(where.pathname).toBe(`/operate/devnet/${vault}`));
  });

  test.each(['', '/settings', '/dashboard/users'])(
    'behavior: another vault opens at the same page: "%s"',
    async (page) => {
      const { list, where } = await open(`/operate/devnet/${vault}${page}?kind=post`);
      await userEvent.selectOptions(list, 'Growth · Devnet');
      await waitFor(() => expect(where.pathname).toBe(`/operate/devnet/${anAddress(2)}${page}`));
      expect(where.search).toBe('');
    },
  );
});
