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
const siweMessage = 'http://localhost wants you to sign in.\nNonce: n1';
const createNonce = async () => ({
  typed_data: typedData,
  siwe_message: siweMessage,
  expires_at: '2100-01-01T00:00:00Z',
});

const never = () => new Promise<string>(() => undefined);

afterEach(() => act(closeSignIn));

/** The dialog with a wallet behind the relay, which shows its link at once, connects when it is approved, and answers by method. */
async function open(answer: (method: string) => Promise<unknown> = never) {
  const listeners = new Map<string, (data: unknown) => void>();
  const approval = Promise.withResolvers<void>();
  const provider = {
    session: undefined,
    chainId: 31337,
    accounts: [address],
    events: { setMaxListeners: () => undefined },
    on: (name: string, listener: (data: unknown) => void) => listeners.set(name, listener),
    removeListener: (name: string) => listeners.delete(name),
    connect: () => {
      listeners.get('display_uri')?.(link);
      return approval.promise;
    },
    enable: async () => [address],
    disconnect: jest.fn(async () => undefined),
    signer: { cleanupPendingPairings: jest.fn(async (_: unknown) => undefined) },
    request: jest.fn(async ({ method }: { method: string }): Promise<unknown> => {
      // It is asked for its chain before each signature.
      if (method !== 'wallet_switchEthereumChain') return answer(method);
      listeners.get('chainChanged')?.('0x7a69');
      return null;
    }),
  };
  jest.spyOn(EthereumProvider, 'init').mockImplementation(async () => provider as never);
  const view = await renderPage(<WalletDialog />, { api: fakeApi({ createNonce, createToken: never }) });
  const offered = { ...config, walletconnect_project_id: '0123456789abcdef0123456789abcdef' };
  const { setup, setState } = view.wallets._internal.connectors;
  await act(async () => {
    setState(connectorsOf(offered, false).map(setup));
    openSignIn();
  });
  return {
    ...view,
    provider,
    approve: () => act(async () => approval.resolve()),
    say: (name: string, data: unknown) => act(async () => listeners.get(name)?.(data)),
  };
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

const digestsShown = () =>
  digestsOf(typedData).every(({ label, value }) =>
    screen.queryByText(label)?.nextElementSibling?.textContent?.includes(value),
  );

const methodsOf = ({ request }: Awaited<ReturnType<typeof open>>['provider']) =>
  request.mock.calls.map(([{ method }]) => method);

/** Connects the wallet and has it asked for a signature. */
async function openAndSign(answer?: (method: string) => Promise<unknown>) {
  const { provider, approve } = await open(answer);
  await userEvent.click(await screen.findByRole('button', { name: 'WalletConnect' }));
  await approve();
  await screen.findByText('Sign in to Castellan.');
  await userEvent.click(await screen.findByRole('button', { name: 'Sign message' }));
  expect(await screen.findByRole('button', { name: 'Waiting for the wallet' })).toBeTruthy();
  return provider;
}

test('behavior: while the device shows the message, the page shows it and its digests', async () => {
  const provider = await openAndSign();
  await waitFor(() => expect(methodsOf(provider)).toContain('eth_signTypedData_v4'));
  expect(screen.getByText('Sign in to Castellan.')).toBeTruthy();
  expect(screen.getByText('n1')).toBeTruthy();
  expect(digestsShown()).toBe(true);
});

test('behavior: of a wallet without typed data the page says so, and shows the text that is signed', async () => {
  const provider = await openAndSign((method) =>
    method === 'personal_sign' ? never() : Promise.reject(Object.assign(new Error('no such method'), { code: 4200 })),
  );
  const part = await screen.findByRole('region', { name: 'The text that is signed' });
  expect(part.textContent).toContain('does not sign typed data');
  expect(part.textContent).toContain(siweMessage);
  expect(digestsShown()).toBe(false);
  expect(methodsOf(provider)).toContain('personal_sign');
});

test.each([
  ['another wallet is chosen', 'Choose another wallet'],
  ['the dialog is closed', 'Close'],
])(
  'behavior: once %s, a late approval is disconnected at once and never becomes the wallet of the page',
  async (_, button) => {
    const { wallets, provider, approve, say } = await open();
    const seen: string[] = [];
    wallets.subscribe(
      ({ current }) => current,
      (current) => seen.push(`${current}`),
    );
    await userEvent.click(await screen.findByRole('button', { name: 'WalletConnect' }));
    await screen.findByRole('img', { name: 'Code to scan with a wallet' });
    expect(wallets.state.status).toBe('connecting');
    await userEvent.click(screen.getByRole('button', { name: button }));
    await waitFor(() => expect(wallets.state.status).toBe('disconnected'));
    await waitFor(() => expect(provider.signer.cleanupPendingPairings).toHaveBeenCalledWith({ deletePairings: true }));
    expect(provider.disconnect).not.toHaveBeenCalled();
    await approve();
    await waitFor(() => expect(provider.disconnect).toHaveBeenCalled());
    await say('connect', { chainId: '0x7a69' });
    expect(wallets.state).toMatchObject({ status: 'disconnected', current: null });
    expect(seen).toEqual([]);
    expect(screen.queryByText('The wallet did not connect')).toBeNull();
  },
);

test('behavior: who chooses another wallet instead sees the list again', async () => {
  await open();
  await userEvent.click(await screen.findByRole('button', { name: 'WalletConnect' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Choose another wallet' }));
  await waitFor(() => expect(screen.queryByRole('img', { name: 'Code to scan with a wallet' })).toBeNull());
  expect(screen.getByRole('button', { name: 'WalletConnect' }).hasAttribute('disabled')).toBe(false);
});
