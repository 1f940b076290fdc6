/** Nonces of an account's transactions that are not over; a set of them. */
export type Taken = { has(nonce: number): boolean };

/**
 * The lowest nonce that is neither mined nor taken, so that a transaction that was never sent leaves no gap.
 * @param count - Transactions of the account that are mined.
 */
export function freeNonce(count: number, taken: Taken): number {
  let nonce = count;
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

/** Nonces that no transaction has, though later ones do: nothing behind them can be mined. */
export function gapsBelow(end: number, count: number, taken: Taken): number[] {
  const gaps: number[] = [];
  for (let nonce = count; nonce < end; nonce += 1) if (!taken.has(nonce)) gaps.push(nonce);
  return gaps;
}
