import '../../test/browser.ts';
import { describe, expect, jest, test } from '@jest/globals';
import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { renderPage } from '../../test/harness.tsx';
import { preparesOf } from '../../test/prepares.ts';
import { aShown, refusal } from '../../test/shown.ts';
import type { Role } from './access.ts';
import { powers } from './powers.ts';
import { UsersPage } from './users-page.tsx';
import { readWallet } from './wallet-input.ts';

const primary = anAddress(0x10);
const secondary = anAddress(0x11);
const viewer = anAddress(0x12);
const aUser = (wallet_address: string, role: Role, display_name: string | null = null, label_version = 0) => ({
  user: { id: wallet_address, wallet_address, display_name, label_version },
  roles: [{ vault_address: anAddress(1), chain_id: 31337, role, granted_by: null, granted_at: null }],
});
const people = [
  aUser(viewer, 'view_only'),
  aUser(secondary, 'secondary_manager', 'Mara', 1),
  aUser(primary, 'primary_manager'),
];
const pageOf = (users: typeof people) => ({ users, total: users.length, has_more: false, next_cursor: null });

type Options = { users?: () => Promise<unknown>; vault?: Parameters<typeof aShown>[0]; url?: string; more?: object };

async function open(my_role: Role, address: string, options: Options = {}) {
  const { users = async () => pageOf(people), vault, url = '/', more } = options;
  const { api, asked } = preparesOf({ users, ...more });
  const shown = aShown({ my_role, ...vault });
  const view = await renderPage(<UsersPage shown={shown} />, { api, address, path: '/', url });
  return { ...view, asked };
}
const actions = () => screen.queryAllByRole('button', { name: /^(Add manager|Grant access|Remove|Revoke|Cancel)/ });

