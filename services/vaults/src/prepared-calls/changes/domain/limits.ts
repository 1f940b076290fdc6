/** Limits and delays that the contracts of the protocol hold as constants. */
export const MAX_PERFORMANCE_FEE_BPS = 5_100;
export const MAX_ENTRY_FEE_BPS = 10_000;
export const FEE_TIMELOCK_SECONDS = 604_800n;
export const MIN_EXPIRATION_SECONDS = 60n;
export const MAX_EXPIRATION_SECONDS = 604_800n;
export const EXPIRATION_TIMELOCK_SECONDS = 604_800n;
export const MIN_UPDATE_INTERVAL_TIMELOCK_SECONDS = 259_200n;
export const UPKEEP_WITHDRAWAL_TIMELOCK_SECONDS = 86_400n;
