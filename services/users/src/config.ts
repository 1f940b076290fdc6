import { type BaseConfig, baseConfig, baseEnvironment, configLoader, secret } from '@castellan/service-kit';
import { z } from 'zod';

const originOf = (text: string): string | undefined => {
  const url = URL.parse(text);
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
  return isOrigin ? url.origin : undefined;
};
const origins = z.string().transform((text, context) => {
  const found = text.split(',').map((part) => originOf(part.trim()));
  if (!found.includes(undefined)) return found as string[];
  context.addIssue({ code: 'custom', message: 'must be origins such as http://10.0.0.7:8090, separated by commas' });
  return z.NEVER;
});

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9105),
  /** Encrypts URLs and secrets of notification channels at rest: 32 bytes in hex. */
  NOTIFICATIONS_KEY: secret(z.string().regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')),
  /** For one start after an upgrade: seals channels that were kept in plain text before a key was required. */
  NOTIFICATIONS_SEAL_PLAIN: z.stringbool().default(false),
  /** Origins of one's own network that channels may name, over http too; all others must be public and https. */
  NOTIFICATIONS_TRUSTED_ORIGINS: origins.optional(),
  /** How often alerts read what is in no log: validators, balances, the pause proof, services. */
  ALERT_SAMPLE_SECONDS: z.coerce.number().int().min(1).max(3_600).default(30),
});

export type UsersConfig = {
  base: BaseConfig;
  notifications: { key: Buffer; sealPlain: boolean; trustedOrigins: readonly string[]; sampleSeconds: number };
};

export const loadConfig = configLoader(
  Environment,
  (env): UsersConfig => ({
    base: baseConfig(env, 'users'),
    notifications: {
      key: Buffer.from(env.NOTIFICATIONS_KEY, 'hex'),
      sealPlain: env.NOTIFICATIONS_SEAL_PLAIN,
      trustedOrigins: env.NOTIFICATIONS_TRUSTED_ORIGINS ?? [],
      sampleSeconds: env.ALERT_SAMPLE_SECONDS,
    },
  }),
);
