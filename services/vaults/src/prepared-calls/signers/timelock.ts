import type { TimelockPackage } from '@castellan/contracts';
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hash,
  type Hex,
  keccak256,
  parseAbi,
  zeroHash,
} from 'viem';
import { getAddress } from 'viem/utils';
import type { z } from 'zod';
import { answerOf, type Client } from './probe.ts';

export const timelockAbi = parseAbi([
  'function getMinDelay() view returns (uint256)',
  'function hashOperation(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt) pure returns (bytes32)',
  'function schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)',
  'function scheduleBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt, uint256 delay)',
  'function execute(address target, uint256 value, bytes payload, bytes32 predecessor, bytes32 salt) payable',
  'function executeBatch(address[] targets, uint256[] values, bytes[] payloads, bytes32 predecessor, bytes32 salt) payable',
]);

type Call = { to: Address; data: Hex };
export type TimelockFacts = { address: Address; minDelay: bigint };

const operationTypes = [
  { type: 'address' },
  { type: 'uint256' },
  { type: 'bytes' },
  { type: 'bytes32' },
  { type: 'bytes32' },
] as const;

/** The id under which an OpenZeppelin TimelockController keeps a single call. */
export const operationId = ({ to, data }: Call, predecessor: Hash, salt: Hash): Hash =>
  keccak256(encodeAbiParameters(operationTypes, [to, 0n, data, predecessor, salt]));

/** @returns undefined when the contract does not answer, and hash, as an OpenZeppelin TimelockController. */
export async function readTimelock(client: Client, address: Address): Promise<TimelockFacts | undefined> {
  const probe: Call = { to: address, data: '0x' };
  const [minDelay, id] = await Promise.all([
    answerOf(client.readContract({ address, abi: timelockAbi, functionName: 'getMinDelay' })),
    answerOf(
      client.readContract({
        address,
        abi: timelockAbi,
        functionName: 'hashOperation',
        args: [probe.to, 0n, probe.data, zeroHash, zeroHash],
      }),
    ),
  ]);
  const isOne = minDelay !== undefined && id === operationId(probe, zeroHash, zeroHash);
  return isOne ? { address: getAddress(address), minDelay } : undefined;
}

/**
 * Schedule and execute of one call.
 * @param predecessor - The operation that must be done first; zero for none.
 */
export function timelockPackage(
  { address, minDelay }: TimelockFacts,
  call: Call,
  { predecessor, salt }: { predecessor: Hash; salt: Hash },
): z.output<typeof TimelockPackage> {
  const operation = [call.to, 0n, call.data, predecessor, salt] as const;
  const data = {
    schedule: encodeFunctionData({ abi: timelockAbi, functionName: 'schedule', args: [...operation, minDelay] }),
    execute: encodeFunctionData({ abi: timelockAbi, functionName: 'execute', args: operation }),
  };
  return {
    kind: 'timelock',
    timelock_address: address,
    min_delay_seconds: Number(minDelay),
    operation_id: operationId(call, predecessor, salt),
    predecessor,
    salt,
    schedule: { to: address, data: data.schedule, value: '0' },
    execute: { to: address, data: data.execute, value: '0' },
  };
}
