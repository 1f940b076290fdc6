import { type Address, decodeFunctionData, encodeFunctionData, type Hex } from 'viem';
import { superVaultAggregatorAbi } from '../abi/super-vault-aggregator.ts';
import { abiOf, type ContractKind } from './contracts.ts';
import { type Json, namedArgs } from './json.ts';

/** Calldata for the aggregator; the sender must be the strategy's main manager. Takes the strategy, not the vault. */
export const encodeAddSecondaryManager = (strategy: Address, manager: Address): Hex =>
  encodeFunctionData({ abi: superVaultAggregatorAbi, functionName: 'addSecondaryManager', args: [strategy, manager] });

/** Calldata for the aggregator; the sender must be the strategy's main manager. Takes the strategy, not the vault. */
export const encodeRemoveSecondaryManager = (strategy: Address, manager: Address): Hex =>
  encodeFunctionData({
    abi: superVaultAggregatorAbi,
    functionName: 'removeSecondaryManager',
    args: [strategy, manager],
  });

/** A call in words; args are JSON under the names of the ABI. */
export type DecodedCall = { function: string; args: { [key: string]: Json } };

/**
 * What a transaction to a contract of this kind asks for.
 * @returns null for a selector the contract does not have or arguments that do not fit it.
 */
export function decodeCall(kind: ContractKind, data: Hex): DecodedCall | null {
  const abi = abiOf[kind];
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi, data });
    const item = abi.find(
      (entry) => entry.type === 'function' && entry.name === functionName && entry.inputs.length === args.length,
    );
    return { function: functionName, args: namedArgs(item?.type === 'function' ? item.inputs : [], args) };
  } catch {
    // Anyone may send any bytes to a contract; what we cannot read is answered as unknown.
    return null;
  }
}
