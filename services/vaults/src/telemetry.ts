import type { RpcObservation } from '@castellan/chain';
import { Counter, Gauge, Histogram, type Registry, secondsBuckets } from '@castellan/service-kit';

/** Metrics of this service. Lags are of the instance that holds a chain's lease. */
export function vaultsMetrics(registry: Registry) {
  const registers = [registry];
  const chain = ['chain_id'] as const;
  const rpc = new Histogram({
    name: 'rpc_request_duration_seconds',
    help: 'Time of a JSON-RPC request including retries; a revert counts as ok',
    labelNames: ['chain_id', 'method', 'outcome'],
    buckets: secondsBuckets,
    registers,
  });
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
    observeRpc: ({ chainId, method, ms, ok }: RpcObservation): void =>
      rpc.observe({ chain_id: String(chainId), method, outcome: ok ? 'ok' : 'unavailable' }, ms / 1000),
  };
}

export type VaultsMetrics = ReturnType<typeof vaultsMetrics>;
