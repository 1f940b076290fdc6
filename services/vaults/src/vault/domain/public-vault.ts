import type { PublicVault, VaultDetail } from '@castellan/contracts';

/** A vault's line in a list, taken from its detail. */
export const publicVault = (detail: VaultDetail): PublicVault => ({
  vault_address: detail.vault_address,
  strategy_address: detail.strategy_address,
  escrow_address: detail.escrow_address,
  chain_id: detail.chain_id,
  chain_slug: detail.chain_slug,
  name: detail.name,
  symbol: detail.symbol,
  vault_share_decimals: detail.vault_share_decimals,
  underlying_asset_symbol: detail.asset.symbol,
  underlying_asset_decimals: detail.asset.decimals,
  underlying_asset_address: detail.asset.address,
  total_assets: detail.total_assets,
  current_pps: detail.current_pps,
  current_pps_display: detail.current_pps_display,
  pps_status: detail.pps_status,
  operational_state: detail.operational_state,
  tvl_usd: detail.tvl_usd,
  apy: detail.apy,
  upkeep_info: detail.upkeep_info,
  activation: detail.activation,
  block_number: detail.block_number,
  updated_at: detail.updated_at,
});
