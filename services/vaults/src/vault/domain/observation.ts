import type { VaultState } from '@castellan/chain';
import { getAddress } from 'viem/utils';
import { type EntryDraft, isoTime } from '../../log/domain/log-entry.ts';
import { calculatedPpsOf } from './vault-detail.ts';

/** The name of every observation entry. */
export const STATE_OBSERVED = 'state_observed';

/**
 * The observation of one vault: what no event holds, read at one block. Amounts are decimal strings in base units, PPS raw
 * over `pps_precision`, times in chain seconds. `price` is the feed's raw answer over 10^`decimals` dollars per whole asset.
 */
export function observationDraft(vault: string, state: VaultState): EntryDraft {
  const calculated = calculatedPpsOf(state);
  const { price } = state;
  return {
    kind: 'observation',
    block_number: Number(state.blockNumber),
    block_hash: state.blockHash,
    block_time: isoTime(state.blockTimestamp),
    tx_hash: null,
    log_index: null,
    address: getAddress(vault),
    contract: 'vault',
    vault_address: getAddress(vault),
    name: STATE_OBSERVED,
    args: {
      pps: `${state.pps}`,
      calculated_pps: calculated === null ? null : `${calculated}`,
      hwm_pps: `${state.hwm}`,
      pps_precision: `${state.precision}`,
      last_update_timestamp: `${state.lastUpdateTimestamp}`,
      total_supply: `${state.totalSupply}`,
      total_assets: `${state.totalAssets}`,
      idle: `${state.idleAssets}`,
      escrowed_assets: `${state.escrowedAssets}`,
      asset_address: getAddress(state.asset.address),
      asset_decimals: state.asset.decimals,
      allocation: state.sources.map((source) => ({
        source_address: getAddress(source.address),
        oracle_address: getAddress(source.oracle),
        assets: source.assets === null ? null : `${source.assets}`,
        shares: source.shares === null ? null : `${source.shares}`,
        available: source.available === null ? null : `${source.available}`,
        price_per_share: source.pricePerShare === null ? null : `${source.pricePerShare}`,
      })),
      price: price && {
        answer: `${price.answer}`,
        decimals: price.decimals,
        updated_at: `${price.updatedAt}`,
        feed: getAddress(price.feed),
      },
      is_paused: state.isPaused,
      is_pps_stale: state.isPpsStale,
      performance_fee_bps: Number(state.fees.performanceFeeBps),
      management_fee_bps: Number(state.fees.managementFeeBps),
      fee_recipient: getAddress(state.fees.recipient),
      protocol_fee_share_bps: Number(state.protocolFeeShareBps),
      primary_manager: getAddress(state.primaryManager),
      primary_manager_kind: state.primaryManagerKind,
      secondary_managers: state.secondaryManagers.map((manager) => getAddress(manager)),
      last_unpause_timestamp: `${state.lastUnpauseTimestamp}`,
      upkeep_enabled: state.upkeep.enabled,
      upkeep_balance: `${state.upkeep.balance}`,
      upkeep_cost_per_update: state.upkeep.costPerUpdate === null ? null : `${state.upkeep.costPerUpdate}`,
      deviation_threshold: `${state.deviationThreshold}`,
      pps_expiration_seconds: Number(state.ppsExpiration),
      max_staleness_seconds: Number(state.maxStaleness),
      min_update_interval_seconds: Number(state.minUpdateInterval),
    },
  };
}
