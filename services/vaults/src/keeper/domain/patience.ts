/** So often a transaction may be offered more for before it is given up. */
const BUMPS = 5;
const LEAST_MS = 60_000;

/** How long it is tried to have a transaction mined that nobody has set a time for: an exit, or one that pays redemptions. */
export const patienceMs = (bumpAfterBlocks: number, blockTimeSeconds: number): number =>
  Math.max(LEAST_MS, BUMPS * bumpAfterBlocks * blockTimeSeconds * 1_000);
