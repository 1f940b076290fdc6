import { type Chain, defineChain } from 'viem';
import { type Config, createConfig, http } from 'wagmi';
import { reconnect } from 'wagmi/actions';
import type { AppChain, AppConfig } from '../client/config.ts';
import { demoConnector } from './demo-connector.ts';

const toChain = (chain: AppChain): Chain =>
  defineChain({
    id: chain.chain_id,
    name: chain.name,
    nativeCurrency: { name: chain.native_symbol, symbol: chain.native_symbol, decimals: 18 },
    rpcUrls: { default: { http: chain.rpc_url ? [chain.rpc_url] : [] } },
    ...(chain.explorer_url ? { blockExplorers: { default: { name: 'Explorer', url: chain.explorer_url } } } : {}),
  });

/** Wallets the browser announces (EIP-6963) and, on a devnet, the demo wallets. */
function createWallets(config: AppConfig) {
  const [first, ...rest] = config.chains.map(toChain);
  if (first === undefined) throw new Error('The server names no chain.');
  return createConfig({
    chains: [first, ...rest],
    transports: Object.fromEntries(config.chains.map((chain) => [chain.chain_id, http(chain.rpc_url ?? undefined)])),
    connectors: config.devnet ? config.demo_wallets.map(demoConnector) : [],
    multiInjectedProviderDiscovery: true,
  });
}

/** A wallet that takes longer to say whether it is still connected is not waited for: it may be locked, or far away. */
const RESTORED_WITHIN_MS = 1_500;

/** The wallets of this browser, with the one of the last visit brought back. */
export async function openWallets(config: AppConfig): Promise<Config> {
  const wallets = createWallets(config);
  const late = new Promise<void>((resolve) => setTimeout(resolve, RESTORED_WITHIN_MS));
  await Promise.race([reconnect(wallets), late]);
  return wallets;
}
