import type { SafePackage } from '@castellan/contracts';
import { type Address, domainSeparator, type Hex, hashStruct, parseAbi, zeroAddress } from 'viem';
import { getAddress } from 'viem/utils';
import type { z } from 'zod';
import { batchFile } from './batch-file.ts';
import { answerOf, type Client } from './probe.ts';

export const safeAbi = parseAbi([
  'function VERSION() view returns (string)',
  'function getThreshold() view returns (uint256)',
  'function getOwners() view returns (address[])',
  'function nonce() view returns (uint256)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool)',
  'function multiSend(bytes transactions) payable',
  'event ExecutionFailure(bytes32 indexed txHash, uint256 payment)',
]);

/** A Safe as it answers now. */
export type SafeFacts = {
  address: Address;
  version: string;
  threshold: number;
  owners: readonly Address[];
  nonce: number;
};

/** @returns undefined when the contract does not answer as a Safe of version 1.0.0 or later. */
export async function readSafe(client: Client, address: Address): Promise<SafeFacts | undefined> {
  const read = <F extends 'VERSION' | 'getThreshold' | 'getOwners' | 'nonce'>(functionName: F) =>
    answerOf(client.readContract({ address, abi: safeAbi, functionName }));
  const [version, threshold, owners, nonce] = await Promise.all([
    read('VERSION'),
    read('getThreshold'),
    read('getOwners'),
    read('nonce'),
  ]);
  if (typeof version !== 'string' || !/^[1-9][0-9]*\.[0-9]+\.[0-9]+/.test(version)) return undefined;
  if (typeof threshold !== 'bigint' || typeof nonce !== 'bigint' || !Array.isArray(owners)) return undefined;
  return { address: getAddress(address), version, threshold: Number(threshold), owners, nonce: Number(nonce) };
}

export type SafeCall = { chainId: number; call: { to: Address; data: Hex }; description: string; createdAt: number };

/**
 * What the owners of a Safe sign for one call, at the Safe's nonce plus `ahead`.
 * The protocol kit is loaded with the first Safe: it takes seconds and some 60 MB, and most vaults have none.
 */
export async function safePackage(
  safe: SafeFacts,
  ahead: number,
  { chainId, call, description, createdAt }: SafeCall,
): Promise<z.output<typeof SafePackage>> {
  const { calculateSafeTransactionHash, getEip712TxTypes } = await import('@safe-global/protocol-kit');
  const safeTx = {
    to: call.to,
    value: '0',
    data: call.data,
    operation: 0,
    // Without an own gas limit and refund, a Safe of 1.3.0 and later reverts as a whole when the call fails.
    safeTxGas: '0',
    baseGas: '0',
    gasPrice: '0',
    gasToken: zeroAddress,
    refundReceiver: zeroAddress,
    nonce: safe.nonce + ahead,
  };
  const { EIP712Domain, SafeTx } = getEip712TxTypes(safe.version);
  const hasChainId = EIP712Domain.some(({ name }) => name === 'chainId');
  const domain = { verifyingContract: safe.address, ...(hasChainId ? { chainId: BigInt(chainId) } : {}) };
  return {
    kind: 'safe',
    safe_address: safe.address,
    version: safe.version,
    threshold: safe.threshold,
    owners: safe.owners.map((owner) => getAddress(owner)),
    nonce: safeTx.nonce,
    safe_tx_hash: calculateSafeTransactionHash(safe.address, safeTx, safe.version, BigInt(chainId)),
    domain_hash: domainSeparator({ domain }),
    message_hash: hashStruct({ data: safeTx, primaryType: 'SafeTx', types: { SafeTx } }),
    safe_tx: safeTx,
    batch: batchFile({ chainId, safe: safe.address, call, description, createdAt }),
  };
}
