import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { EthereumProvider } from '@walletconnect/ethereum-provider';
import { config, fakeApi, renderPage } from '../../test/harness.tsx';
import { digestsOf } from '../digests/digests.ts';
import { closeSignIn, openSignIn } from '../session/sign-in-prompt.ts';
import { connectorsOf } from './connectors.ts';
import { WalletDialog } from './wallet-dialog.tsx';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const link = 'wc:a-topic@2?relay-protocol=irn&symKey=ab';
const typedData = {
  domain: { name: 'Castellan', version: '1', chainId: 31337 },
  types: {
    Authentication: [
      { name: 'uri', type: 'string' },
      { name: 'statement', type: 'string' },
      { name: 'nonce', type: 'string' },
    ],
  },
  primaryType: 'Authentication',
  message: { uri: 'http://localhost', statement: 'Sign in to Castellan.', nonce: 'n1' },
};
const createNonce = async () => ({ typed_data: typedData, expires_at: '2100-01-01T00:00:00Z' });

afterEach(() => act(closeSignIn));

/** The dialog with a wallet behind the relay, which shows its link at once and connects when it is approved. */
async function open() {
  const listeners = new Map<string, (data: unknown) => void>();
  const approval = Promise.withResolvers<void>();
  const provider = {
    session: undefined,
    chainId: 31337,
    events: { setMaxListeners: () => undefined },
    on: (name: string, listener: (data: unknown) => void) => listeners.set(name, listener),
    removeListener: (name: string) => listeners.delete(name),
    connect: () => {
      listeners.get('display_uri')?.(link);
      return approval.promise;
    },
    enable: async () => [address],
  };
  jest.spyOn(EthereumProvider, 'init').mockImplementation(async () => provider as never);
  const view = await renderPage(<WalletDialog />, { api: fakeApi({ createNonce }) });
  const offered = { ...config, walletconnect_project_id: '0123456789abcdef0123456789abcdef' };
  const { setup, setState } = view.wallets._internal.connectors;
  await act(async () => {
    setState(connectorsOf(offered, false).map(setup));
    openSignIn();
  });
  return { ...view, approve: () => act(async () => approval.resolve()) };
}

test('default: a wallet on another device scans a code, and what its device shows is on the page before it signs', async () => {
  const { approve } = await open();
  await userEvent.click(await screen.findByRole('button', { name: 'WalletConnect' }));
  expect(await screen.findByRole('img', { name: 'Code to scan with a wallet' })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Open a wallet on this device' }).getAttribute('href')).toBe(link);
  await approve();
  expect(await screen.findByText('Sign in to Castellan.')).toBeTruthy();
  for (const { label, value } of digestsOf(typedData))
    expect(screen.getByText(label).nextElementSibling?.textContent).toContain(value);
});

test('behavior: who chooses another wallet instead sees the list again', async () => {
  await open();
  await userEvent.click(await screen.findByRole('button', { name: 'WalletConnect' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Choose another wallet' }));
  await waitFor(() => expect(screen.queryByRole('img', { name: 'Code to scan with a wallet' })).toBeNull());
  expect(screen.getByRole('button', { name: 'WalletConnect' }).hasAttribute('disabled')).toBe(false);
});
