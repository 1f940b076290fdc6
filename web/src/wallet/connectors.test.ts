import '../../test/browser.ts';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { EthereumProvider } from '@walletconnect/ethereum-provider';
import { type Connector, createConfig, http } from 'wagmi';
import { connect } from 'wagmi/actions';
import { anAddress } from '../../test/builders.ts';
import { config } from '../../test/harness.tsx';
import type { AppConfig } from '../client/config.ts';
import { cancelPairing, connectorsOf } from './connectors.ts';
import { openWallets } from './wallets.ts';

const address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const project = '0123456789abcdef0123456789abcdef';
const safeOrigin = 'https://app.safe.example';
const relayed: AppConfig = { ...config, walletconnect_project_id: project };
const safe: AppConfig = { ...config, safe_app_origins: [safeOrigin] };

/** A wallet behind the relay, which connects as soon as its link is there. */
function aRelayedWallet() {
  const listeners = new Map<string, (data: unknown) => void>();
  return {
    session: undefined,
    chainId: 31337,
    accounts: [address],
    events: { setMaxListeners: () => undefined },
    on: (name: string, listener: (data: unknown) => void) => listeners.set(name, listener),
    removeListener: (name: string) => listeners.delete(name),
    connect: async () => listeners.get('display_uri')?.('wc:a-topic@2'),
    enable: async () => [address],
  };
}

const init = jest.spyOn(EthereumProvider, 'init');
beforeEach(() => {
  localStorage.clear();
  init.mockReset();
  init.mockImplementation(async () => aRelayedWallet() as never);
});

const parent = Object.getOwnPropertyDescriptor(window, 'parent');
afterEach(() => {
  if (parent !== undefined) Object.defineProperty(window, 'parent', parent);
});

type Question = { id: string };
/** Puts the page into a frame, whose parent answers each question once for every origin that is given. */
function framedBy(answers: readonly { origin: string; safeAddress: string }[]) {
  const holder = {
    postMessage: async ({ id }: Question) => {
      // The page listens for the answer only once its question is on the way.
      await Promise.resolve();
      for (const { origin, safeAddress } of answers) {
        const data = { id, success: true, version: '9.1.0', data: { safeAddress, chainId: 31337 } };
        window.dispatchEvent(Object.assign(new Event('message'), { data, origin, source: holder }));
      }
    },
  };
  Object.defineProperty(window, 'parent', { configurable: true, value: holder });
}

function only(connectors: readonly Connector[]): Connector {
  const [connector, ...rest] = connectors;
  if (connector === undefined || rest.length > 0) throw new Error(`${connectors.length} connectors, not one`);
  return connector;
}

function connectorsIn(of: AppConfig, isFramed: boolean): readonly Connector[] {
  const chain = { id: 31337, name: 'Devnet', rpcUrls: { default: { http: [] } } };
  const nativeCurrency = { name: 'ETH', symbol: 'ETH', decimals: 18 };
  return createConfig({
    chains: [{ ...chain, nativeCurrency }],
    transports: { 31337: http('http://rpc.invalid') },
    connectors: connectorsOf(of, isFramed),
    multiInjectedProviderDiscovery: false,
  }).connectors;
}

test('default: without configuration there is neither a relay nor a Safe, in a frame or not', () => {
  expect(connectorsIn(config, false)).toEqual([]);
  expect(connectorsIn(config, true)).toEqual([]);
});

test('behavior: a Safe is offered in a frame, where the server names who may hold it', () => {
  expect(connectorsIn(safe, false)).toEqual([]);
  expect(only(connectorsIn(safe, true)).id).toBe('safe');
});

test('behavior: a Safe is believed from the named origin only', async () => {
  const answer = (origin: string) => ({ origin, safeAddress: anAddress(0x66) });
  const strangers = [`${safeOrigin}.evil.example`, 'https://appXsafe.example', 'https://evil.example'].map(answer);
  framedBy([...strangers, { origin: safeOrigin, safeAddress: address }]);
  expect(await only(connectorsIn(safe, true)).getAccounts()).toEqual([address]);
});

test('behavior: the relay is set up once its wallet is chosen, and not before', async () => {
  const wallets = await openWallets(relayed);
  const connector = only(wallets.connectors);
  expect(connector.id).toBe('walletConnect');
  expect(init).not.toHaveBeenCalled();
  const links: unknown[] = [];
  connector.emitter.on('message', ({ type, data }: { type: string; data?: unknown }) => links.push([type, data]));
  await connect(wallets, { connector });
  expect(init).toHaveBeenCalledTimes(1);
  expect(init.mock.calls[0]?.[0]).toMatchObject({ projectId: project, showQrModal: false, telemetryEnabled: false });
  expect(links).toContainEqual(['display_uri', 'wc:a-topic@2']);
});

test('behavior: the next visit brings its wallet back', async () => {
  localStorage.setItem('wagmi.recentConnectorId', JSON.stringify('walletConnect'));
  await openWallets(relayed);
  expect(init).toHaveBeenCalledTimes(1);
});

test('behavior: a wallet that is being brought back is not given up with a pairing', async () => {
  const connector = only((await openWallets(relayed)).connectors);
  const restored = connector.connect({ isReconnecting: true });
  cancelPairing(connector);
  expect(await restored).toMatchObject({ accounts: [address] });
});

test('behavior: a chain without a node for pages does not keep the relay from connecting', async () => {
  const chains = relayed.chains.map((chain) => ({ ...chain, rpc_url: null }));
  const wallets = await openWallets({ ...relayed, chains });
  expect(await connect(wallets, { connector: only(wallets.connectors) })).toMatchObject({ accounts: [address] });
});
