import { AppError } from '@castellan/contracts';
import { type Hash, hexToBigInt, numberToHex, type PublicClient } from 'viem';

/** What ties logs and readings to the chain. `timestamp` is chain time in seconds. */
export type BlockHeader = { number: bigint; hash: Hash; parentHash: Hash; timestamp: bigint };

/**
 * Header of a block by number.
 * @returns null when the node does not have the block (yet, or any more).
 * @throws AppError RPC_UNAVAILABLE.
 */
export async function readHeader(client: PublicClient, number: bigint): Promise<BlockHeader | null> {
  const block = await client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] });
  if (block === null || block.hash === null) return null;
  return {
    number,
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: hexToBigInt(block.timestamp),
  };
}

/** As {@link readHeader}, for a block that must exist. @throws AppError RPC_UNAVAILABLE when the node does not have it. */
export async function requireHeader(client: PublicClient, number: bigint): Promise<BlockHeader> {
  const header = await readHeader(client, number);
  if (header !== null) return header;
  // Nodes behind one address are not equally far; another, or the same one later, has it.
  throw new AppError('RPC_UNAVAILABLE', `The node does not have block ${number} yet. Try again shortly.`);
}
