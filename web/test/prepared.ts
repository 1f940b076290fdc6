import type { PreparedCall, PreparedKind, PreparedResource } from '@castellan/contracts';
import { type Asked, type Intent, knownSignatures } from '@castellan/sdk/calls';
import { encodeFunctionData, maxUint256, parseAbi } from 'viem';
import { anAddress } from './builders.ts';

export const vault = anAddress(1);
export const strategy = anAddress(2);
export const aggregator = anAddress(7);
export const token = anAddress(9);
export const asset = anAddress(4);
export const manager = anAddress(0x20);
export const primary = anAddress(0x10);

export const anIntent = (asked: Asked): Intent => ({
  chainId: 31337,
  vault,
  strategy,
  upkeepToken: token,
  asset,
  ...asked,
});

const json = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(json);
  return typeof value === 'bigint' ? String(value) : value;
};

type Named = Record<string, unknown>;

/** Calldata with its description, as the server writes them. */
export function callOf(name: string, args: Named): Pick<PreparedCall, 'data' | 'decoded'> {
  const data = encodeFunctionData({
    abi: parseAbi(knownSignatures),
    functionName: name,
    args: Object.values(args),
  } as never);
  const decoded = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, json(value)]));
  return { data, decoded: { function: name, args: decoded } };
}

export const aPreparedCall = (parts: Partial<PreparedCall> = {}): PreparedCall => ({
  id: 'prepared-1',
  to: aggregator,
  ...callOf('addSecondaryManager', { strategy, manager }),
  value: '0',
  chain_id: 31337,
  description: 'Add a wallet.',
  simulation: { ok: true, revert_reason: null },
  preconditions: [],
  changes: [],
  post_condition: { description: 'The wallet is a secondary manager.' },
  expires_at: '2100-01-01T00:00:00.000Z',
  signer: { wallet_address: primary, kind: 'eoa', package: null },
  ...parts,
});

type ResourceParts = Partial<Omit<PreparedResource, 'post_condition'>> & {
  post_condition?: Partial<PreparedResource['post_condition']>;
};

export const aPreparedResource = ({ post_condition, ...parts }: ResourceParts = {}): PreparedResource => ({
  ...aPreparedCall(),
  kind: 'add_secondary_manager',
  vault_address: vault,
  prepared_by: primary,
  prepared_at: '2026-01-01T00:00:00.000Z',
  block_number: 100,
  forced: false,
  reason: null,
  status: 'prepared',
  tx_hash: null,
  revert_reason: null,
  history: [],
  ...parts,
  post_condition: { description: 'The wallet is a secondary manager.', ok: null, actual: null, ...post_condition },
});

const source = (number: number) => anAddress(0x30 + number);
const oracle = anAddress(0x40);
const pair = (number: number) => ({ source_address: source(number), oracle_address: oracle });
const onStrategy = { to: strategy };
const onVault = { to: vault };
const many = (action: number, oracles = [oracle, oracle]) =>
  callOf('manageYieldSources', { sources: [source(1), source(2)], oracles, actionTypes: [action, action] });

const hash = (digit: string) => `0x${digit.repeat(64)}`;
const leaves = (...hashes: string[]) => ({ leaves: hashes });

