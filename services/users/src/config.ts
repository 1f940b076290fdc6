import { type BaseConfig, baseConfig, baseEnvironment, configLoader, secret } from '@castellan/service-kit';
import { z } from 'zod';

const hosts = z
  .string()
  .regex(/^[\w.:[\]-]+(\s*,\s*[\w.:[\]-]+)*$/, 'must be hosts, or host:port, separated by commas')
  .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()));

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9105),
  /** Encrypts URLs and secrets of notification channels at rest: 32 bytes in hex. */
  NOTIFICATIONS_KEY: secret(z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')),
  /** Hosts of one's own network that channels may name, over http too; all others must be public and https. */
  NOTIFICATIONS_TRUSTED_HOSTS: hosts.optional(),
  /** How often alerts read what no log tells: validators, balances, the pause proof, services. */
  ALERT_SAMPLE_SECONDS: z.coerce.number().int().min(1).max(3_600).default(30),
});

export type UsersConfig = {
  base: BaseConfig;
  notifications: { key: Buffer; trustedHosts: readonly string[]; sampleSeconds: number };
};

export const loadConfig = configLoader(
  Environment,
  (env): UsersConfig => ({
    base: baseConfig(env, 'users'),
    notifications: {
      key: Buffer.from(env.NOTIFICATIONS_KEY, 'hex'),
      trustedHosts: env.NOTIFICATIONS_TRUSTED_HOSTS ?? [],
      sampleSeconds: env.ALERT_SAMPLE_SECONDS,
    },
  }),
);
