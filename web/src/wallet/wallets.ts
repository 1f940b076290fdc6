import { type Chain, custom, defineChain } from 'viem';
import { type Config, createConfig, http } from 'wagmi';
import { reconnect } from 'wagmi/actions';
import type { AppChain, AppConfig } from '../client/config.ts';
import { connectorsOf, RELAYED } from './connectors.ts';

const toChain = (chain: AppChain): Chain =>
  defineChain({
    id: chain.chain_id,
    name: chain.name,
    nativeCurrency: { name: chain.native_symbol, symbol: chain.native_symbol, decimals: 18 },
    rpcUrls: { default: { http: chain.rpc_url ? [chain.rpc_url] : [] } },
    ...(chain.explorer_url ? { blockExplorers: { default: { name: 'Explorer', url: chain.explorer_url } } } : {}),
  });

/** Of a chain whose node the page may not reach: the wallet has its own. */
const noNode = custom({
  request: async () => {
    throw new Error('The server names no node of this chain for pages.');
  },
});

/** Wallets the browser announces (EIP-6963), and those that the server's configuration offers. */
function createWallets(config: AppConfig) {
  const [first, ...rest] = config.chains.map(toChain);
  if (first === undefined) throw new Error('The server names no chain.');
  return createConfig({
    chains: [first, ...rest],
    transports: Object.fromEntries(
      config.chains.map((chain) => [chain.chain_id, chain.rpc_url ? http(chain.rpc_url) : noNode]),
    ),
    connectors: connectorsOf(config, window.parent !== window),
    multiInjectedProviderDiscovery: true,
  });
}

/** A wallet that takes longer to say whether it is still connected is not waited for: it may be locked, or far away. */
const RESTORED_WITHIN_MS = 1_500;

/** The wallets of this browser, with the one of the last visit brought back. */
export async function openWallets(config: AppConfig): Promise<Config> {
  const wallets = createWallets(config);
  const late = new Promise<void>((resolve) => setTimeout(resolve, RESTORED_WITHIN_MS));
  const last = await wallets.storage?.getItem('recentConnectorId');
  // Whether a wallet behind the relay is still connected only its code knows, which is loaded for whom it was the last.
  const connectors = wallets.connectors.filter(({ id }) => id !== RELAYED || id === last);
  // An empty list would mean all of them to wagmi.
  if (connectors.length > 0) await Promise.race([reconnect(wallets, { connectors }), late]);
  return wallets;
}