describe('user management', () => {
  test('default: the primary manager may add and remove', async () => {
    await open('primary_manager', primary);
    expect(await screen.findByRole('button', { name: 'Remove Mara' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Add manager' })).toBeTruthy();
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
      'Primary manager1',
      'Secondary managers1',
      'View only1',
    ]);
    expect(screen.getByText('Your role').textContent).toContain('Primary manager');
  });

  test('default: each tab holds its own kind of access, and the URL opens it', async () => {
    const { where } = await open('primary_manager', primary, { url: '/?tab=viewers' });
    const table = await screen.findByRole('table', { name: 'View only' });
    expect(within(table).getAllByRole('row')).toHaveLength(2);
    await userEvent.click(screen.getByRole('tab', { name: /Primary manager/ }));
    expect(where.search).toBe('?tab=primary');
    expect(within(screen.getByRole('table', { name: 'Primary manager' })).getByText('you')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^(Remove|Revoke)/ })).toBeNull();
  });

  test.each<[Role, string]>([
    ['view_only', viewer],
    ['secondary_manager', secondary],
  ])('behavior: %s sees everybody and no action', async (role, address) => {
    await open(role, address);
    expect((await screen.findAllByText('Mara')).length).toBeGreaterThan(0);
    for (const tab of screen.getAllByRole('tab')) {
      await userEvent.click(tab);
      expect(actions()).toEqual([]);
    }
    expect(screen.getByText(/Only the primary manager changes it/)).toBeTruthy();
  });

  test('behavior: a malformed address is refused before anything is prepared', async () => {
    const { asked } = await open('primary_manager', primary);
    await userEvent.type(await screen.findByRole('textbox', { name: "New manager's address" }), '0x12');
    await userEvent.click(screen.getByRole('button', { name: 'Add manager' }));
    expect(screen.getByText(/40 hexadecimal digits/)).toBeTruthy();
    expect(asked()).toEqual([]);
  });

  test.each([
    [secondary, 'This wallet is a secondary manager already.'],
    [primary, 'The primary manager cannot be a secondary one.'],
  ])('behavior: a wallet that manages already is refused in the form', async (wallet, words) => {
    const { asked } = await open('primary_manager', primary);
    await screen.findByRole('button', { name: 'Remove Mara' });
    await userEvent.type(screen.getByRole('textbox', { name: "New manager's address" }), wallet.toLowerCase());
    await userEvent.click(screen.getByRole('button', { name: 'Add manager' }));
    expect(screen.getByText(words)).toBeTruthy();
    expect(asked()).toEqual([]);
  });

  test('default: the form says all that a secondary manager may do, and what not', async () => {
    await open('primary_manager', primary);
    const linesOf = async (name: string) =>
      within(await screen.findByRole('list', { name }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent);
    expect(await linesOf('A secondary manager may')).toEqual([...powers.secondary_manager.may]);
    expect(await linesOf('A secondary manager may not')).toEqual([...powers.secondary_manager.mayNot]);
  });

  test('behavior: a removal is prepared for the wallet of the row', async () => {
    const { asked } = await open('primary_manager', primary);
    await userEvent.click(await screen.findByRole('button', { name: 'Remove Mara' }));
    expect(await screen.findByRole('dialog', { name: 'Remove a secondary manager' })).toBeTruthy();
    await waitFor(() => expect(asked()).toEqual([expect.objectContaining({ manager_address: secondary })]));
  });

  test('behavior: view access is revoked once that was confirmed', async () => {
    const revokeViewOnly = jest.fn(async (_: unknown) => null);
    await open('primary_manager', primary, { url: '/?tab=viewers', more: { revokeViewOnly } });
    const [button] = await screen.findAllByRole('button', { name: /^Revoke access of/ });
    await userEvent.click(button as HTMLElement);
    expect(revokeViewOnly).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: /^Revoke access of .* now$/ }));
    await waitFor(() => expect(revokeViewOnly.mock.calls).toMatchObject([[{ params: { wallet_address: viewer } }]]));
  });

  test('behavior: without a secondary the primary is advised to add one; others are not', async () => {
    const alone = async () => pageOf([aUser(primary, 'primary_manager')]);
    const { unmount } = await open('primary_manager', primary, { users: alone });
    expect(await screen.findByText('Add a secondary manager before going live')).toBeTruthy();
    unmount();
    await open('view_only', viewer, { users: alone });
    expect(await screen.findByText('No secondary manager')).toBeTruthy();
    expect(screen.queryByText('Add a secondary manager before going live')).toBeNull();
  });

  test('error: unreadable people are no reason to advise anything', async () => {
    await open('primary_manager', primary, {
      users: async () => {
        throw refusal('SERVICE_UNAVAILABLE', 503);
      },
    });
    expect(await screen.findByText('The people could not be read')).toBeTruthy();
    expect(screen.queryByText('Add a secondary manager before going live')).toBeNull();
  });
});