/** A change of every kind and the calls that make it up. */
export const everyChange: readonly [Asked, PreparedCall[]][] = [
  [{ kind: 'add_secondary_manager', args: { manager_address: manager } }, [aPreparedCall()]],
  [
    { kind: 'remove_secondary_manager', args: { manager_address: manager } },
    [aPreparedCall(callOf('removeSecondaryManager', { strategy, manager }))],
  ],
  [{ kind: 'cancel_primary_change', args: {} }, [aPreparedCall(callOf('cancelChangePrimaryManager', { strategy }))]],
  [
    { kind: 'propose_fees', args: { performance_fee_bps: 2000, management_fee_bps: 25, recipient: manager } },
    [
      aPreparedCall({
        ...onStrategy,
        ...callOf('proposeVaultFeeConfigUpdate', {
          performanceFeeBps: 2000n,
          managementFeeBps: 25n,
          recipient: manager,
        }),
      }),
    ],
  ],
  [
    { kind: 'execute_fees', args: {} },
    [aPreparedCall({ ...onStrategy, ...callOf('executeVaultFeeConfigUpdate', {}) })],
  ],
  [{ kind: 'skim_fees', args: {} }, [aPreparedCall({ ...onStrategy, ...callOf('skimPerformanceFee', {}) })]],
  [
    { kind: 'set_deviation_threshold', args: { deviation_threshold_bps: 50 } },
    [aPreparedCall(callOf('updateDeviationThreshold', { strategy, deviationThreshold_: 5_000_000_000_000_000n }))],
  ],
  [
    { kind: 'set_deviation_threshold', args: { deviation_threshold_bps: null } },
    [aPreparedCall(callOf('updateDeviationThreshold', { strategy, deviationThreshold_: maxUint256 }))],
  ],
  [
    { kind: 'propose_expiration', args: { expiration_seconds: 43_200 } },
    [aPreparedCall({ ...onStrategy, ...callOf('managePPSExpiration', { action: 0, ppsExpiration: 43_200n }) })],
  ],
  [
    { kind: 'execute_expiration', args: {} },
    [aPreparedCall({ ...onStrategy, ...callOf('managePPSExpiration', { action: 1, ppsExpiration: 0n }) })],
  ],
  [
    { kind: 'cancel_expiration', args: {} },
    [aPreparedCall({ ...onStrategy, ...callOf('managePPSExpiration', { action: 2, ppsExpiration: 0n }) })],
  ],
  [
    { kind: 'propose_min_update_interval', args: { min_update_interval_seconds: 600 } },
    [aPreparedCall(callOf('proposeMinUpdateIntervalChange', { strategy, newMinUpdateInterval: 600n }))],
  ],
  [
    { kind: 'execute_min_update_interval', args: {} },
    [aPreparedCall(callOf('executeMinUpdateIntervalChange', { strategy }))],
  ],
  [
    { kind: 'cancel_min_update_interval', args: {} },
    [aPreparedCall(callOf('cancelMinUpdateIntervalChange', { strategy }))],
  ],
  [
    { kind: 'deposit_upkeep', args: { amount: '5000000000000000000' } },
    [
      aPreparedCall({ to: token, ...callOf('approve', { spender: aggregator, value: 5_000_000_000_000_000_000n }) }),
      aPreparedCall({
        id: 'prepared-2',
        ...callOf('depositUpkeep', { strategy, amount: 5_000_000_000_000_000_000n }),
      }),
    ],
  ],
  [{ kind: 'propose_upkeep_withdrawal', args: {} }, [aPreparedCall(callOf('proposeWithdrawUpkeep', { strategy }))]],
  [{ kind: 'execute_upkeep_withdrawal', args: {} }, [aPreparedCall(callOf('executeWithdrawUpkeep', { strategy }))]],
  [{ kind: 'pause', args: { reason: 'Feed looks wrong' } }, [aPreparedCall(callOf('pauseStrategy', { strategy }))]],
  [{ kind: 'unpause', args: { reason: 'Feed is back' } }, [aPreparedCall(callOf('unpauseStrategy', { strategy }))]],
  [
    { kind: 'add_yield_sources', args: { sources: [pair(1)] } },
    [
      aPreparedCall({
        ...onStrategy,
        ...callOf('manageYieldSource', { source: source(1), oracle, actionType: 0 }),
      }),
    ],
  ],
  [
    { kind: 'add_yield_sources', args: { sources: [pair(1), pair(2)] } },
    [aPreparedCall({ ...onStrategy, ...many(0) })],
  ],
  [
    { kind: 'update_yield_source_oracles', args: { sources: [pair(1), pair(2)] } },
    [aPreparedCall({ ...onStrategy, ...many(1) })],
  ],
  [
    {
      kind: 'remove_yield_sources',
      args: { sources: [{ source_address: source(1) }, { source_address: source(2) }] },
    },
    [aPreparedCall({ ...onStrategy, ...many(2) })],
  ],
  [
    { kind: 'propose_hooks_root', args: { root: hash('a') } },
    [aPreparedCall(callOf('proposeStrategyHooksRoot', { strategy, newRoot: hash('a') }))],
  ],
  [{ kind: 'execute_hooks_root', args: {} }, [aPreparedCall(callOf('executeStrategyHooksRootUpdate', { strategy }))]],
  [
    { kind: 'ban_hook_leaves', args: { leaves: [hash('b'), hash('c')] } },
    [
      aPreparedCall(
        callOf('changeGlobalLeavesStatus', { ...leaves(hash('b'), hash('c')), statuses: [true, true], strategy }),
      ),
    ],
  ],
  [
    { kind: 'allow_hook_leaves', args: { leaves: [hash('b')] } },
    [aPreparedCall(callOf('changeGlobalLeavesStatus', { ...leaves(hash('b')), statuses: [false], strategy }))],
  ],
  [
    { kind: 'fulfil_redemptions', args: { controllers: [source(2), source(1)] } },
    [
      aPreparedCall({
        ...onStrategy,
        ...callOf('fulfillRedeemRequests', { controllers: [source(1), source(2)], totalAssetsOut: [5n, 7n] }),
      }),
    ],
  ],
  [
    { kind: 'fulfil_cancellations', args: { controllers: [source(1)] } },
    [aPreparedCall({ ...onStrategy, ...callOf('fulfillCancelRedeemRequests', { controllers: [source(1)] }) })],
  ],
  [
    { kind: 'deposit', args: { assets: '250000000' } },
    [
      aPreparedCall({ to: asset, ...callOf('approve', { spender: vault, value: 250_000_000n }) }),
      aPreparedCall({
        id: 'prepared-2',
        ...onVault,
        ...callOf('deposit', { assets: 250_000_000n, receiver: primary }),
      }),
    ],
  ],
  [
    { kind: 'request_redemption', args: { shares: '40000000' } },
    [
      aPreparedCall({
        ...onVault,
        ...callOf('requestRedeem', { shares: 40_000_000n, controller: primary, owner: primary }),
      }),
    ],
  ],
  [
    { kind: 'cancel_redemption', args: {} },
    [aPreparedCall({ ...onVault, ...callOf('cancelRedeemRequest', { requestId: 0n, controller: primary }) })],
  ],
  [
    { kind: 'claim_redemption', args: {} },
    [
      aPreparedCall({
        ...onVault,
        ...callOf('withdraw', { assets: 250_000_000n, receiver: primary, controller: primary }),
      }),
    ],
  ],
  [
    { kind: 'claim_cancelled_shares', args: {} },
    [
      aPreparedCall({
        ...onVault,
        ...callOf('claimCancelRedeemRequest', { requestId: 0n, receiver: primary, controller: primary }),
      }),
    ],
  ],
];

export const changeOf = (kind: PreparedKind): [Intent, PreparedCall[]] => {
  const found = everyChange.find(([asked]) => asked.kind === kind);
  if (found === undefined) throw new Error(`no change of kind ${kind}`);
  return [anIntent(found[0]), found[1]];
};
