import type { RegistryHook } from '@castellan/contracts';
import { type Address, getAddress } from 'viem';
import type { MerkleCollections } from '../models/hook-trees.ts';

/** A hook of the registry as it is on one chain. */
export type ChainHook = Pick<RegistryHook, 'name' | 'hook_type' | 'inspect_params' | 'calldata'> & { address: Address };
/** Active hooks of a chain. */
export type RegistryHooks = (chainId: number) => Promise<ChainHook[]>;

export const mongoRegistryHooks =
  ({ hooks }: Pick<MerkleCollections, 'hooks'>): RegistryHooks =>
  async (chainId) => {
    const filter = { deleted_at: null, is_active: true, 'addresses.chain_id': chainId };
    const found = await hooks.find(filter).sort({ place: 1 }).toArray();
    return found.flatMap(({ name, hook_type, inspect_params, calldata, addresses }) =>
      addresses
        .filter(({ chain_id }) => chain_id === chainId)
        .map(({ address }) => ({ name, hook_type, inspect_params, calldata, address: getAddress(address) })),
    );
  };
