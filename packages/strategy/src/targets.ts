/** Shares that managers set for the sources of a vault, against what is there: what is missing, and what would move. */

const WHOLE_BPS = 10_000n;

/** Base units that a share in basis points comes to, rounded down. */
export const assetsAt = (total: bigint, bps: number): bigint => (total * BigInt(bps)) / WHOLE_BPS;

/** Whether assets are more than a share of the whole, to the last unit. */
export const isBeyond = (assets: bigint, total: bigint, bps: number): boolean =>
  assets * WHOLE_BPS > total * BigInt(bps);

/** A source with what it holds (null: not readable) and the share that it is to hold (null: none is set). */
export type Aimed = {
  readonly address: string;
  readonly assets: bigint | null;
  readonly targetBps: number | null;
};

/** What meeting all targets would do to one source; `moved` is negative where assets leave it. */
export type Move = { readonly address: string; readonly moved: bigint; readonly after: bigint | null };

/** What meeting all targets would do to a vault. */
export type Effect = {
  readonly moves: readonly Move[];
  readonly idleMoved: bigint;
  readonly idleAfter: bigint;
  /** What is missing to meet every target: assets in sources that have none or cannot be read, or of the total but in none of them. */
  readonly missing: bigint;
};

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/**
 * What would move between idle and the sources if every target were met at the present prices. A source without a target, or that
 * cannot be read, stays as it is. Where idle assets and what leaves other sources are not enough, each gets the same part of what it lacks.
 * @param total - All assets of the vault, which the targets are shares of.
 */
export function effectOf({ idle, sources, total }: { idle: bigint; sources: readonly Aimed[]; total: bigint }): Effect {
  const wanted = sources.map(({ assets, targetBps }) =>
    assets === null || targetBps === null ? 0n : assetsAt(total, targetBps) - assets,
  );
  const needed = sum(wanted.filter((amount) => amount > 0n));
  const there = idle - sum(wanted.filter((amount) => amount < 0n));
  const paid = wanted.map((amount) => (amount > 0n && needed > there ? (amount * there) / needed : amount));
  const idleMoved = -sum(paid);
  return {
    moves: sources.map(({ address, assets }, index) => {
      const moved = paid[index] ?? 0n;
      return { address, moved, after: assets === null ? null : assets + moved };
    }),
    idleMoved,
    idleAfter: idle + idleMoved,
    missing: needed > there ? needed - there : 0n,
  };
}
