import { decodeFunctionData, type Hex } from 'viem';
import { abiOf, type ContractKind } from './contracts.ts';
import { type Json, namedArgs } from './json.ts';

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
