import '../../test/browser.ts';
import { ListSessions } from '@castellan/contracts';
import { describe, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeNode } from '../../test/fake-node.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { refusal } from '../../test/shown.ts';
import { digestsOf } from '../digests/digests.ts';
import AccountActions from '../wallet/account-actions.tsx';
import { type AccountSession, curlExample } from './session-labels.ts';
import { SessionsPage } from './sessions-page.tsx';

const self = anAddress(0x10);
const aSession = (parts: Partial<AccountSession> = {}): AccountSession => ({
  id: 'one',
  kind: 'session',
  name: null,
  scope: 'full',
  vault: null,
  issued_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-02T00:00:00Z',
  revoked_at: null,
  is_current: true,
  ...parts,
});
const bot = aSession({
  id: 'two',
  kind: 'token',
  name: 'Report bot',
  scope: 'read',
  vault: { chain_id: 31337, vault_address: anAddress(1) },
  is_current: false,
});
const SECRET = 'ct_secret_token';
const issued = { access_token: SECRET, token_type: 'Bearer' as const, expires_in: 3_600, session: bot };

const vaults = { vaults: [{ name: 'USDC Core', chain_id: 31337, vault_address: anAddress(1), my_role: 'view_only' }] };
const open = (answers: Parameters<typeof fakeApi>[0]) =>
  renderPage(<SessionsPage />, {
    api: fakeApi({
      myVaults: async () => vaults,
      listSessions: async () => ({ sessions: [aSession(), bot] }),
      ...answers,
    }),
    address: self,
  });
const fill = async (name: string) => {
  await userEvent.type(await screen.findByRole('textbox', { name: 'Name' }), name);
  await userEvent.click(screen.getByRole('button', { name: 'Make token' }));
};

