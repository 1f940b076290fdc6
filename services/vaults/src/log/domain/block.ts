import type { Hash } from 'viem';

/** A block of a chain; `timestamp` in chain seconds. */
export type Block = { number: bigint; hash: Hash; timestamp: bigint };
