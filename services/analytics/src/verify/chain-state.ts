import {
  type ChainConfig,
  type ChainContracts,
  calculatedPps,
  isRpcUnavailable,
  isStatePruned,
  readVaultState,
  type VaultState,
} from '@castellan/chain';
import { type Fact, STATE_OBSERVED } from '../domain/facts.ts';
import type { Client } from './chain-log.ts';
import type { Trio } from './vault-book.ts';

type Addresses = Parameters<typeof readVaultState>[1];

export type StateReader = (block: bigint) => Promise<VaultState | undefined>;

/**
 * Reads the vault by calls at a block.
 * @returns undefined when the node answers, but no longer has the state of that block.
 */
export const stateReader =
  (client: Client, config: ChainConfig, contracts: ChainContracts, trio: Trio): StateReader =>
  async (block) => {
    const { governor, aggregator } = contracts;
    const priceFeed = config.priceFeeds[trio.asset];
    const { vault, strategy, escrow } = trio;
    try {
      return await readVaultState(
        client,
        { vault, strategy, escrow, governor, aggregator, priceFeed } as Addresses,
        block,
      );
    } catch (error) {
      if (isRpcUnavailable(error) && !isStatePruned(error)) throw error;
      return undefined;
    }
  };

const text = (value: bigint | null): string | null => (value === null ? null : `${value}`);

/** A reading of state as the fact that an observation of it is. */
export function stateFact(state: VaultState, seq: number): Fact {
  const calculated = calculatedPps({
    idle: state.idleAssets,
    sources: state.sources,
    totalSupply: state.totalSupply,
    precision: state.precision,
  });
  return {
    seq,
    block: Number(state.blockNumber),
    time: Number(state.blockTimestamp),
    tx: null,
    index: null,
    contract: null,
    name: STATE_OBSERVED,
    args: {
      pps: text(state.pps),
      calculated_pps: text(calculated),
      hwm_pps: text(state.hwm),
      pps_precision: text(state.precision),
      last_update_timestamp: text(state.lastUpdateTimestamp),
      idle: text(state.idleAssets),
      asset_decimals: state.asset.decimals,
      allocation: state.sources.map((source) => ({
        source_address: source.address,
        oracle_address: source.oracle,
        assets: text(source.assets),
        shares: text(source.shares),
        available: text(source.available),
        price_per_share: text(source.pricePerShare),
      })),
      price: state.price && {
        answer: text(state.price.answer),
        decimals: state.price.decimals,
        updated_at: text(state.price.updatedAt),
      },
      is_paused: state.isPaused,
      is_pps_stale: state.isPpsStale,
      performance_fee_bps: Number(state.fees.performanceFeeBps),
      management_fee_bps: Number(state.fees.managementFeeBps),
      fee_recipient: state.fees.recipient,
      primary_manager: state.primaryManager,
      primary_manager_kind: state.primaryManagerKind,
      secondary_managers: state.secondaryManagers,
      upkeep_enabled: state.upkeep.enabled,
      upkeep_balance: text(state.upkeep.balance),
      upkeep_cost_per_update: text(state.upkeep.costPerUpdate),
      deviation_threshold: text(state.deviationThreshold),
      pps_expiration_seconds: Number(state.ppsExpiration),
      max_staleness_seconds: Number(state.maxStaleness),
      min_update_interval_seconds: Number(state.minUpdateInterval),
    },
  };
}
