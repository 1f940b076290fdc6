import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aVault } from '../../test/builders.ts';
import { config, fakeApi, renderPage } from '../../test/harness.tsx';
import type { Role } from './access.ts';
import { UsersPage } from './users-page.tsx';
import { readWallet } from './wallet-input.ts';

const [primary, secondary, viewer] = [anAddress(0x10), anAddress(0x11), anAddress(0x12)];
const aUser = (wallet_address: string, role: Role, display_name: string | null = null) => ({
  user: { id: wallet_address, wallet_address, display_name },
  roles: [{ vault_address: anAddress(1), chain_id: 31337, role, granted_by: null, granted_at: null }],
});
const people = [
  aUser(viewer, 'view_only'),
  aUser(secondary, 'secondary_manager', 'Mara'),
  aUser(primary, 'primary_manager'),
];

function open(my_role: Role, address: string) {
  const [chain] = config.chains;
  if (chain === undefined) throw new Error('no chain');
  const prepare = jest.fn(async () => {
    throw new Error('not prepared in this test');
  });
  const api = fakeApi({
    users: async () => ({ users: people, total: 3, has_more: false, next_cursor: null }),
    prepareAddSecondaryManager: prepare,
  });
  const live = { mode: 'stream', toggle: jest.fn(), pollMs: false } as const;
  const shown = { vault: aVault({ my_role }), chain, updatedAt: Date.now(), live, error: null, retry: jest.fn() };
  return { prepare, view: renderPage(<UsersPage shown={shown} />, { api, address }) };
}
const actions = () => screen.queryAllByRole('button', { name: /^(Add manager|Grant access|Remove|Revoke)/ });

describe('user management', () => {
  test('default: the primary manager may add and remove', async () => {
    await open('primary_manager', primary).view;
    expect(await screen.findByRole('button', { name: 'Remove Mara' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Add manager' })).toBeTruthy();
    expect(screen.getByRole('tab', { name: /Everyone/ }).textContent).toContain('3');
  });

  test.each<[Role, string]>([
    ['view_only', viewer],
    ['secondary_manager', secondary],
  ])('behavior: %s sees everybody and no action', async (role, address) => {
    await open(role, address).view;
    await userEvent.click(await screen.findByRole('tab', { name: /Everyone/ }));
    expect(screen.getAllByText('Mara').length).toBeGreaterThan(0);
    expect(actions()).toEqual([]);
    expect(screen.getByText(/Only the primary manager changes it/)).toBeTruthy();
  });

  test('behavior: a malformed address is refused before anything is prepared', async () => {
    const { prepare, view } = open('primary_manager', primary);
    await view;
    await userEvent.type(await screen.findByRole('textbox', { name: "New manager's address" }), '0x12');
    await userEvent.click(screen.getByRole('button', { name: 'Add manager' }));
    expect(screen.getByText(/40 hexadecimal digits/)).toBeTruthy();
    expect(prepare).not.toHaveBeenCalled();
  });
});

describe('readWallet', () => {
  test('default: any well-formed case becomes EIP-55', () => {
    expect(readWallet(` ${secondary.toLowerCase()} `)).toEqual({ address: secondary });
  });

  test('behavior: a broken checksum and the zero address are told apart', () => {
    const broken = '0x70997970c51812dc3A010C7d01b50e0d17dc79C8';
    expect(readWallet(broken)).toMatchObject({ error: expect.stringContaining('checksum') });
    expect(readWallet(`0x${'0'.repeat(40)}`)).toMatchObject({ error: expect.stringContaining('zero') });
  });
});
