import { createHash } from 'node:crypto';
import type { ChainConfig } from '@castellan/chain';
import type { RegistryHook } from '@castellan/contracts';
import { getAddress } from 'viem/utils';

type Seed = Omit<RegistryHook, 'id' | 'version' | 'created_at' | 'updated_at'>;

const field = (name: string, solidity_type: string) => ({ name, solidity_type });
const param = (name: string, ref_type: RegistryHook['inspect_params'][number]['ref_type'], param_order: number) => ({
  ...field(name, 'address'),
  ref_type,
  param_order,
});
const oracleId = field('oracle_id', 'bytes32');
const source = field('yield_source', 'address');

/** Hooks whose layout the protocol fixes, ApproveAndDeposit4626 and Redeem4626 of its core, and the devnet's own for rewards. */
const known = {
  deposit: {
    name: 'Approve and deposit ERC-4626',
    hook_type: 'DEPOSIT',
    inspect_params: [param('yield_source', 'yield_source', 0), param('token', 'token', 1)],
    calldata: [oracleId, source, field('token', 'address'), field('amount', 'uint256'), field('use_prev', 'bool')],
  },
  redeem: {
    name: 'Redeem ERC-4626',
    hook_type: 'WITHDRAWAL',
    inspect_params: [param('yield_source', 'yield_source', 0), param('owner', 'others', 1)],
    calldata: [oracleId, source, field('owner', 'address'), field('shares', 'uint256'), field('use_prev', 'bool')],
  },
  claim: {
    name: 'Claim rewards',
    hook_type: 'CLAIM',
    inspect_params: [param('distributor', 'others', 0), param('token', 'token', 1)],
    calldata: [oracleId, field('distributor', 'address'), field('token', 'address')],
  },
  swap: {
    name: 'Approve and swap in a pool',
    hook_type: 'SWAP',
    inspect_params: [param('pool', 'others', 0), param('token_in', 'token', 1), param('token_out', 'token', 2)],
    calldata: [
      ...[oracleId, field('pool', 'address'), field('token_in', 'address'), field('amount', 'uint256')],
      ...[field('use_prev', 'bool'), field('token_out', 'address')],
    ],
  },
} as const satisfies Record<string, Partial<Seed>>;

/** An id that is the same in every process and at every start. */
const idOf = (chainId: number, address: string): string =>
  createHash('sha256').update(`hook:${chainId}:${address.toLowerCase()}`).digest('base64url').slice(0, 22);

/** The hooks that a chain's configuration names, for its registry. */
export const seedsOf = ({ chainId, hooks }: Pick<ChainConfig, 'chainId' | 'hooks'>): (Seed & { id: string })[] =>
  (['deposit', 'redeem', 'claim', 'swap'] as const).flatMap((kind) => {
    const address = hooks?.[kind];
    if (address === undefined) return [];
    const { name, hook_type, inspect_params, calldata } = known[kind];
    return [
      {
        id: idOf(chainId, address),
        name,
        hook_type,
        addresses: [{ chain_id: chainId, address: getAddress(address) }],
        inspect_params: [...inspect_params],
        calldata: [...calldata],
        is_active: true,
      },
    ];
  });
