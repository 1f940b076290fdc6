import { getAddress } from 'viem/utils';
import { type AppChain, type AppConfig, chainBySlug } from '../client/config.ts';

export type Resolved =
  | { kind: 'vault'; chain: AppChain; address: string; isCanonical: boolean }
  | { kind: 'unknown_chain'; chainName: string }
  | { kind: 'malformed'; text: string };

/** What a vault URL names. Any case of the address is accepted; the canonical URL carries EIP-55 and the chain's slug. */
export function resolveVault(config: AppConfig, chainName: string, vaultAddress: string): Resolved {
  const chain = chainBySlug(config, chainName);
  if (chain === undefined) return { kind: 'unknown_chain', chainName };
  if (!/^0x[0-9a-f]{40}$/i.test(vaultAddress)) return { kind: 'malformed', text: vaultAddress };
  const address = getAddress(`0x${vaultAddress.slice(2).toLowerCase()}`);
  return { kind: 'vault', chain, address, isCanonical: address === vaultAddress && chain.slug === chainName };
}
