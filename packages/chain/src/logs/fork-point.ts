import type { Hash, PublicClient } from 'viem';
import { readHeader } from './headers.ts';

/** A block as it was stored. */
export type StoredBlock = { number: bigint; hash: Hash };

/**
 * The newest stored block that is still part of the chain. A block on the chain has all its stored ancestors on it too, so
 * halving finds it with few requests.
 * @param storedBlocks - In any order, one per number, of one former chain.
 * @returns null when none of them is left: roll back everything and start over.
 * @throws AppError RPC_UNAVAILABLE.
 */
export async function findForkPoint<T extends StoredBlock>(
  client: PublicClient,
  storedBlocks: readonly T[],
): Promise<T | null> {
  const blocks = [...storedBlocks].sort((a, b) => (a.number < b.number ? -1 : 1));
  let found: T | null = null;
  let low = 0;
  let high = blocks.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const block = blocks[middle];
    if (block === undefined) break;
    const header = await readHeader(client, block.number);
    if (header?.hash === block.hash) {
      found = block;
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return found;
}