describe('a proposed change of the primary manager', () => {
  const vault = {
    pending_manager_change: {
      proposed_manager: anAddress(0x66),
      proposer: secondary,
      effective_at: '2026-01-02T00:00:00Z',
    },
  };

  test('behavior: the primary manager may cancel it', async () => {
    const { asked } = await open('primary_manager', primary, { vault });
    expect(screen.getByRole('alert').textContent).toContain('every secondary manager loses the role');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel it' }));
    expect(await screen.findByRole('dialog', { name: 'Cancel the change of the primary manager' })).toBeTruthy();
    await waitFor(() => expect(asked()).toHaveLength(1));
  });

  test.each<[Role, string]>([
    ['secondary_manager', secondary],
    ['view_only', viewer],
  ])('behavior: %s is warned and cannot', async (role, address) => {
    await open(role, address, { vault });
    expect(screen.getByRole('alert')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Cancel it' })).toBeNull();
  });
});

/** A server with one label, that keeps the rule of versions. */
function aLabel() {
  const label = { name: 'Mara', version: 1 };
  type Body = { display_name: string; version?: number };
  const setDisplayName = jest.fn(async ({ body }: { params: unknown; body: Body }) => {
    if (body.version !== undefined && body.version !== label.version) throw refusal('VERSION_CONFLICT', 409);
    Object.assign(label, { name: body.display_name, version: label.version + 1 });
  });
  const users = async () =>
    pageOf([aUser(primary, 'primary_manager'), aUser(secondary, 'secondary_manager', label.name, label.version)]);
  return { label, setDisplayName, users };
}
const edit = async (row: string, name: string) => {
  await userEvent.click(await screen.findByRole('button', { name: `Edit the name of ${row}` }));
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Display name' });
  await userEvent.clear(field);
  await userEvent.type(field, name);
  return field;
};
const save = () => userEvent.click(screen.getByRole('button', { name: 'Save name' }));

describe('display names', () => {
  test('behavior: of two editors the later keeps the text, sees the other name, and overwrites only when asked to', async () => {
    const { label, setDisplayName, users } = aLabel();
    await open('primary_manager', primary, { users, more: { setDisplayName } });
    const field = await edit('Mara', 'Mara of risk');
    await setDisplayName({ params: {}, body: { display_name: 'M. Lind', version: 1 } });
    await save();
    expect(await screen.findByText('“M. Lind” was saved by someone else meanwhile')).toBeTruthy();
    expect(field.value).toBe('Mara of risk');
    expect(label).toEqual({ name: 'M. Lind', version: 2 });
    await userEvent.click(screen.getByRole('button', { name: 'Save mine anyway' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(label).toEqual({ name: 'Mara of risk', version: 3 });
    expect(await screen.findByText('Mara of risk')).toBeTruthy();
  });

  test('behavior: a third one in between is a conflict again', async () => {
    const { label, setDisplayName, users } = aLabel();
    await open('primary_manager', primary, { users, more: { setDisplayName } });
    await edit('Mara', 'Mine');
    await setDisplayName({ params: {}, body: { display_name: 'Second', version: 1 } });
    await save();
    await screen.findByText(/“Second” was saved/);
    await setDisplayName({ params: {}, body: { display_name: 'Third', version: 2 } });
    await userEvent.click(screen.getByRole('button', { name: 'Save mine anyway' }));
    expect(await screen.findByText(/“Third” was saved/)).toBeTruthy();
    expect(label.name).toBe('Third');
  });

  test('behavior: the other name can be kept', async () => {
    const { label, setDisplayName, users } = aLabel();
    await open('primary_manager', primary, { users, more: { setDisplayName } });
    await edit('Mara', 'Mine');
    await setDisplayName({ params: {}, body: { display_name: 'M. Lind', version: 1 } });
    await save();
    await userEvent.click(await screen.findByRole('button', { name: 'Keep “M. Lind”' }));
    expect(screen.queryByRole('dialog')).toBeNull();
    expect(label.name).toBe('M. Lind');
    expect(await screen.findByText('M. Lind')).toBeTruthy();
  });

  test('behavior: the own name goes without a vault and its version', async () => {
    const { setDisplayName, users } = aLabel();
    await open('secondary_manager', secondary, { users, more: { setDisplayName } });
    await edit('Mara', 'Mara L.');
    await save();
    await waitFor(() => expect(setDisplayName).toHaveBeenCalled());
    expect(setDisplayName).toHaveBeenCalledWith({
      params: { wallet_address: secondary },
      body: { display_name: 'Mara L.' },
    });
  });
});

describe('readWallet', () => {
  test('default: any well-formed case becomes EIP-55', () => {
    expect(readWallet(` ${secondary.toLowerCase()} `)).toEqual({ address: secondary });
  });

  test('behavior: a broken checksum and the zero address get different messages', () => {
    const broken = '0x70997970c51812dc3A010C7d01b50e0d17dc79C8';
    expect(readWallet(broken)).toMatchObject({ error: expect.stringContaining('checksum') });
    expect(readWallet(`0x${'0'.repeat(40)}`)).toMatchObject({ error: expect.stringContaining('zero') });
  });
});
