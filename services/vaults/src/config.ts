import { type ChainConfig, loadChains } from '@castellan/chain';
import { Address } from '@castellan/contracts';
import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  secret,
} from '@castellan/service-kit';
import { z } from 'zod';
import type { ChainSources } from './chains/chain-directory.ts';

/** Which chains there are: the same for both processes of this service. */
export const chainEnvironment = {
  /** JSON list of chains or the path of a file with one; RPC URLs carry provider keys. */
  CHAINS: secret(z.string()).optional(),
  DEVNET_DEPLOYMENT_FILE: z.string().optional(),
  DEVNET_RPC_URL: z.url().default('http://127.0.0.1:8545'),
  /** For one attempt at one RPC, and the longest that a request waits for a provider that limits its calls. */
  RPC_TIMEOUT_MS: z.coerce.number().int().min(100).max(60_000).default(10_000),
  /** Calls in one HTTP request to an RPC; fewer are sent to one that refuses so many. 1 sends each alone. */
  RPC_BATCH_SIZE: z.coerce.number().int().min(1).max(1_000).default(100),
  /** How long a price feed may be silent before strategies see no price; feeds speak once a day at least. */
  PRICE_MAX_AGE_SECONDS: z.coerce.number().int().min(60).max(2_592_000).default(90_000),
} as const;

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9103),
  ...chainEnvironment,
  /** A vault without events is read again after this: chain time moves its figures. Below 15, the bound of the API. */
  SNAPSHOT_SECONDS: z.coerce.number().int().min(1).max(15).default(13),
  /** How old a wallet's signature may be for a prepare that could do harm; 0 switches this off. */
  STEP_UP_SECONDS: z.coerce.number().int().min(0).max(86_400).default(1_800),
  /** How long a prepared call may wait for its transaction. */
  PREPARED_SECONDS: z.coerce.number().int().min(60).max(604_800).default(1_800),
  /** How often the pause of each vault is simulated; the alert about it knows the default. */
  PAUSE_PROOF_SECONDS: z.coerce.number().int().min(5).max(86_400).default(3_600),
  /** Wallets that may write the registry of hooks, separated by commas; nobody by default. */
  REGISTRY_MAINTAINERS: z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .pipe(z.array(Address))
    .optional(),
});

export type VaultsConfig = BaseConfig & {
  sources: ChainSources;
  rpcTimeoutMs: number;
  rpcBatchSize: number;
  priceMaxAgeSeconds: number;
  snapshotMs: number;
  stepUpSeconds: number;
  preparedSeconds: number;
  pauseProofSeconds: number;
  /** Lower case. */
  registryMaintainers: ReadonlySet<string>;
};

type ChainEnvironment = Pick<z.output<typeof Environment>, 'CHAINS' | 'DEVNET_DEPLOYMENT_FILE' | 'DEVNET_RPC_URL'>;

/** @throws ConfigError */
export function sourcesOf(env: ChainEnvironment): ChainSources {
  if (!env.CHAINS && !env.DEVNET_DEPLOYMENT_FILE)
    throw new ConfigError([{ name: 'CHAINS', message: 'is required (or DEVNET_DEPLOYMENT_FILE for the devnet)' }]);
  let chains: readonly ChainConfig[] = [];
  try {
    if (env.CHAINS) chains = loadChains(env.CHAINS);
  } catch (error) {
    throw new ConfigError([{ name: 'CHAINS', message: (error as Error).message }]);
  }
  const devnet = env.DEVNET_DEPLOYMENT_FILE
    ? { deploymentFile: env.DEVNET_DEPLOYMENT_FILE, rpcUrl: env.DEVNET_RPC_URL }
    : undefined;
  return { chains, devnet };
}

export const loadConfig = configLoader(
  Environment,
  (env): VaultsConfig => ({
    ...baseConfig({ MONGODB_DATABASE: undefined, OTEL_EXPORTER_OTLP_ENDPOINT: undefined, ...env }, 'vaults'),
    sources: sourcesOf(env),
    rpcTimeoutMs: env.RPC_TIMEOUT_MS,
    rpcBatchSize: env.RPC_BATCH_SIZE,
    priceMaxAgeSeconds: env.PRICE_MAX_AGE_SECONDS,
    snapshotMs: env.SNAPSHOT_SECONDS * 1000,
    stepUpSeconds: env.STEP_UP_SECONDS,
    preparedSeconds: env.PREPARED_SECONDS,
    pauseProofSeconds: env.PAUSE_PROOF_SECONDS,
    registryMaintainers: new Set((env.REGISTRY_MAINTAINERS ?? []).map((wallet) => wallet.toLowerCase())),
  }),
);
