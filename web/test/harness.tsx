import './browser.ts';
import { publicRoutes } from '@castellan/contracts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { type ReactNode, useLayoutEffect } from 'react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router';
import { createConfig, createStorage, http, WagmiContext } from 'wagmi';
import { connect } from 'wagmi/actions';
import { mock } from 'wagmi/connectors';
import type { Api } from '../src/client/api.ts';
import type { AppConfig } from '../src/client/config.ts';
import { type Services, ServicesContext } from '../src/client/services.ts';
import { createSession } from '../src/client/session.ts';
import { CastellanOfViewer } from '../src/session/castellan.tsx';
import { memoryStorage } from './memory-storage.ts';

export const config: AppConfig = {
  public_url: 'http://localhost',
  devnet: true,
  chains: [
    {
      chain_id: 31337,
      slug: 'devnet',
      name: 'Devnet',
      rpc_url: 'http://rpc.invalid',
      explorer_url: null,
      native_symbol: 'ETH',
    },
  ],
  demo_wallets: [],
  safe_app_origins: [],
};

const devnet = {
  id: 31337,
  name: 'Devnet',
  nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: ['http://rpc.invalid'] } },
} as const;

/** An API whose calls answer what the test gives; any other call fails the test. */
export const fakeApi = (answers: Partial<Record<keyof Api, unknown>>): Api =>
  new Proxy(answers, {
    get: (target, name) => {
      const answer = target[name as keyof Api];
      if (answer === undefined) throw new Error(`The test expects no call of ${String(name)}.`);
      return answer;
    },
  }) as Api;

/** Says where the page is once that is on the screen: a render that is not shown yet would be ahead of what a test touches. */
function Where({ into }: { into: object }) {
  const location = useLocation();
  useLayoutEffect(() => void Object.assign(into, location), [into, location]);
  return null;
}

type Setup = { api?: Api; address?: string; path?: string; url?: string };

/** Renders inside the real providers; `address` is a wallet both connected and signed in. */
export async function renderPage(page: ReactNode, { api = fakeApi({}), address, path = '/', url = path }: Setup = {}) {
  const connectors = address === undefined ? [] : [mock({ accounts: [address as `0x${string}`] })];
  // As in the app: with a storage, connections are restored and can be lost.
  const storage = createStorage({ storage: memoryStorage() });
  const wallets = createConfig({ chains: [devnet], transports: { 31337: http() }, connectors, storage });
  const session = createSession(memoryStorage());
  if (address !== undefined) {
    session.begin({ token: 'token', address, isManager: true, vaults: [] });
    const [connector] = wallets.connectors;
    if (connector) await connect(wallets, { connector });
  }
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  // Fulfilled as React notes it, so that nothing suspends for it inside an event of a test.
  const opened = Object.assign(Promise.resolve(wallets), { status: 'fulfilled', value: wallets });
  let opens = 0;
  const open = () => {
    opens += 1;
    return opened;
  };
  const staleMs: Services['staleMs'] = (route) => publicRoutes[route].staleMs;
  const services: Services = { config, api, session, queries, staleMs, wallets: open };
  const where = { pathname: '', search: '', hash: '' };
  const view = render(
    <ServicesContext value={services}>
      <WagmiContext value={wallets}>
        <QueryClientProvider client={queries}>
          <CastellanOfViewer>
            <MemoryRouter initialEntries={[url]}>
              <Where into={where} />
              <Routes>
                <Route path={path} element={page} />
              </Routes>
            </MemoryRouter>
          </CastellanOfViewer>
        </QueryClientProvider>
      </WagmiContext>
    </ServicesContext>,
  );
  return { ...view, where, session, queries, wallets, hasAskedForWallets: () => opens > 0 };
}