describe('sessions and tokens', () => {
  test('default: each is shown with what it may do, where, and which one is this browser', async () => {
    expect(ListSessions.result.parse({ sessions: [aSession(), bot] }).sessions).toHaveLength(2);
    await open({});
    const table = await screen.findByRole('table', { name: 'Sessions and tokens' });
    expect(within(table).getByText('This browser')).toBeTruthy();
    const row = within(table).getByText('Report bot').closest('tr');
    expect(row?.textContent).toContain('Reads only');
    expect(row?.textContent).toContain(anAddress(1));
  });

  test('default: with none listed it says what will appear', async () => {
    await open({ listSessions: async () => ({ sessions: [] }) });
    expect(await screen.findByText('No session')).toBeTruthy();
  });

  test('error: an unreadable list says so and can be asked again', async () => {
    const listSessions = jest
      .fn<() => Promise<unknown>>()
      .mockRejectedValueOnce(refusal('SERVICE_UNAVAILABLE'))
      .mockResolvedValue({ sessions: [bot] });
    await open({ listSessions });
    expect(await screen.findByText('refused: SERVICE_UNAVAILABLE')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByText('Report bot')).toBeTruthy();
  });

  test('behavior: a token is revoked only after it is confirmed', async () => {
    const revokeSession = jest.fn(async (_input: unknown) => null);
    await open({ revokeSession });
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke Report bot' }));
    expect(revokeSession).not.toHaveBeenCalled();
    await userEvent.click(screen.getByRole('button', { name: 'Revoke now' }));
    await waitFor(() => expect(revokeSession).toHaveBeenCalledWith({ params: { id: 'two' } }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('behavior: revoking the session of this browser signs out', async () => {
    const { session } = await open({ revokeSession: async () => null });
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke Sign-in' }));
    await userEvent.click(screen.getByRole('button', { name: 'Revoke now' }));
    await waitFor(() => expect(session.get().status).toBe('anonymous'));
  });

  test('behavior: a new token asks for the least, and is shown once', async () => {
    const createScopedToken = jest.fn(async (_input: unknown) => issued);
    await open({ createScopedToken });
    await userEvent.selectOptions(
      await screen.findByRole('combobox', { name: 'Vault' }),
      await screen.findByRole('option', { name: 'USDC Core' }),
    );
    await fill('Report bot');
    const dialog = await screen.findByRole('dialog');
    expect(createScopedToken).toHaveBeenCalledWith({
      body: {
        name: 'Report bot',
        scope: 'read',
        expires_in_seconds: 604_800,
        vault: { chain_id: 31337, vault_address: anAddress(1) },
      },
    });
    await userEvent.keyboard('{Escape}');
    expect(within(dialog).getByText(SECRET)).toBeTruthy();
    expect(screen.getByRole('dialog')).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('button', { name: 'I have copied it' }));
    expect(document.body.textContent).not.toContain(SECRET);
    expect(JSON.stringify({ ...localStorage })).not.toContain(SECRET);
  });

  test('behavior: a token for a vault that is none of one’s own any more never becomes one for all', async () => {
    const createScopedToken = jest.fn(async (_input: unknown) => issued);
    const myVaults = jest.fn<() => Promise<unknown>>().mockResolvedValueOnce(vaults).mockResolvedValue({ vaults: [] });
    const { queries } = await open({ createScopedToken, myVaults });
    const choice = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Vault' });
    await userEvent.selectOptions(choice, await screen.findByRole('option', { name: 'USDC Core' }));
    await act(() => queries.invalidateQueries());
    await waitFor(() => expect(choice.selectedOptions[0]?.textContent).toBe('A vault that is none of yours'));
    await fill('Report bot');
    expect(screen.getByText(/^Choose the vault again/)).toBeTruthy();
    expect(createScopedToken).not.toHaveBeenCalled();
  });

  test('error: without a name nothing is asked of the server', async () => {
    const createScopedToken = jest.fn(async (_input: unknown) => issued);
    await open({ createScopedToken });
    await userEvent.click(await screen.findByRole('button', { name: 'Make token' }));
    expect(screen.getByText(/^A name /)).toBeTruthy();
    expect(createScopedToken).not.toHaveBeenCalled();
  });

  test('behavior: a signature that is too old is given anew in place, and the token is made under it', async () => {
    fakeNode({ eth_signTypedData_v4: () => '0x01' });
    const typed_data = {
      domain: { name: 'Castellan', version: '1', chainId: 31337 },
      types: { Authentication: [{ name: 'nonce', type: 'string' }] },
      primaryType: 'Authentication',
      message: { nonce: 'n' },
    };
    const createScopedToken = jest
      .fn<() => Promise<unknown>>()
      .mockRejectedValueOnce(refusal('STEP_UP_REQUIRED'))
      .mockResolvedValue(issued);
    const { session } = await open({
      createScopedToken,
      createNonce: async () => ({ nonce: 'n', siwe_message: '', typed_data }),
      stepUp: async () => {
        for (const { label, value } of digestsOf(typed_data))
          expect((await screen.findByText(label)).nextElementSibling?.textContent).toContain(value);
        return { access_token: 'fresh', token_type: 'Bearer', expires_in: 60, wallet_address: self };
      },
    });
    await fill('Report bot');
    expect(within(await screen.findByRole('dialog')).getByText(SECRET)).toBeTruthy();
    expect(session.get()).toMatchObject({ status: 'signed_in', token: 'fresh' });
    expect(createScopedToken).toHaveBeenCalledTimes(2);
  });

  test('error: a wallet that does not sign again gets no token and keeps what was typed', async () => {
    const createScopedToken = jest.fn(async () => {
      throw refusal('STEP_UP_REQUIRED');
    });
    const createNonce = jest.fn(async () => {
      throw new Error('You declined the message in the wallet.');
    });
    await open({ createScopedToken, createNonce });
    await fill('Report bot');
    expect(await screen.findByText('The token was not made')).toBeTruthy();
    expect(createScopedToken).toHaveBeenCalledTimes(1);
    expect((screen.getByRole('textbox', { name: 'Name' }) as HTMLInputElement).value).toBe('Report bot');
  });
});

test('behavior: the example reads the vault a token is bound to, and never holds the token', () => {
  const example = curlExample('https://c.example', issued);
  expect(example).toContain(`https://c.example/api/v1/vaults/31337/${anAddress(1)}`);
  expect(example).not.toContain(SECRET);
});

test('behavior: the account menu opens by the arrow, keeps no other key from the page, and gives the focus back', async () => {
  const onKey = jest.fn();
  await renderPage(<AccountActions address={self} />, { address: self, path: '*', url: '/' });
  const button = screen.getByRole('button', { name: `Account ${self}` });
  const listener = ({ key }: KeyboardEvent) => onKey(key);
  window.addEventListener('keydown', listener);
  act(() => button.focus());
  await userEvent.keyboard('k');
  window.removeEventListener('keydown', listener);
  expect(onKey).toHaveBeenCalledWith('k');
  await userEvent.keyboard('{ArrowDown}');
  const first = await screen.findByRole('menuitem', { name: 'Sessions and tokens' });
  await waitFor(() => expect(document.activeElement).toBe(first));
  const keys = screen
    .getAllByRole('menuitem')
    .map((item) => document.getElementById(item.getAttribute('aria-describedby') ?? '')?.textContent);
  expect(keys).toEqual(['g z', undefined]);
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(document.activeElement).toBe(button));
});

test('behavior: logging out ends the session here at once, also while the server does not answer', async () => {
  const logout = jest.fn(() => new Promise<never>(() => undefined));
  const { session } = await renderPage(<AccountActions address={self} />, {
    api: fakeApi({ logout }),
    address: self,
    path: '*',
    url: '/',
  });
  await userEvent.click(screen.getByRole('button', { name: `Account ${self}` }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Log out' }));
  await waitFor(() => expect(session.get()).toEqual({ status: 'anonymous' }));
  expect(logout).toHaveBeenCalledTimes(1);
});

test('behavior: the account menu leads here', async () => {
  const { where } = await renderPage(<AccountActions address={self} />, { address: self, path: '*', url: '/' });
  await userEvent.click(screen.getByRole('button', { name: `Account ${self}` }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Sessions and tokens' }));
  expect(where.pathname).toBe('/operate/sessions');
});
