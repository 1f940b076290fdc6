import { createWalletClient, type EIP1193RequestFn, getAddress, http, numberToHex, type WalletClient } from 'viem';
import { createConnector } from 'wagmi';
import type { DemoWallet } from '../client/config.ts';
import { CONNECTED_KEY } from './demo-connected.ts';

type Provider = { request: EIP1193RequestFn };
type Request = { method: string; params?: unknown };
type SendParams = [{ to?: `0x${string}`; data?: `0x${string}`; value?: `0x${string}` }];

const parseTypedData = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value);

/** What the node answers when a script with the same published key has sent a transaction in the meantime. */
const nonceTaken = /nonce too low|replacement transaction underpriced/i;

/** Answers wallet requests with a key that lives in the page; reads go to the node. */
async function answer(client: WalletClient, wallet: DemoWallet, { method, params }: Request): Promise<unknown> {
  const { privateKeyToAccount } = await import('viem/accounts');
  const account = privateKeyToAccount(wallet.private_key as `0x${string}`);
  if (method === 'eth_accounts' || method === 'eth_requestAccounts') return [account.address];
  if (method === 'eth_chainId') return numberToHex(client.chain?.id ?? 0);
  if (method === 'personal_sign') {
    return account.signMessage({ message: { raw: (params as [`0x${string}`])[0] } });
  }
  if (method === 'eth_signTypedData_v4') {
    return account.signTypedData(parseTypedData((params as [string, unknown])[1]));
  }
  if (method === 'eth_sendTransaction') {
    const [{ to, data, value }] = params as SendParams;
    const transaction = { to: to ?? null, data: data ?? '0x', value: BigInt(value ?? '0x0') };
    const send = () => client.sendTransaction({ account, chain: client.chain, ...transaction });
    return send().catch((error: unknown) => {
      if (nonceTaken.test(String(error))) return send();
      throw error;
    });
  }
  return client.request({ method, params } as never);
}

/** A wallet of the devnet: signs for real, with a published key, and asks nobody. */
export function demoConnector(wallet: DemoWallet) {
  return createConnector<Provider>((config) => {
    let chain = config.chains[0];
    const address = getAddress(wallet.address);
    const provider: Provider = {
      request: (async (request: Request) =>
        answer(
          createWalletClient({ chain, transport: http(chain.rpcUrls.default.http[0]) }),
          wallet,
          request,
        )) as EIP1193RequestFn,
    };
    const select = (chainId: number) => {
      const next = config.chains.find(({ id }) => id === chainId);
      if (next === undefined) throw new Error(`Chain ${chainId} is not one this page knows.`);
      chain = next;
      return next;
    };
    return {
      id: `demo-${address.toLowerCase()}`,
      name: wallet.label,
      type: 'demo',
      connect: async ({ chainId, withCapabilities } = {}) => {
        if (chainId !== undefined) select(chainId);
        localStorage.setItem(CONNECTED_KEY, address);
        const accounts = withCapabilities ? [{ address, capabilities: {} }] : [address];
        return { accounts: accounts as never, chainId: chain.id };
      },
      disconnect: async () => localStorage.removeItem(CONNECTED_KEY),
      getAccounts: async () => [address],
      getChainId: async () => chain.id,
      getProvider: async () => provider,
      isAuthorized: async () => localStorage.getItem(CONNECTED_KEY) === address,
      switchChain: async ({ chainId }) => {
        const next = select(chainId);
        config.emitter.emit('change', { chainId });
        return next;
      },
      onAccountsChanged: (accounts) =>
        config.emitter.emit('change', { accounts: accounts.map((account) => getAddress(account)) }),
      onChainChanged: (chainId) => config.emitter.emit('change', { chainId: Number(chainId) }),
      onDisconnect: () => config.emitter.emit('disconnect'),
    };
  });
}
