import type { VaultDetail } from '@castellan/contracts';
import { Counter, Gauge, type Registry } from '@castellan/service-kit';
import { getAddress } from 'viem/utils';
import { logCheckMetrics, rpcMetrics } from './chains/telemetry.ts';

/** Metrics of this service. Lags are of the instance that holds a chain's lease. */
export function vaultsMetrics(registry: Registry) {
  const registers = [registry];
  const chain = ['chain_id'] as const;
  return {
    lagBlocks: new Gauge({
      name: 'vaults_indexer_lag_blocks',
      help: 'Blocks between the chain head and the last indexed block',
      labelNames: chain,
      registers,
    }),
    lagSeconds: new Gauge({
      name: 'vaults_indexer_lag_seconds',
      help: 'Chain seconds between the head and the last indexed block',
      labelNames: chain,
      registers,
    }),
    entries: new Counter({
      name: 'vaults_log_entries_total',
      help: 'Entries appended to the canonical log',
      labelNames: ['chain_id', 'kind'],
      registers,
    }),
    reorgs: new Counter({
      name: 'vaults_reorgs_total',
      help: 'Rollbacks appended to the canonical log',
      labelNames: chain,
      registers,
    }),
    failures: new Counter({
      name: 'vaults_indexer_failures_total',
      help: 'Steps of the indexer that failed and were tried again',
      labelNames: ['chain_id', 'code'],
      registers,
    }),
    holdsLease: new Gauge({
      name: 'vaults_indexer_holds_lease',
      help: '1 while this instance indexes the chain',
      labelNames: chain,
      registers,
    }),
    unpublished: new Gauge({
      name: 'vaults_log_unpublished_entries',
      help: 'Entries of the log that the bus does not have yet',
      labelNames: chain,
      registers,
    }),
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
    distrusted: new Counter({
      name: 'vaults_distrusted_documents_total',
      help: 'Stored documents that were not taken, because they are malformed or this service did not write them, by collection',
      labelNames: ['collection'],
      registers,
    }),
    observeVault: observeVaultIn(registers),
    pauseProofs: pauseProofsIn(registers),
    finalChecks: new Counter({
      name: 'vaults_final_checks_total',
      help: 'Final blocks asked for once more, by what another endpoint said: same, more, failed',
      labelNames: ['chain_id', 'result'],
      registers,
    }),
    observeLogCheck: logCheckMetrics(registers),
    ...rpcMetrics(registers),
  };
}

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

/** The panic buttons of the chains whose lease this instance holds; others tell of theirs. */
function pauseProofsIn(registers: Registry[]) {
  const labelNames = ['chain_id', 'vault'] as const;
  const known = new Map<string, { chainId: number; labels: { chain_id: string; vault: string }; checkedAt: number }>();
  const ok = new Gauge({
    name: 'vaults_pause_proof_ok',
    help: '1 when a manager could pause the vault (release it, while it is paused) at the newest trial',
    labelNames,
    registers,
  });
  const age = new Gauge({
    name: 'vaults_pause_proof_age_seconds',
    help: 'Time since the pause was last tried',
    labelNames,
    registers,
    // When it is asked for, because a loop that stands still would not make it grow.
    collect() {
      for (const { labels, checkedAt } of known.values())
        this.set(labels, Math.max(0, (Date.now() - checkedAt) / 1000));
    },
  });
  return {
    observe(proof: { chain_id: number; vault_address: string; ok: boolean; checked_at: string }): void {
      const labels = { chain_id: String(proof.chain_id), vault: getAddress(proof.vault_address) };
      known.set(`${labels.chain_id}:${labels.vault}`, {
        chainId: proof.chain_id,
        labels,
        checkedAt: Date.parse(proof.checked_at),
      });
      ok.set(labels, proof.ok ? 1 : 0);
    },
    /** The chain is another instance's now. */
    forget(chainId: number): void {
      for (const [key, item] of known) {
        if (item.chainId !== chainId) continue;
        known.delete(key);
        ok.remove(item.labels);
        age.remove(item.labels);
      }
    },
  };
}

export type VaultsMetrics = ReturnType<typeof vaultsMetrics>;
