import {
  allocationShares,
  calculatedPps,
  deviationThresholdBps,
  divergenceBps,
  formatPps,
  nextUpdateIn,
  operationalState,
  type Pending,
  pendingPerformanceFee,
  ppsStatus,
  remainingStaleness,
  skimEligibility,
  usdPrice,
  usdValue,
  type VaultState,
} from '@castellan/chain';
import type { VaultDetail } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import { isoTime } from '../../log/domain/log-entry.ts';
import { upkeepOf } from './upkeep.ts';
import type { VaultFacts } from './vault-facts.ts';

/** Where one vault lives; EIP-55. */
export type VaultIdentity = {
  chainId: number;
  chainSlug: string;
  vault: string;
  strategy: string;
  escrow: string;
};

/** What the detail is computed from: one reading of the chain, and the log up to the same block. */
export type DetailInputs = {
  identity: VaultIdentity;
  state: VaultState;
  facts: VaultFacts;
  /** Signed time of the last accepted oracle report (chain seconds); null before the first. */
  lastOracleUpdate: bigint | null;
  /** Who paused; null when unknown or when the chain did it by itself. */
  pauseActor: string | null;
  /** Why it is paused: the chain's own reason, else the manager's; null when neither gave one. */
  pauseReason: string | null;
  /** Names of sources by lower-case address, where the chain has none. */
  sourceNames: Readonly<Record<string, string>>;
  updatedAt: string;
};

const isoOf = (pending: Pending<unknown>): string => isoTime(pending.effectiveTime);
const bps = (value: bigint): number => Number(value);

/** PPS from chain state, independent of the oracle; null without shares or with an unreadable source. */
export const calculatedPpsOf = (state: VaultState): bigint | null =>
  calculatedPps({
    idle: state.idleAssets,
    sources: state.sources,
    totalSupply: state.totalSupply,
    precision: state.precision,
  });

function pricingOf({ state, lastOracleUpdate }: DetailInputs) {
  const { decimals } = state.asset;
  const age = {
    chainTime: state.blockTimestamp,
    lastUpdateTimestamp: state.lastUpdateTimestamp,
    ppsExpiration: state.ppsExpiration,
  };
  const calculated = calculatedPpsOf(state);
  return {
    current_pps: `${state.pps}`,
    current_pps_display: formatPps(state.pps, decimals),
    calculated_pps: calculated === null ? null : `${calculated}`,
    calculated_pps_display: calculated === null ? null : formatPps(calculated, decimals),
    hwm_pps: `${state.hwm}`,
    hwm_pps_display: formatPps(state.hwm, decimals),
    pps_precision: `${state.precision}`,
    divergence_bps: divergenceBps({ calculated, current: state.pps }),
    last_pps_update_timestamp: isoTime(state.lastUpdateTimestamp),
    last_oracle_update_timestamp: lastOracleUpdate === null ? null : isoTime(lastOracleUpdate),
    pps_config: {
      min_update_interval_seconds: Number(state.minUpdateInterval),
      max_staleness_seconds: Number(state.maxStaleness),
      expiration_seconds: Number(state.ppsExpiration),
      deviation_threshold_bps: deviationThresholdBps(state.deviationThreshold),
    },
    remaining_staleness_time: Number(remainingStaleness(age)),
    next_update_in_seconds: Number(nextUpdateIn({ ...age, minUpdateInterval: state.minUpdateInterval })),
    pps_status: ppsStatus(age),
    is_pps_stale: state.isPpsStale,
    operational_state: operationalState({
      ...age,
      isPaused: state.isPaused,
      isPpsStale: state.isPpsStale,
      lastUnpauseTimestamp: state.lastUnpauseTimestamp,
      upkeepEnabled: state.upkeep.enabled,
      upkeepBalance: state.upkeep.balance,
      upkeepCostPerUpdate: state.upkeep.costPerUpdate ?? 0n,
    }),
    chain_time: isoTime(state.blockTimestamp),
  };
}

function feesOf({ state, facts }: DetailInputs) {
  const { fees } = state;
  const fee = pendingPerformanceFee({
    pps: state.pps,
    hwm: state.hwm,
    totalSupply: state.totalSupply,
    precision: state.precision,
    performanceFeeBps: fees.performanceFeeBps,
    protocolShareBps: state.protocolFeeShareBps,
  });
  const skim = skimEligibility({
    chainTime: state.blockTimestamp,
    isPaused: state.isPaused,
    isPpsStale: state.isPpsStale,
    lastUpdateTimestamp: state.lastUpdateTimestamp,
    ppsExpiration: state.ppsExpiration,
    lastUnpauseTimestamp: state.lastUnpauseTimestamp,
    freeAssets: state.idleAssets,
    fee: fee.total,
  });
  return {
    fee_config: {
      performance_fee_bps: bps(fees.performanceFeeBps),
      management_fee_bps: bps(fees.managementFeeBps),
      recipient: getAddress(fees.recipient),
    },
    pending_fee_config: facts.pendingFees && {
      performance_fee_bps: facts.pendingFees.performanceFeeBps,
      management_fee_bps: facts.pendingFees.managementFeeBps,
      recipient: getAddress(facts.pendingFees.recipient),
      effective_at: isoTime(facts.pendingFees.effectiveTime),
    },
    pending_performance_fee: {
      total: `${fee.total}`,
      protocol_share: `${fee.protocolShare}`,
      recipient_share: `${fee.recipientShare}`,
      profit_since_hwm: `${fee.profit}`,
      can_skim: skim.canSkim,
      reason: skim.reason,
      can_skim_at: skim.canSkimAt === null ? null : isoTime(skim.canSkimAt),
    },
  };
}

