import { download } from '../charts/download.ts';
import { csvOf, type Row } from '../lists/export.ts';
import { type DeskRow, ofRead } from './rows.ts';

/** A vault as a file has it: raw amounts, times of the chain. What could not be read is null, as what is not known is. */
export function recordOf({ vault, chainName, summary, alerts, isPromiseBroken }: DeskRow): Row {
  const { upkeep_info: upkeep, proposals = [] } = vault;
  return {
    chain_id: vault.chain_id,
    chain: chainName,
    vault_address: vault.vault_address,
    name: vault.name,
    symbol: vault.symbol ?? null,
    role: vault.my_role,
    state: vault.operational_state ?? null,
    tvl_usd: vault.tvl_usd ?? null,
    total_assets: vault.total_assets ?? null,
    asset: vault.underlying_asset_symbol ?? null,
    asset_decimals: vault.underlying_asset_decimals ?? null,
    apy_7d: vault.apy ?? null,
    price: vault.current_pps_display ?? null,
    priced_at: vault.last_oracle_update_timestamp ?? null,
    price_status: vault.pps_status ?? null,
    chain_time: vault.chain_time ?? null,
    largest_3_demand: ofRead(summary, ({ run }) => run.demand),
    largest_3_paid_now: ofRead(summary, ({ run }) => run.paid_now),
    largest_3_shortfall_24h: ofRead(summary, ({ run }) => run.shortfall),
    pending_redemptions: ofRead(summary, ({ redemptions }) => redemptions.pending),
    pending_redemption_assets: ofRead(summary, ({ redemptions }) => redemptions.pending_assets),
    oldest_redemption_seconds: ofRead(summary, ({ redemptions }) => redemptions.oldest_seconds),
    upkeep_balance: upkeep?.balance ?? null,
    upkeep_runway_seconds: upkeep?.runway_seconds ?? null,
    proposals: proposals.map(({ kind, effective_at }) => `${kind} ${effective_at ?? 'without a time'}`).join('; '),
    alerts_critical: ofRead(alerts, ({ critical }) => critical),
    alerts_warning: ofRead(alerts, ({ warning }) => warning),
    alerts_info: ofRead(alerts, ({ info }) => info),
    alerts_acknowledged: ofRead(alerts, ({ acknowledged }) => acknowledged ?? null),
    promise_broken: isPromiseBroken === null ? null : isPromiseBroken ? 'yes' : 'no',
    return_30d: ofRead(summary, ({ returns_30d }) => returns_30d.at(-1) ?? null),
    tvl_usd_change_24h: ofRead(summary, ({ day }) => day.tvl_change_usd),
    holders_change_24h: ofRead(summary, ({ day }) => day.holders),
    role_changes_24h: ofRead(summary, ({ day }) => day.role_changes),
    setting_changes_24h: ofRead(summary, ({ day }) => day.setting_changes),
    figures_as_of: ofRead(summary, ({ as_of }) => as_of),
    figures_block: ofRead(summary, ({ block_number }) => block_number),
  };
}

/** Hands the rows to the browser as a file. */
export function exportRows(rows: readonly DeskRow[], format: 'csv' | 'json') {
  const records = rows.map(recordOf);
  const [text, type] =
    format === 'csv'
      ? [csvOf(records), 'text/csv;charset=utf-8']
      : [JSON.stringify(records, null, 2), 'application/json'];
  download(`vaults.${format}`, new Blob([text], { type }));
}
