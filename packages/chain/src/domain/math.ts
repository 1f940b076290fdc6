/** Basis points in one whole. */
export const BPS = 10_000n;

/**
 * `a * b / denominator`, rounded towards zero (down for the non-negative amounts used here).
 * @throws {RangeError} when `denominator` is 0.
 */
export const mulDivDown = (a: bigint, b: bigint, denominator: bigint): bigint => (a * b) / denominator;

/**
 * `a * b / denominator`, rounded up; for non-negative amounts.
 * @throws {RangeError} when `denominator` is 0.
 */
export const mulDivUp = (a: bigint, b: bigint, denominator: bigint): bigint => (a * b + denominator - 1n) / denominator;
