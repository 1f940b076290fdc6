import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  secret,
} from '@castellan/service-kit';
import { z } from 'zod';
import type { MailServer } from './alerts/delivery/mail.ts';

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

const domains = z.string().transform((text, context) => {
  const found = text.split(',').map((part) => part.trim().toLowerCase());
  if (found.every((domain) => z.hostname().safeParse(domain).success)) return found;
  context.addIssue({ code: 'custom', message: 'must be domains such as example.com, separated by commas' });
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
  /**
   * The mail server of channels of the kind email: smtps://user:password@host:465, or smtp://host:587, which asks for TLS unless it is on
   * the same machine. Without it no mail is sent.
   */
  SMTP_URL: secret(z.url({ protocol: /^smtps?$/ })).optional(),
  /** Sender of these mails, required with SMTP_URL: an address, or a name and an address as in Castellan <alerts@example.com>. */
  SMTP_FROM: z.string().min(3).max(200).optional(),
  /** Domains that alerts may be mailed to, separated by commas, required with SMTP_URL: managers of vaults name the addresses. */
  NOTIFICATIONS_EMAIL_DOMAINS: domains.optional(),
  /** How often alerts read what is in no log: validators, balances, the pause proof, services. */
  ALERT_SAMPLE_SECONDS: z.coerce.number().int().min(1).max(3_600).default(30),
});

export type UsersConfig = {
  base: BaseConfig;
  notifications: {
    key: Buffer;
    sealPlain: boolean;
    trustedOrigins: readonly string[];
    sampleSeconds: number;
    /** Undefined where no mail is sent. */
    mail?: { server: MailServer; domains: readonly string[] } | undefined;
  };
};

type MailEnvironment = Pick<z.output<typeof Environment>, 'SMTP_URL' | 'SMTP_FROM' | 'NOTIFICATIONS_EMAIL_DOMAINS'>;

/** @throws ConfigError when it is set in part. */
function mailOf({ SMTP_URL: url, SMTP_FROM: from, NOTIFICATIONS_EMAIL_DOMAINS: domains }: MailEnvironment) {
  if (url === undefined && from === undefined && domains === undefined) return undefined;
  if (url !== undefined && from !== undefined && domains !== undefined) return { server: { url, from }, domains };
  const given = { SMTP_URL: url, SMTP_FROM: from, NOTIFICATIONS_EMAIL_DOMAINS: domains };
  const missing = Object.entries(given).filter(([, value]) => value === undefined);
  throw new ConfigError(missing.map(([name]) => ({ name, message: 'is required where mail is sent' })));
}

export const loadConfig = configLoader(
  Environment,
  (env): UsersConfig => ({
    base: baseConfig(env, 'users'),
    notifications: {
      key: Buffer.from(env.NOTIFICATIONS_KEY, 'hex'),
      sealPlain: env.NOTIFICATIONS_SEAL_PLAIN,
      trustedOrigins: env.NOTIFICATIONS_TRUSTED_ORIGINS ?? [],
      sampleSeconds: env.ALERT_SAMPLE_SECONDS,
      mail: mailOf(env),
    },
  }),
);
