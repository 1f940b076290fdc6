import type { VaultDetail } from '@castellan/contracts';
import { Counter, Gauge, type Registry } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';

/** Metrics of the vaults' snapshots, of the instance that holds a chain's lease. */
export function vaultMetrics(registers: Registry[]) {
  const chain = ['chain_id'] as const;
  return {
    snapshotAge: new Gauge({
      name: 'vaults_snapshot_age_seconds',
      help: 'Age of the oldest vault snapshot when it was last replaced',
      labelNames: chain,
      registers,
    }),
    vaultReadFailures: new Counter({
      name: 'vaults_state_read_failures_total',
      help: 'Vaults whose state could not be read for a reason other than an unreachable node',
      labelNames: chain,
      registers,
    }),
    observeVault: observeVaultIn(registers),
  };
}
export type VaultMetrics = ReturnType<typeof vaultMetrics>;

/** What the alerts about a strategy's price need to know of its vault, as of the newest snapshot. */
function observeVaultIn(registers: Registry[]) {
  // As the validators label theirs, so that one can be joined with the other.
  const labelNames = ['chain_id', 'strategy'] as const;
  const paused = new Gauge({
    name: 'castellan_vault_paused',
    help: '1 while the strategy is paused',
    labelNames,
    registers,
  });
  const upkeepEmpty = new Gauge({
    name: 'castellan_vault_upkeep_empty',
    help: '1 while the upkeep does not pay for one price update',
    labelNames,
    registers,
  });
  const ppsExpiration = new Gauge({
    name: 'castellan_vault_pps_expiration_seconds',
    help: "Age at which the strategy's price expires",
    labelNames,
    registers,
  });
  return ({ chain_id, strategy_address, is_paused, upkeep_info, pps_config }: VaultDetail): void => {
    const labels = { chain_id: String(chain_id), strategy: getAddress(strategy_address) };
    paused.set(labels, is_paused ? 1 : 0);
    upkeepEmpty.set(labels, upkeep_info.threshold.shortfall === '0' ? 0 : 1);
    ppsExpiration.set(labels, pps_config.expiration_seconds);
  };
}
