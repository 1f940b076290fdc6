import { baseConfig, baseEnvironment, configLoader } from '@castellan/service-kit';
import { z } from 'zod';

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9104),
});

export const loadConfig = configLoader(Environment, (env) => ({ base: baseConfig(env, 'analytics') }));
