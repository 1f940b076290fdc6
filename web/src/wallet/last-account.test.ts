import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { waitFor } from '@testing-library/react';
import { anAddress } from '../../test/builders.ts';
import { memoryStorage } from '../../test/memory-storage.ts';
import { followLastAccount } from './last-account.ts';

const first = anAddress(1);
const second = anAddress(2);
const lastWas = (id: string) => memoryStorage({ 'wagmi.recentConnectorId': JSON.stringify(id) });

const removals: (() => void)[] = [];
afterEach(() => {
  for (const remove of removals.splice(0)) remove();
});

type Listener = (accounts: unknown) => void;

/** A wallet in the browser that announces itself when it is asked (EIP-6963). */
function installWallet(rdns: string, accounts: readonly string[]) {
  const listeners = new Set<Listener>();
  const request = jest.fn(async (_: unknown): Promise<unknown> => accounts);
  const provider = {
    request,
    on: (_: string, listener: Listener) => listeners.add(listener),
    removeListener: (_: string, listener: Listener) => listeners.delete(listener),
  };
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info: { rdns }, provider } }));
  window.addEventListener('eip6963:requestProvider', announce);
  removals.push(() => window.removeEventListener('eip6963:requestProvider', announce));
  return {
    request,
    change: (next: readonly string[]) => {
      for (const listener of listeners) listener(next);
    },
  };
}

test('default: the wallet of the last visit says its account and each change of it, and is asked for nothing else', async () => {
  const wallet = installWallet('io.example', [first]);
  const seen: string[] = [];
  const stop = followLastAccount(lastWas('io.example'), (account) => seen.push(account));
  await waitFor(() => expect(seen).toEqual([first]));
  wallet.change([second]);
  expect(seen).toEqual([first, second]);
  expect(wallet.request.mock.calls).toEqual([[{ method: 'eth_accounts' }]]);
  stop();
  wallet.change([first]);
  expect(seen).toHaveLength(2);
});

test('behavior: a locked wallet says nothing of who it is', async () => {
  const wallet = installWallet('io.example', []);
  const onAccount = jest.fn();
  const stop = followLastAccount(lastWas('io.example'), onAccount);
  await waitFor(() => expect(wallet.request).toHaveBeenCalled());
  wallet.change([]);
  expect(onAccount).not.toHaveBeenCalled();
  stop();
});

test('behavior: another wallet than that of the last visit is not asked', () => {
  const wallet = installWallet('io.other', [second]);
  const stop = followLastAccount(lastWas('io.example'), () => undefined);
  expect(wallet.request).not.toHaveBeenCalled();
  stop();
});

test('behavior: a demo wallet is known by what it left, unless another was used since', () => {
  const demo = { castellan_demo_wallet: first };
  const onAccount = jest.fn();
  followLastAccount(memoryStorage(demo), onAccount)();
  expect(onAccount).toHaveBeenCalledWith(first);
  followLastAccount(memoryStorage({ ...demo, 'wagmi.recentConnectorId': '"io.example"' }), onAccount)();
  expect(onAccount).toHaveBeenCalledTimes(1);
});

test('error: a wallet that refuses to answer, and a memory that is none, end nothing', async () => {
  const wallet = installWallet('io.example', []);
  wallet.request.mockRejectedValue(new Error('refused'));
  const onAccount = jest.fn();
  followLastAccount(lastWas('io.example'), onAccount);
  followLastAccount(memoryStorage({ 'wagmi.recentConnectorId': '{' }), onAccount)();
  await waitFor(() => expect(wallet.request).toHaveBeenCalled());
  expect(onAccount).not.toHaveBeenCalled();
});
