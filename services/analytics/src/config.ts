import { baseConfig, baseEnvironment, configLoader } from '@castellan/service-kit';
import { z } from 'zod';

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9104),
  /** Memory for the histories of vaults, of all chains together, in MB; the longest unused is dropped first. */
  HISTORIES_MEMORY_MB: z.coerce.number().int().min(10).max(1_000_000).default(1_000),
});

export const loadConfig = configLoader(Environment, (env) => ({
  base: baseConfig(env, 'analytics'),
  historiesBytes: env.HISTORIES_MEMORY_MB * 1_000_000,
}));
