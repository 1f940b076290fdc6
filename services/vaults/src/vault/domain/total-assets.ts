/** What is known of a vault's assets at a block: in base units, null for a source that could not be valued. */
export type CountedFacts = {
  readonly free: string;
  readonly tvl: string;
  readonly sources: readonly { readonly address: string; readonly amount: string | null }[];
};

/**
 * All assets of a vault, which are counted in two ways: its supply at the price stored on chain (`tvl`), and, as a mandate is judged,
 * idle assets with what the sources are worth at the block. The price follows a loss later, and roundings differ by some units; what must
 * not go beyond a share has the worse of both against it. Where a source could not be valued, both are the first.
 */
export function totalsOf({ free, tvl, sources }: CountedFacts): { least: bigint; most: bigint } {
  const stored = BigInt(tvl);
  let counted = BigInt(free);
  for (const { amount } of sources) {
    if (amount === null) return { least: stored, most: stored };
    counted += BigInt(amount);
  }
  return stored < counted ? { least: stored, most: counted } : { least: counted, most: stored };
}
