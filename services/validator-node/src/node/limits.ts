/** What a node holds itself to; peers may differ. Chain seconds and blocks. */
export const limits = {
  /** A report older than this is neither signed nor sent. */
  maxStaleSeconds: 300,
  /** A price is not sent any more this long before it is too old: it must still get into a block. */
  sendMarginSeconds: 30,
  futureToleranceSeconds: 30,
  /** Blocks below the head that an observation is of, so that a short fork does not touch it. */
  readLagBlocks: 1n,
  parallelReads: 16,
  signingCheckMs: 600_000,
  headLagBlocks: 5n,
  headStallMs: 60_000,
  /** Blocks that may still be reorganised away. */
  keepBlocks: 128n,
} as const;