/** Sources in the strategy's order, then idle assets, which sit in the strategy itself. */
function allocationOf({ identity, state, sourceNames }: DetailInputs): VaultDetail['allocation'] {
  const shares = allocationShares([...state.sources.map(({ assets }) => assets), state.idleAssets]);
  const usd = (assets: bigint | null) => usdValue(assets, state.asset.decimals, state.price);
  return [
    ...state.sources.map((source, index) => ({
      source_address: getAddress(source.address),
      name: sourceNames[source.address.toLowerCase()] ?? source.name ?? getAddress(source.address),
      kind: 'source' as const,
      oracle_address: getAddress(source.oracle),
      assets: source.assets === null ? null : `${source.assets}`,
      usd: usd(source.assets),
      share: shares[index] ?? null,
      apy: null,
      is_active: true,
    })),
    {
      source_address: identity.strategy,
      name: `Idle ${state.asset.symbol}`,
      kind: 'idle' as const,
      oracle_address: null,
      assets: `${state.idleAssets}`,
      usd: usd(state.idleAssets),
      share: shares.at(-1) ?? null,
      apy: null,
      is_active: true,
    },
  ];
}

const merkleOf = ({ state: { hooks }, facts }: DetailInputs): VaultDetail['merkle'] => ({
  strategy_root: hooks.strategyRoot,
  global_root: hooks.globalRoot,
  proposed_root: hooks.proposedStrategyRoot?.value ?? null,
  effective_at: hooks.proposedStrategyRoot && isoOf(hooks.proposedStrategyRoot),
  in_sync: hooks.proposedStrategyRoot === null,
  veto: { global: hooks.globalVetoed, strategy: hooks.strategyVetoed },
  banned_leaves: [...facts.bannedLeaves],
});

function governanceOf({ state, facts, pauseActor, pauseReason }: DetailInputs) {
  const change = state.pendingManagerChange;
  const proposed = facts.managerProposal;
  const proposer = change && proposed?.proposedManager === change.value.toLowerCase() ? proposed.proposer : null;
  const named = (wallet: string) => ({ wallet_address: getAddress(wallet), display_name: null });
  return {
    is_paused: state.isPaused,
    pause: state.isPaused ? { reason: pauseReason, since: facts.pause?.since ?? null, actor: pauseActor } : null,
    managers: {
      primary: named(state.primaryManager),
      secondary: state.secondaryManagers.map(named),
      view_only_count: 0,
    },
    pending_manager_change: change && {
      proposed_manager: getAddress(change.value),
      proposer: proposer && getAddress(proposer),
      effective_at: isoOf(change),
    },
  };
}

/**
 * The vault's detail as anybody may see it, before names are put in: every figure is of `state.blockNumber`.
 * TVL is total assets at the feed's price; escrowed assets are left out, because their shares are burned.
 */
export function vaultDetail(inputs: DetailInputs): VaultDetail {
  const { identity, state, facts } = inputs;
  const { upkeep, activation } = upkeepOf(state);
  const lifecycle = state.isPaused ? 'paused' : activation.is_active ? 'active' : 'indexed';
  return {
    vault_address: identity.vault,
    strategy_address: identity.strategy,
    escrow_address: identity.escrow,
    chain_id: identity.chainId,
    chain_slug: identity.chainSlug,
    name: state.name,
    symbol: state.symbol,
    vault_share_decimals: state.decimals,
    asset: {
      address: getAddress(state.asset.address),
      symbol: state.asset.symbol,
      name: state.asset.name,
      decimals: state.asset.decimals,
      price_usd: usdPrice(state.price),
      price_updated_at: state.price && isoTime(state.price.updatedAt),
    },
    created_at: facts.created.at,
    created_block: facts.created.block,
    created_tx: facts.created.tx,
    ...pricingOf(inputs),
    total_supply: `${state.totalSupply}`,
    total_assets: `${state.totalAssets}`,
    free_assets: `${state.idleAssets}`,
    escrowed_assets: `${state.escrowedAssets}`,
    tvl_usd: usdValue(state.totalAssets, state.asset.decimals, state.price),
    apy: null,
    ...feesOf(inputs),
    upkeep_info: upkeep,
    withdrawal_status: state.upkeep.pendingWithdrawal && {
      amount: `${state.upkeep.pendingWithdrawal.value}`,
      effective_at: isoOf(state.upkeep.pendingWithdrawal),
    },
    activation,
    ...governanceOf(inputs),
    allocation: allocationOf(inputs),
    merkle: merkleOf(inputs),
    lifecycle,
    my_role: null,
    block_number: Number(state.blockNumber),
    updated_at: inputs.updatedAt,
  };
}
