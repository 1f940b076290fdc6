/** A block of one vault that is asked about. */
export type Moment = { vault: string; block: bigint; index: number };

/** Numbers in [0, 1) that the seed decides (mulberry32): a run can be repeated. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Random moments of the vaults in turn. Most are anywhere in the history; every third lies after `observedSince`, the first block
 * whose state the node still has: only there can figures of observed state be compared.
 */
export function momentsOf(
  vaults: readonly string[],
  range: { from: bigint; observedSince: bigint; to: bigint },
  count: number,
  seed: number,
): Moment[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, index) => {
    const from = index % 3 === 2 && range.observedSince < range.to ? range.observedSince : range.from;
    const block = from + BigInt(Math.floor(random() * Number(range.to - from + 1n)));
    return { vault: vaults[Math.floor(index / 3) % vaults.length] as string, block, index };
  });
}
