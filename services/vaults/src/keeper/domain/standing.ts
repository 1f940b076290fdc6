/** What the chain says of a vault at its latest block, and whose the key is. */
export type Standing = {
  /** Whether the keeper's address is a manager of the vault. */
  readonly isManager: boolean;
  readonly isPaused: boolean;
  readonly isStale: boolean;
  /** Unix seconds. */
  readonly priceTime: number;
  readonly expirationSeconds: number;
  readonly headTime: number;
};

/** Why something is not done: a code for machines, a sentence for people. */
export type Reason = { readonly code: string; readonly because: string };

/** Room for the transaction to be mined in: a price that expires meanwhile would be used all the same. */
const MARGIN_SECONDS = 12;

/** Why a vault's price cannot be used now; undefined when it can. As the contract judges it before it pays redemptions. */
export function unusable(standing: Standing): Reason | undefined {
  const { isPaused, isStale, priceTime, expirationSeconds, headTime } = standing;
  if (isPaused) return { code: 'STRATEGY_PAUSED', because: 'The vault is paused.' };
  if (isStale) return { code: 'STALE_PPS', because: 'The price of the vault is stale.' };
  const age = headTime - priceTime;
  if (age + MARGIN_SECONDS > expirationSeconds)
    return { code: 'PPS_EXPIRED', because: `The price is ${age} s old and expires at ${expirationSeconds} s.` };
  return undefined;
}

/** A snapshot further behind the head than this says too little of the vault as it is. */
const LATE_BLOCKS = 5;
const LATE_SECONDS = 60;

/** Why nothing may be decided on a snapshot; undefined when it is fresh enough. */
export function lateness(
  facts: { readonly block_number: number; readonly block_time: number },
  head: { readonly number: number; readonly time: number },
  nowSeconds: number,
): Reason | undefined {
  const blocks = head.number - facts.block_number;
  const seconds = Math.max(head.time, nowSeconds) - facts.block_time;
  // Few slow blocks are late by time, many fast ones by number; one alone says nothing on a chain of the other kind.
  if (blocks > LATE_BLOCKS && head.time - facts.block_time > 15)
    return { code: 'SNAPSHOT_STALE', because: `The snapshot is ${blocks} blocks behind the head.` };
  if (seconds > LATE_SECONDS) return { code: 'SNAPSHOT_STALE', because: `The snapshot is ${seconds} s old.` };
  return undefined;
}
