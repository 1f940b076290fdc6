import { Counter, Gauge, Histogram, type Registry, secondsBuckets } from '@castellan/service-kit';

/** Metrics of the service; names end in their unit. */
export const analyticsMetrics = (registry: Registry) => ({
  entries: new Counter({
    name: 'analytics_projected_entries_total',
    help: 'Entries of the log that were projected',
    labelNames: ['chain_id'],
    registers: [registry],
  }),
  behind: new Gauge({
    name: 'analytics_projection_behind_entries',
    help: 'Entries of the log that are not projected yet',
    labelNames: ['chain_id'],
    registers: [registry],
  }),
  failures: new Counter({
    name: 'analytics_projection_failures_total',
    help: 'Pages that could not be read or written and are tried again',
    labelNames: ['chain_id'],
    registers: [registry],
  }),
  loads: new Histogram({
    name: 'analytics_history_load_duration_seconds',
    help: 'Time to bring the history of one vault up to date in memory',
    labelNames: ['kind'],
    buckets: secondsBuckets,
    registers: [registry],
  }),
  histories: new Gauge({
    name: 'analytics_histories',
    help: 'Histories of vaults held in memory',
    registers: [registry],
  }),
  memory: new Gauge({
    name: 'analytics_histories_bytes',
    help: 'Memory that the histories held take, by the number of their facts; HISTORIES_MEMORY_MB bounds it',
    registers: [registry],
  }),
  evictions: new Counter({
    name: 'analytics_history_evictions_total',
    help: 'Histories dropped for others that were asked for later; the next read of such a vault folds it again',
    registers: [registry],
  }),
});

export type AnalyticsMetrics = ReturnType<typeof analyticsMetrics>;
