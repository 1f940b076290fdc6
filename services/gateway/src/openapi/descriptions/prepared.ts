import type { ErrorCode } from '@castellan/contracts';
import type { Description } from '../description.ts';

/** What every prepare may answer besides the refusals of its own call. */
const always = ['ROLE_REQUIRED', 'STEP_UP_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'WOULD_REVERT'] as const;

const prepare = (
  tag: string,
  summary: string,
  refusals: readonly ErrorCode[],
  role: 'primary' | 'secondary' = 'primary',
): Description => ({
  tag,
  role,
  summary,
  errors: [...always, ...refusals],
});

/** Of the caller's own position, so that no role is needed. */
const own = (summary: string, refusals: readonly ErrorCode[]): Description => ({
  tag: 'position',
  role: 'anyone',
  summary,
  errors: ['ROLE_REQUIRED', 'TOO_MANY_PREPARED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'WOULD_REVERT', ...refusals],
});

export const prepared = {
  prepareAddSecondaryManager: prepare('users', 'Calldata that adds a secondary manager', [
    'UNAUTHORIZED_UPDATE_AUTHORITY',
    'ZERO_ADDRESS',
    'SECONDARY_MANAGER_CANNOT_BE_PRIMARY',
    'MANAGER_ALREADY_EXISTS',
    'TOO_MANY_SECONDARY_MANAGERS',
    'MANDATE_REFUSES',
  ]),
  prepareRemoveSecondaryManager: prepare('users', 'Calldata that removes a secondary manager', [
    'UNAUTHORIZED_UPDATE_AUTHORITY',
    'MANAGER_NOT_FOUND',
  ]),
  prepareCancelPrimaryChange: prepare('users', 'Calldata that cancels a proposed change of the primary manager', [
    'UNAUTHORIZED_UPDATE_AUTHORITY',
    'NO_PENDING_MANAGER_CHANGE',
  ]),
  prepareProposeFees: prepare('settings', 'Calldata that proposes fees; they may be executed a week later', [
    'MANAGER_NOT_AUTHORIZED',
    'ZERO_ADDRESS',
    'INVALID_PERFORMANCE_FEE_BPS',
    'MANDATE_REFUSES',
  ]),
  prepareExecuteFees: prepare(
    'settings',
    'Calldata that puts proposed fees into force and resets the high-water mark to the current price',
    ['MANAGER_NOT_AUTHORIZED', 'NO_PROPOSAL', 'INVALID_TIMESTAMP', 'MANDATE_REFUSES'],
  ),
  prepareSkimFees: prepare(
    'settings',
    'Calldata that takes the performance fee on growth above the high-water mark',
    [
      'MANAGER_NOT_AUTHORIZED',
      'STRATEGY_PAUSED',
      'STALE_PPS',
      'PPS_EXPIRED',
      'SKIM_TIMELOCK_ACTIVE',
      'NOT_ENOUGH_FREE_ASSETS_FEE_SKIM',
      'NOTHING_TO_SKIM',
    ],
    'secondary',
  ),
  prepareDeviationThreshold: prepare(
    'settings',
    'Calldata that sets how far a price may jump before the vault pauses itself; null switches the guard off',
    ['UNAUTHORIZED_UPDATE_AUTHORITY'],
  ),
  prepareProposeExpiration: prepare('settings', 'Calldata that proposes for how long a price may be used', [
    'MANAGER_NOT_AUTHORIZED',
    'INVALID_PPS_EXPIRY_THRESHOLD',
  ]),
  prepareExecuteExpiration: prepare('settings', 'Calldata that puts the proposed expiration into force', [
    'MANAGER_NOT_AUTHORIZED',
    'NO_PROPOSAL',
    'INVALID_TIMESTAMP',
  ]),
  prepareCancelExpiration: prepare('settings', 'Calldata that drops the proposed expiration', [
    'MANAGER_NOT_AUTHORIZED',
    'NO_PROPOSAL',
  ]),
  prepareProposeMinUpdateInterval: prepare('settings', 'Calldata that proposes the least time between two prices', [
    'UNAUTHORIZED_UPDATE_AUTHORITY',
    'MIN_UPDATE_INTERVAL_TOO_HIGH',
  ]),
  prepareExecuteMinUpdateInterval: prepare('settings', 'Calldata that puts the proposed interval into force', [
    'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE',
    'TIMELOCK_NOT_EXPIRED',
  ]),
  prepareCancelMinUpdateInterval: prepare('settings', 'Calldata that drops the proposed interval', [
    'UNAUTHORIZED_UPDATE_AUTHORITY',
    'NO_PENDING_MIN_UPDATE_INTERVAL_CHANGE',
  ]),
  prepareDepositUpkeep: prepare(
    'settings',
    'Calldata that pays upkeep for the vault; an approval comes first when the allowance is short',
    ['ZERO_AMOUNT', 'ERC20InsufficientBalance', 'ERC20InsufficientAllowance'],
    'secondary',
  ),
  prepareProposeUpkeepWithdrawal: prepare('settings', 'Calldata that proposes to withdraw all upkeep a day later', [
    'UNAUTHORIZED_UPDATE_AUTHORITY',
    'ZERO_AMOUNT',
  ]),
  prepareExecuteUpkeepWithdrawal: prepare(
    'settings',
    'Calldata that pays a matured withdrawal to the primary manager',
    ['UPKEEP_WITHDRAWAL_NOT_FOUND', 'UPKEEP_WITHDRAWAL_NOT_READY'],
    'secondary',
  ),
  preparePause: prepare(
    'settings',
    'Calldata that stops deposits, redemptions, skims and prices of the vault',
    ['UNAUTHORIZED_UPDATE_AUTHORITY', 'STRATEGY_ALREADY_PAUSED'],
    'secondary',
  ),
  prepareUnpause: prepare(
    'settings',
    'Calldata that releases a paused vault; it works again with its next price',
    ['UNAUTHORIZED_UPDATE_AUTHORITY', 'STRATEGY_NOT_PAUSED'],
    'secondary',
  ),
  prepareAddYieldSource: prepare('yield sources', 'Calldata that adds a yield source with its oracle', [
    'MANAGER_NOT_AUTHORIZED',
    'ZERO_ADDRESS',
    'YIELD_SOURCE_ALREADY_EXISTS',
    'ORACLE_UNFIT',
  ]),
  prepareUpdateYieldSourceOracle: prepare('yield sources', "Calldata that changes a yield source's oracle", [
    'MANAGER_NOT_AUTHORIZED',
    'ZERO_ADDRESS',
    'YIELD_SOURCE_NOT_FOUND',
    'ORACLE_UNFIT',
  ]),
  prepareRemoveYieldSource: prepare(
    'yield sources',
    'Calldata that takes a yield source off the list; what the vault holds in it stays there, uncounted',
    ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_NOT_FOUND', 'YIELD_SOURCE_FUNDED'],
  ),
  prepareBulkAddYieldSources: prepare('yield sources', 'Calldata that adds up to 50 yield sources at once', [
    'MANAGER_NOT_AUTHORIZED',
    'ZERO_ADDRESS',
    'YIELD_SOURCE_ALREADY_EXISTS',
    'ORACLE_UNFIT',
  ]),
  prepareBulkUpdateYieldSourceOracles: prepare(
    'yield sources',
    'Calldata that changes the oracles of up to 50 yield sources',
    ['MANAGER_NOT_AUTHORIZED', 'ZERO_ADDRESS', 'YIELD_SOURCE_NOT_FOUND', 'ORACLE_UNFIT'],
  ),
  prepareBulkRemoveYieldSources: prepare('yield sources', 'Calldata that takes up to 50 yield sources off the list', [
    'MANAGER_NOT_AUTHORIZED',
    'ZERO_ADDRESS',
    'YIELD_SOURCE_NOT_FOUND',
    'YIELD_SOURCE_FUNDED',
  ]),
  prepareFulfilRedemptions: prepare(
    'operations',
    'Calldata that pays up to 50 redemption requests from idle assets, at the price of the chain',
    [
      'MANAGER_NOT_AUTHORIZED',
      'STRATEGY_PAUSED',
      'STALE_PPS',
      'PPS_EXPIRED',
      'ZERO_SHARE_FULFILLMENT_DISALLOWED',
      'BOUNDS_EXCEEDED',
      'INSUFFICIENT_LIQUIDITY',
      'REDEMPTION_CANCELLED',
    ],
    'secondary',
  ),
  prepareFulfilCancellations: prepare(
    'operations',
    'Calldata that gives up to 50 wallets back the shares of requests that they cancelled',
    ['MANAGER_NOT_AUTHORIZED', 'REQUEST_NOT_FOUND'],
    'secondary',
  ),
  prepareDeposit: own(
    'Calldata that deposits assets of your wallet for shares; an approval of exactly the amount comes first when the allowance is short',
    [
      'ERC20InsufficientAllowance',
      'ERC20InsufficientBalance',
      'OPERATIONS_BLOCKED_BY_VETO',
      'STRATEGY_PAUSED',
      'STALE_PPS',
      'PPS_EXPIRED',
      'INVALID_AMOUNT',
    ],
  ),
  prepareRequestRedemption: own('Calldata that asks to redeem shares of your wallet (ERC-7540)', [
    'INVALID_AMOUNT',
    'CANCELLATION_REDEEM_REQUEST_PENDING',
    'STRATEGY_PAUSED',
    'STALE_PPS',
    'PPS_EXPIRED',
  ]),
  prepareCancelRedemption: own("Calldata that cancels your wallet's request to redeem", [
    'REQUEST_NOT_FOUND',
    'CANCELLATION_REDEEM_REQUEST_PENDING',
  ]),
  prepareClaimRedemption: own('Calldata that claims all that was paid for redeemed shares of your wallet', [
    'INVALID_WITHDRAW_PRICE',
  ]),
  prepareClaimCancelledShares: own('Calldata that takes the shares of a cancelled request back to your wallet', [
    'REQUEST_NOT_FOUND',
  ]),
  listPrepared: {
    tag: 'prepared calls',
    role: 'secondary',
    summary: 'Calls prepared for a vault, newest first',
    errors: ['ROLE_REQUIRED', 'VAULT_NOT_FOUND', 'CHAIN_NOT_FOUND', 'CURSOR_INVALID'],
  },
  getPrepared: {
    tag: 'prepared calls',
    role: 'anyone',
    summary: 'One prepared call and what became of it; ?recheck=true simulates it again',
    errors: ['ROLE_REQUIRED', 'PREPARED_NOT_FOUND', 'RPC_UNAVAILABLE'],
  },
  broadcastPrepared: {
    tag: 'prepared calls',
    role: 'anyone',
    summary: 'Report which transaction carries a prepared call, so that it is followed',
    errors: [
      'ROLE_REQUIRED',
      'PREPARED_NOT_FOUND',
      'PREPARED_EXPIRED',
      'ALREADY_BROADCAST',
      'TRANSACTION_MISMATCH',
      'RPC_UNAVAILABLE',
    ],
  },
  prepareProposeHooksRoot: prepare(
    'merkle',
    "Calldata that proposes the root of one of the vault's trees; it may be executed after the timelock",
    ['UNAUTHORIZED_UPDATE_AUTHORITY', 'HOOKS_TREE_UNKNOWN', 'HOOKS_ROOT_UNCHANGED'],
  ),
  prepareExecuteHooksRoot: prepare(
    'merkle',
    'Calldata that puts the proposed hooks root into force',
    ['NO_PENDING_MANAGER_CHANGE', 'ROOT_UPDATE_NOT_READY'],
    'secondary',
  ),
  prepareBanHookLeaves: prepare('merkle', 'Calldata that bans up to 100 leaves of the global root for this vault', [
    'UNAUTHORIZED_UPDATE_AUTHORITY',
    'LEAVES_UNCHANGED',
  ]),
  prepareAllowHookLeaves: prepare(
    'merkle',
    'Calldata that allows banned leaves of the global root to this vault again',
    ['UNAUTHORIZED_UPDATE_AUTHORITY', 'LEAVES_UNCHANGED'],
  ),
} satisfies Record<string, Description>;
