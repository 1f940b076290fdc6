import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  secret,
} from '@castellan/service-kit';
import { keyNameFault } from '@castellan/signer';
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

/** P-256 keys of a key service, `SERVICE:NAME` with commas between them. */
const keyNames = z
  .string()
  .transform((text) => text.split(',').flatMap((name) => name.trim() || []))
  .superRefine((names, context) => {
    for (const name of names) {
      const fault = keyNameFault(name, 'P-256');
      if (fault !== null) context.addIssue({ code: 'custom', message: `must name ${fault}` });
    }
    if (new Set(names).size < names.length) context.addIssue({ code: 'custom', message: 'names a key twice' });
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
  /**
   * P-256 keys of a key service for attestations of mandates, as SERVICE:NAME with commas between them: the first signs, all are published, so the
   * former ones stay. Else the service makes its own, sealed with a key that is derived from NOTIFICATIONS_KEY.
   */
  ATTESTATION_KMS_KEYS: keyNames.default([]),
  /** The file with the token of Vault, where one of these keys is its; read for each request, for an agent may renew it. */
  ATTESTATION_VAULT_TOKEN_FILE: z.string().min(1).optional(),
  /** After which attestations are signed with a new key of the service's own; the former ones stay published. */
  ATTESTATION_KEY_ROTATION_DAYS: z.coerce.number().int().min(1).default(365),
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
  attestations: {
    /** Empty: the service has a key of its own. */
    kmsKeys: readonly string[];
    vaultTokenFile: string | undefined;
    keyRotationSeconds: number;
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

function vaultTokenFileOf(env: z.output<typeof Environment>): string | undefined {
  const file = env.ATTESTATION_VAULT_TOKEN_FILE;
  if (file === undefined && env.ATTESTATION_KMS_KEYS.some((name) => name.startsWith('vault:')))
    throw new ConfigError([{ name: 'ATTESTATION_VAULT_TOKEN_FILE', message: 'is required with a key of Vault' }]);
  return file;
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
    attestations: {
      kmsKeys: env.ATTESTATION_KMS_KEYS,
      vaultTokenFile: vaultTokenFileOf(env),
      keyRotationSeconds: env.ATTESTATION_KEY_ROTATION_DAYS * 86_400,
    },
  }),
);
