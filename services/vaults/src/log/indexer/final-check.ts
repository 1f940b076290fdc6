import { readLogs } from '@castellan/chain';
import type { Address, Hash, PublicClient } from 'viem';
import type { RangeRead } from './read-range.ts';

/** Blocks asked for at once: one range of a few requests each minute or so, whatever the chain's block time. */
const BLOCKS_AT_ONCE = 32n;
/** Below any head: these blocks are final, and read as one range. */
const FAR_BELOW = 1_000n;

type ReadBlock = { hash: Hash; logs: ReadonlySet<number>; witness: PublicClient };

/** What a second endpoint said of final blocks. `missing`: the first block of which it has a log that was not stored. */
export type FinalVerdict = { result: 'same' | 'failed' } | { result: 'more'; missing: bigint; witness: PublicClient };

/**
 * Blocks that were read near the head, until they are final and another endpoint than the one that was read was asked for their
 * logs, once. Ranges further down were asked for twice when they were read. Kept in memory: what a process that ends has not
 * asked for again was still read block by block, by hash, with its bloom filters checked.
 */
export class FinalCheck {
  readonly #confirmations: bigint;
  readonly #blocks = new Map<bigint, ReadBlock>();
  #checkedTo = -1n;

  constructor(confirmations: number) {
    this.#confirmations = BigInt(confirmations);
  }

  /** Remembers what was stored of a range whose every block is known. */
  note({ blocks, drafts, from, end, witness }: Extract<RangeRead, { kind: 'logs' }>): void {
    if (witness === null || BigInt(blocks.length) !== end.number - from + 1n) return;
    const logs = new Map<string, Set<number>>(blocks.map(({ hash }) => [hash, new Set()]));
    for (const { block_hash, log_index } of drafts) if (log_index !== null) logs.get(block_hash)?.add(log_index);
    for (const { number, hash } of blocks)
      if (number > this.#checkedTo) this.#blocks.set(number, { hash, logs: logs.get(hash) ?? new Set(), witness });
  }

  /** The chain left these blocks. */
  forgetFrom(number: bigint): void {
    for (const known of this.#blocks.keys()) if (known >= number) this.#blocks.delete(known);
  }

  /** Asks for blocks that are final by now. @returns null while there are too few of them. */
  async check(addresses: readonly string[], tip: bigint): Promise<FinalVerdict | null> {
    const [oldest] = [...this.#blocks.keys()].sort((a, b) => (a < b ? -1 : 1));
    if (oldest === undefined) return null;
    const to = oldest + BLOCKS_AT_ONCE - 1n;
    const witness = this.#blocks.get(oldest)?.witness;
    if (to > tip - this.#confirmations || witness === undefined) return null;
    const known = new Map([...this.#blocks].filter(([number]) => number <= to));
    this.#checkedTo = to;
    for (const number of known.keys()) this.#blocks.delete(number);
    try {
      const missing = await firstMissing({ addresses, from: oldest, to, witness, known });
      return missing === null ? { result: 'same' } : { result: 'more', missing, witness };
    } catch {
      // Without a second answer there is no second opinion; the counter shows that.
      return { result: 'failed' };
    }
  }
}

type Question = {
  addresses: readonly string[];
  from: bigint;
  to: bigint;
  witness: PublicClient;
  known: ReadonlyMap<bigint, ReadBlock>;
};

async function firstMissing({ addresses, from, to, witness, known }: Question): Promise<bigint | null> {
  for (let next = from; next <= to; ) {
    const chunk = await readLogs({
      ...{ client: witness, witness: null, addresses: addresses as Address[] },
      ...{ fromBlock: next, toBlock: to, head: to + FAR_BELOW },
      // It is the second opinion itself.
      range: { size: Number(BLOCKS_AT_ONCE), max: Number(BLOCKS_AT_ONCE), blooms: 'useless' },
    });
    if (chunk.kind === 'reorg') return null;
    const missing = chunk.logs.find(({ blockNumber, blockHash, logIndex }) => {
      const block = known.get(blockNumber);
      return block?.hash === blockHash && !block.logs.has(logIndex);
    });
    if (missing) return missing.blockNumber;
    next = chunk.toBlock + 1n;
  }
  return null;
}
