/** Protocol fee kinds of `governor.getFee`. */
export const FeeType = { RevenueShare: 0, PerformanceFeeShare: 1 } as const;

/** Last argument of `strategy.manageYieldSource`. */
export const YieldSourceAction = { Add: 0, UpdateOracle: 1, Remove: 2 } as const;

/** First argument of `strategy.managePPSExpiration`. */
export const PpsExpirationAction = { Propose: 0, Execute: 1, Cancel: 2 } as const;

/** First argument of `strategy.handleOperations7540`. */
export const RedeemOperation = {
  RedeemRequest: 0,
  CancelRedeemRequest: 1,
  ClaimCancelRedeem: 2,
  ClaimRedeem: 3,
} as const;

/** Session key permissions of the executor; stored on chain as a bitmask of `1 << value`. */
export const SessionPermission = {
  ExecuteHooks: 0,
  FulfillCancelRedeem: 1,
  FulfillRedeem: 2,
  SkimFee: 3,
  Pause: 4,
  Unpause: 5,
} as const;
