import { AppError } from '@castellan/contracts';
import { type Hash, type Hex, hexToBigInt, numberToHex, type PublicClient } from 'viem';

/** What ties logs and readings to the chain. `timestamp` is chain time in seconds. */
export type BlockHeader = { number: bigint; hash: Hash; parentHash: Hash; timestamp: bigint };

/** A header with the bloom filter of its block's logs; null where the node sends none. */
export type BloomHeader = BlockHeader & { logsBloom: Hex | null };

/** As {@link readHeader}, with the bloom filter. */
export async function readBloomHeader(client: PublicClient, number: bigint): Promise<BloomHeader | null> {
  const block = await client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(number), false] });
  if (block === null || block.hash === null) return null;
  return {
    number,
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: hexToBigInt(block.timestamp),
    logsBloom: block.logsBloom ?? null,
  };
}

/** A header without what only {@link readBloomHeader} is for. */
export const withoutBloom = ({ logsBloom: _bloom, ...header }: BloomHeader): BlockHeader => header;

/**
 * Header of a block by number.
 * @returns null when the node does not have the block (yet, or any more).
 * @throws AppError RPC_UNAVAILABLE.
 */
export async function readHeader(client: PublicClient, number: bigint): Promise<BlockHeader | null> {
  const header = await readBloomHeader(client, number);
  return header === null ? null : withoutBloom(header);
}

const required = <T extends BlockHeader>(header: T | null, number: bigint): T => {
  if (header !== null) return header;
  // Nodes behind one address are not equally far; another, or the same one later, has it.
  throw new AppError('RPC_UNAVAILABLE', `The node does not have block ${number} yet. Try again shortly.`);
};

/** As {@link readHeader}, for a block that must exist. @throws AppError RPC_UNAVAILABLE when the node does not have it. */
export const requireHeader = async (client: PublicClient, number: bigint): Promise<BlockHeader> =>
  required(await readHeader(client, number), number);

/** As {@link requireHeader}, with the bloom filter. */
export const requireBloomHeader = async (client: PublicClient, number: bigint): Promise<BloomHeader> =>
  required(await readBloomHeader(client, number), number);
