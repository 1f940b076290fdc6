// Limits and delays that the contracts of the protocol hold as constants.

/** Highest performance fee; SuperVaultStrategy. */
export const MAX_PERFORMANCE_FEE_BPS = 5_100;
/** Highest entry fee; SuperVaultStrategy. */
export const MAX_ENTRY_FEE_BPS = 10_000;
/** From a proposed fee to its execution; a week. */
export const FEE_TIMELOCK_SECONDS = 604_800n;
/** Shortest time for which a price may be used. */
export const MIN_EXPIRATION_SECONDS = 60n;
/** Longest time for which a price may be used; a week. */
export const MAX_EXPIRATION_SECONDS = 604_800n;
/** From a proposed expiration to its execution; a week. */
export const EXPIRATION_TIMELOCK_SECONDS = 604_800n;
/** From a proposed least interval to its execution; three days. */
export const MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS = 259_200n;
/** From a proposed withdrawal of upkeep to its execution; a day. */
export const UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS = 86_400n;
