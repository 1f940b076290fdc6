import { baseConfig, baseEnvironment, configLoader } from '@castellan/service-kit';
import { z } from 'zod';
import { loadBenchmarks } from './adapters/benchmarks.ts';

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9104),
  /** Memory for the histories of vaults, of all chains together, in MB; the longest unused is dropped first. */
  HISTORIES_MEMORY_MB: z.coerce.number().int().min(10).max(1_000_000).default(1_000),
  /**
   * Benchmarks of the operator's own, a JSON list or the path of a file with one: by `chain_id` and `asset`, with a `name`, either a
   * `file` (CSV or JSON) and its `measure`, or a `yield_source` and a `version`. They go before those that feeds answer.
   */
  BENCHMARKS: z.string().min(1).optional(),
});

export const loadConfig = configLoader(Environment, (env) => ({
  base: baseConfig(env, 'analytics'),
  historiesBytes: env.HISTORIES_MEMORY_MB * 1_000_000,
  benchmarks: loadBenchmarks(env.BENCHMARKS),
}));
