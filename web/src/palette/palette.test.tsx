import '../../test/browser.ts';
import { afterEach, describe, expect, test } from '@jest/globals';
import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aPublicVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { createKeyReader, setSingles } from '../navigation/keys.ts';
import { openOverlay } from '../navigation/overlay.ts';
import { Shortcuts } from './shortcuts.tsx';

const listed = [
  aPublicVault({ vault_address: anAddress(1), name: 'USDC Core' }),
  aPublicVault({ vault_address: anAddress(2), name: 'WETH Growth', symbol: 'gWETH' }),
];
const open = () =>
  renderPage(
    <>
      <input aria-label="A field" />
      <Shortcuts />
    </>,
    { api: fakeApi({ publicVaults: async () => listed }), path: '*', url: '/compare' },
  );

afterEach(() => {
  openOverlay('none');
  setSingles(true);
});

describe('command palette', () => {
  test('default: Ctrl-K, a few letters and Enter lead to the vault, without a mouse', async () => {
    const { where } = await open();
    const user = userEvent.setup();
    await user.keyboard('{Control>}k{/Control}');
    const field = await screen.findByPlaceholderText('Vault, section or action');
    await screen.findByRole('menuitem', { name: /WETH Growth/ });
    expect(document.activeElement).toBe(field);
    await user.keyboard('growth');
    await waitFor(() => expect(screen.queryByRole('menuitem', { name: /USDC Core/ })).toBeNull());
    await user.keyboard('{Enter}');
    await waitFor(() => expect(where.pathname).toBe(`/managed-vaults/devnet/${anAddress(2)}`));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: a vault is found by its address, an action by its words, nothing by nonsense', async () => {
    await open();
    const user = userEvent.setup();
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByRole('menuitem', { name: /WETH Growth/ });
    await user.keyboard(anAddress(1).slice(0, 42).toLowerCase());
    await waitFor(() => expect(screen.getAllByRole('menuitem')).toHaveLength(1));
    await user.clear(screen.getByPlaceholderText('Vault, section or action'));
    await user.keyboard('light');
    expect(await screen.findByRole('menuitem', { name: 'Light theme' })).toBeTruthy();
    await user.clear(screen.getByPlaceholderText('Vault, section or action'));
    await user.keyboard('oracle');
    expect(await screen.findByRole('menuitem', { name: 'Validators' })).toBeTruthy();
    await user.keyboard('zzz');
    expect(await screen.findByText('Nothing is called that')).toBeTruthy();
  });

  test('behavior: ? shows the shortcuts, Escape closes them', async () => {
    await open();
    const user = userEvent.setup();
    await user.keyboard('?');
    expect(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' })).toBeTruthy();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: two keys one after the other go to a page; a field keeps its letters', async () => {
    const { where } = await open();
    const user = userEvent.setup();
    await user.click(screen.getByRole('textbox', { name: 'A field' }));
    await user.keyboard('gv?');
    expect(where.pathname).toBe('/compare');
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.click(document.body);
    await user.keyboard('gv');
    await waitFor(() => expect(where.pathname).toBe('/'));
  });
});

describe('keys', () => {
  const press = (key: string, at: number, more: { ctrlKey?: boolean } = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    target: document.body,
    timeStamp: at,
    ...more,
  });

  test('default: a pair counts within a second only', () => {
    const read = createKeyReader();
    expect([read(press('g', 0)), read(press('o', 900))]).toEqual([undefined, 'operate']);
    expect([read(press('g', 2_000)), read(press('o', 3_100))]).toEqual([undefined, undefined]);
  });

  test('behavior: single keys can be switched off, the palette cannot', () => {
    const read = createKeyReader();
    setSingles(false);
    expect(read(press('?', 0))).toBeUndefined();
    expect(read(press('k', 1, { ctrlKey: true }))).toBe('palette');
  });
});
