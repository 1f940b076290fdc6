import { readFileSync } from 'node:fs';
import { type ChainConfig, devnetChain, devnetSources, loadChains } from '@castellan/chain';
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

const thirtyDaysSeconds = 30 * 86_400;

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9102),
  /** The address by which people reach the gateway: the issuer of tokens, and what signing in names. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8080'),
  /**
   * Seals the keys that sign tokens, at rest. 32 random characters at least; docs/operations/backup.md says what is lost with
   * it.
   */
  AUTH_KEY_SECRET: secret(z.string().min(32, 'must be at least 32 random characters')),
  /** The former secret, while it is being replaced: what it sealed is sealed anew at the start. */
  AUTH_KEY_SECRET_PREVIOUS: secret(z.string().min(32, 'must be at least 32 random characters')).optional(),
  /** Whom tokens are for: their `aud`. The same for the gateway; another name for each deployment that shares an identity provider. */
  AUTH_AUDIENCE: z.string().min(1).default('castellan'),
  /** Seconds that a sign-in lasts, a working day by default; at most 30 days. A script gets a token of its own instead of a longer one. */
  SESSION_SECONDS: z.coerce
    .number()
    .int()
    .min(60)
    .max(thirtyDaysSeconds)
    .default(8 * 3600),
  /** How old the signature may be behind a token that makes other tokens; 0 asks for none. */
  STEP_UP_SECONDS: z.coerce.number().int().min(0).max(86_400).default(1800),
  /** Seconds for which a message to sign stays good; longer where signing takes long, as with a Safe whose owners sign in turn. */
  NONCE_SECONDS: z.coerce.number().int().min(30).max(900).default(300),
  /** Sessions that one wallet may have; another sign-in ends the oldest. A bound on what one wallet can store here. */
  SESSIONS_PER_WALLET: z.coerce.number().int().min(1).default(200),
  /** For one address and one network (IPv4 address or IPv6 /64); beyond it the last nonce is handed out again. */
  NONCES_PER_MINUTE: z.coerce.number().int().min(1).default(20),
  /** Signatures of one network that are not those of the wallet's key, and so are put to the chain. */
  SIGN_IN_ATTEMPTS_PER_MINUTE: z.coerce.number().int().min(1).default(30),
  /** P-256 keys of a key service, as SERVICE:NAME with commas between them: the first signs, all are published. Else it makes its own. */
  AUTH_KMS_KEYS: z
    .string()
    .transform((text) => text.split(',').flatMap((name) => name.trim() || []))
    .superRefine((names, context) => {
      for (const name of names) {
        const fault = keyNameFault(name, 'P-256');
        if (fault !== null) context.addIssue({ code: 'custom', message: `must name ${fault}` });
      }
      if (new Set(names).size < names.length) context.addIssue({ code: 'custom', message: 'names a key twice' });
    })
    .default([]),
  /** The file with the token of Vault, where one of these keys is its; read for each request, for an agent may renew it. */
  AUTH_VAULT_TOKEN_FILE: z.string().min(1).optional(),
  /** After which tokens are signed with a new key; the former one stays published until its tokens have ended. */
  KEY_ROTATION_DAYS: z.coerce.number().int().min(1).default(90),
  /** JSON list of chains or the path of a file with one: contract wallets are asked whether a signature is theirs. */
  CHAINS: secret(z.string()).optional(),
  /** `deployment.json` of each local chain, with commas between them. */
  DEVNET_DEPLOYMENT_FILE: z.string().optional(),
  /** The endpoint of each of these chains, in the same order. */
  DEVNET_RPC_URL: z.string().default('http://127.0.0.1:8545'),
});

export type AuthConfig = BaseConfig & {
  /** Origin of the deployment: issuer of the tokens, without a path. */
  issuer: string;
  audience: string;
  keySecret: string;
  keySecretPrevious: string | undefined;
  sessionSeconds: number;
  /** 0: no recent signature is asked for. */
  stepUpSeconds: number;
  nonceSeconds: number;
  sessionsPerWallet: number;
  noncesPerMinute: number;
  attemptsPerMinute: number;
  keyRotationSeconds: number;
  kmsKeys: readonly string[];
  vaultTokenFile: string | undefined;
  chains: readonly ChainConfig[];
};

function chainsOf(env: z.output<typeof Environment>): readonly ChainConfig[] {
  try {
    if (env.CHAINS) return loadChains(env.CHAINS);
    if (env.DEVNET_DEPLOYMENT_FILE) {
      return devnetSources(env.DEVNET_DEPLOYMENT_FILE, env.DEVNET_RPC_URL).map(({ deploymentFile, rpcUrl }) =>
        devnetChain(JSON.parse(readFileSync(deploymentFile, 'utf8')), { rpcUrls: [rpcUrl] }),
      );
    }
  } catch (error) {
    throw new ConfigError([
      { name: env.CHAINS ? 'CHAINS' : 'DEVNET_DEPLOYMENT_FILE', message: (error as Error).message },
    ]);
  }
  throw new ConfigError([{ name: 'CHAINS', message: 'is required (or DEVNET_DEPLOYMENT_FILE for the devnet)' }]);
}

function vaultTokenFileOf(env: z.output<typeof Environment>): string | undefined {
  const file = env.AUTH_VAULT_TOKEN_FILE;
  if (file === undefined && env.AUTH_KMS_KEYS.some((name) => name.startsWith('vault:')))
    throw new ConfigError([{ name: 'AUTH_VAULT_TOKEN_FILE', message: 'is required with a key of Vault' }]);
  return file;
}

export const loadConfig = configLoader(
  Environment,
  (env): AuthConfig => ({
    ...baseConfig(env, 'auth'),
    issuer: new URL(env.PUBLIC_URL).origin,
    audience: env.AUTH_AUDIENCE,
    keySecret: env.AUTH_KEY_SECRET,
    keySecretPrevious: env.AUTH_KEY_SECRET_PREVIOUS,
    sessionSeconds: env.SESSION_SECONDS,
    stepUpSeconds: env.STEP_UP_SECONDS,
    nonceSeconds: env.NONCE_SECONDS,
    sessionsPerWallet: env.SESSIONS_PER_WALLET,
    noncesPerMinute: env.NONCES_PER_MINUTE,
    attemptsPerMinute: env.SIGN_IN_ATTEMPTS_PER_MINUTE,
    keyRotationSeconds: env.KEY_ROTATION_DAYS * 86_400,
    kmsKeys: env.AUTH_KMS_KEYS,
    vaultTokenFile: vaultTokenFileOf(env),
    chains: chainsOf(env),
  }),
);
