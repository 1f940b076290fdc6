import type { LogCheck } from '@castellan/chain';
import { Counter, Gauge, type Registry } from '@castellan/service-kit';

/** Metrics of the indexer and its log. Lags are of the instance that holds a chain's lease. */
export function logMetrics(registers: Registry[]) {
  const chain = ['chain_id'] as const;
  const finalChecks = new Counter({
    name: 'vaults_final_checks_total',
    help: 'Final blocks asked for once more, by what another endpoint said: same, more, failed',
    labelNames: ['chain_id', 'result'],
    registers,
  });
  const observeLogCheck = logCheckMetrics(registers);
  return {
    /** Counters of a chain begin at 0, for an increase is only seen of what was there before. */
    beginChain(chainId: number): void {
      for (const result of ['same', 'more', 'failed']) finalChecks.inc({ chain_id: String(chainId), result }, 0);
      observeLogCheck(chainId, { blocks: 0, confirmed: 0, recovered: 0, witnessed: null });
    },
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
    finalChecks,
    observeLogCheck,
  };
}
export type LogMetrics = ReturnType<typeof logMetrics>;

/** What is counted before the first check says nothing of the chain's bloom filters. */
type Counted = Omit<LogCheck, 'blooms'> & Partial<Pick<LogCheck, 'blooms'>>;

/** How the indexer makes sure that no log is missing. The share of confirming reads is one counter over the other. */
function logCheckMetrics(registers: Registry[]) {
  const labelNames = ['chain_id'] as const;
  const blocks = new Counter({
    name: 'vaults_log_blocks_checked_total',
    help: 'Blocks whose bloom filter was held against the logs that came',
    labelNames,
    registers,
  });
  const confirmed = new Counter({
    name: 'vaults_log_confirming_reads_total',
    help: 'Checked blocks that were asked for once more, because nothing came and the filter speaks of our contracts',
    labelNames,
    registers,
  });
  const recovered = new Counter({
    name: 'vaults_logs_recovered_total',
    help: 'Logs that a node left out of its first answer',
    labelNames,
    registers,
  });
  const witnessed = new Counter({
    name: 'vaults_log_ranges_witnessed_total',
    help: 'Ranges that another endpoint was asked for too, by what it said: same, more, failed',
    labelNames: ['chain_id', 'result'],
    registers,
  });
  const blooms = new Gauge({
    name: 'vaults_log_bloom_check',
    help: '1 while bloom filters are checked, 0 for a chain that leaves them empty',
    labelNames,
    registers,
  });
  return (chainId: number, check: Counted): void => {
    const chain_id = String(chainId);
    blocks.inc({ chain_id }, check.blocks);
    confirmed.inc({ chain_id }, check.confirmed);
    recovered.inc({ chain_id }, check.recovered);
    if (check.witnessed !== null) witnessed.inc({ chain_id, result: check.witnessed });
    if (check.blooms !== undefined) blooms.set({ chain_id }, check.blooms === 'used' ? 1 : 0);
  };
}
