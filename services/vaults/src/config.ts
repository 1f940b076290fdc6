import { Address } from '@castellan/contracts';
import { type BaseConfig, baseConfig, baseEnvironment, configLoader } from '@castellan/service-kit';
import { z } from 'zod';
import type { ChainSources } from './chains/chain-directory.ts';
import { chainEnvironment, sourcesOf } from './chains/environment.ts';
import { isArchivePlace } from './log/adapters/archive-place.ts';

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9103),
  ...chainEnvironment,
  /** A vault without events is read again after this: chain time moves its figures. Below 15, the bound of the API. */
  SNAPSHOT_SECONDS: z.coerce.number().int().min(1).max(15).default(13),
  /** How old a wallet's signature may be for a prepare that could do harm; 0 switches this off. */
  STEP_UP_SECONDS: z.coerce.number().int().min(0).max(86_400).default(1_800),
  /**
   * Seconds that a prepared call may wait for its transaction; then it is prepared again, since what it was checked against has
   * changed.
   */
  PREPARED_SECONDS: z.coerce.number().int().min(60).max(604_800).default(1_800),
  /** How often the pause of each vault is simulated; the alert about it knows the default. */
  PAUSE_PROOF_SECONDS: z.coerce.number().int().min(5).max(86_400).default(3_600),
  /** Shows figures of every vault (value, APY, price) among the metrics, to all who reach the port of the metrics. */
  VAULT_METRICS: z.stringbool().default(false),
  /** Wallets with a key, no contracts, that may write the registry of hooks, separated by commas; nobody by default. */
  REGISTRY_MAINTAINERS: z
    .string()
    .transform((text) => text.split(',').map((item) => item.trim()))
    .pipe(z.array(Address))
    .optional(),
  /**
   * Where `castellan archive-log` puts older entries of the log: a folder that every instance reaches, or `s3://bucket/prefix` with
   * credentials, region and endpoint as the AWS SDK finds them (a role, AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL_S3).
   */
  LOG_ARCHIVE: z.string().refine(isArchivePlace, 'must be the path of a folder or s3://bucket/prefix').optional(),
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
  /** Figures of vaults are among the metrics. */
  vaultMetrics: boolean;
  /** Lower case. */
  registryMaintainers: ReadonlySet<string>;
  logArchive: string | null;
};

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
    vaultMetrics: env.VAULT_METRICS,
    registryMaintainers: new Set((env.REGISTRY_MAINTAINERS ?? []).map((wallet) => wallet.toLowerCase())),
    logArchive: env.LOG_ARCHIVE ?? null,
  }),
);
