import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { dismissToast, Toasts } from '../design/toast.tsx';
import { closeSignIn, openSignIn } from '../session/sign-in-prompt.ts';
import { WalletGate } from './wallet-gate.tsx';

const self = anAddress(1);
const other = anAddress(2);

afterEach(() => {
  localStorage.clear();
  act(closeSignIn);
  act(() => dismissToast(() => true));
});

async function render() {
  const me = jest.fn(async () => ({
    wallet_address: self,
    is_manager: true,
    vaults: [{ vault_address: anAddress(9) }],
  }));
  const logout = jest.fn(async () => ({}));
  const page = (
    <>
      <WalletGate />
      <Toasts />
    </>
  );
  const view = await act(async () => renderPage(page, { api: fakeApi({ me, logout }), address: self }));
  return { ...view, me, logout };
}

/** The same with the roles read, so that all of it is there. */
async function open() {
  const view = await render();
  await waitFor(() => expect(view.session.get()).toMatchObject({ vaults: [anAddress(9)] }));
  return view;
}

test('default: a stored session brings its roles up to date, and nothing that signs is loaded for it', async () => {
  const { session, hasAskedForWallets, me } = await open();
  expect(session.get()).toMatchObject({ status: 'signed_in', address: self });
  expect(me).toHaveBeenCalledTimes(1);
  expect(hasAskedForWallets()).toBe(false);
});

test('behavior: another account in the wallet ends the session, here and on the server, without what signs', async () => {
  localStorage.setItem('castellan_demo_wallet', other);
  const { session, logout, hasAskedForWallets } = await render();
  expect(await screen.findByText('The account in your wallet changed')).toBeTruthy();
  expect(session.get()).toEqual({ status: 'anonymous' });
  expect(logout).toHaveBeenCalledTimes(1);
  expect(hasAskedForWallets()).toBe(false);
});

test('behavior: a session that was refused says so, with the way back', async () => {
  const { session } = await open();
  act(() => session.end('unauthorized'));
  expect(await screen.findByText('Session ended')).toBeTruthy();
  expect(await screen.findByRole('button', { name: 'Sign in again' })).toBeTruthy();
});

test('behavior: a logout disconnects the wallet, so that the next visit begins with the choice of one', async () => {
  const { session, wallets } = await open();
  expect(wallets.state.status).toBe('connected');
  act(() => session.end('logout'));
  await waitFor(() => expect(wallets.state.status).toBe('disconnected'));
});

test('behavior: once signing in is asked for, the connected wallet is followed itself', async () => {
  const { session, wallets, hasAskedForWallets } = await open();
  await act(async () => openSignIn());
  expect(await screen.findByRole('dialog', { name: 'Sign in' })).toBeTruthy();
  expect(hasAskedForWallets()).toBe(true);
  const { current } = wallets.state;
  const connection = current === null ? undefined : wallets.state.connections.get(current);
  if (current === null || connection === undefined) throw new Error('no wallet is connected');
  const changed = { ...connection, accounts: [other as `0x${string}`] as const };
  await act(async () => wallets.setState((state) => ({ ...state, connections: new Map([[current, changed]]) })));
  expect(session.get()).toEqual({ status: 'anonymous' });
});
