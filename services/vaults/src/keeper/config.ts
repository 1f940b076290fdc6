import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  secret,
} from '@castellan/service-kit';
import type { Hex } from 'viem';
import { parseGwei } from 'viem';
import { z } from 'zod';
import type { ChainSources } from '../chains/chain-directory.ts';
import { chainEnvironment, sourcesOf } from '../chains/environment.ts';
import type { KeySource } from './key.ts';
import type { KeeperSettings } from './ports.ts';

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9107),
  ...chainEnvironment,
  /** The key that sends, for every chain; its address must be a manager of each vault it is to work on. Or a keystore. */
  KEEPER_PRIVATE_KEY: secret(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hexadecimal')).optional(),
  /** A Web3 secret storage file with the key, as the validators' keys are. */
  KEEPER_KEYSTORE_FILE: z.string().optional(),
  /** A file with the password of the keystore. */
  KEEPER_UNLOCK_FILE: z.string().optional(),
  /** Gwei per gas; never more is offered, and what is dearer waits. */
  KEEPER_MAX_FEE_GWEI: z
    .string()
    .regex(/^\d{1,6}(\.\d{1,9})?$/, 'must be a decimal number of gwei')
    .default('100'),
  /** Blocks without being mined after which a transaction is offered more for. */
  KEEPER_BUMP_AFTER_BLOCKS: z.coerce.number().int().min(1).max(1_000).default(5),
  /** Whether redemptions are paid from idle assets, too. */
  KEEPER_FULFIL_REDEMPTIONS: z.stringbool().default(true),
  /** Requests paid in one transaction at most. */
  KEEPER_REDEMPTIONS_AT_ONCE: z.coerce.number().int().min(1).max(100).default(20),
  /** Gas of one transaction at most; a call that asks for more is not sent. */
  KEEPER_MAX_GAS: z.coerce.number().int().min(21_000).max(100_000_000).default(5_000_000),
  /** Transactions in an hour that pay redemptions of a vault or give requests back. */
  KEEPER_TRANSACTIONS_PER_HOUR: z.coerce.number().int().min(1).max(10_000).default(120),
  /** Vaults that are served, as chain_id:address separated by commas; all that the key manages by default. */
  KEEPER_VAULTS: z
    .string()
    .transform((text) => text.split(',').flatMap((item) => item.trim().toLowerCase() || []))
    .pipe(z.array(z.string().regex(/^[1-9]\d{0,15}:0x[0-9a-f]{40}$/, 'must be chain_id:address, separated by commas')))
    .default([]),
});

export type KeeperConfig = BaseConfig & {
  sources: ChainSources;
  rpcTimeoutMs: number;
  rpcBatchSize: number;
  priceMaxAgeSeconds: number;
  key: KeySource;
  keeper: KeeperSettings;
};

function keyOf(env: z.output<typeof Environment>): KeySource {
  const { KEEPER_PRIVATE_KEY: key, KEEPER_KEYSTORE_FILE: file, KEEPER_UNLOCK_FILE: unlockFile } = env;
  const fault = (name: string, message: string) => new ConfigError([{ name, message }]);
  if (key && file) throw fault('KEEPER_KEYSTORE_FILE', 'or KEEPER_PRIVATE_KEY, not both');
  if (key) return { privateKey: key as Hex };
  if (!file) throw fault('KEEPER_PRIVATE_KEY', 'is required (or KEEPER_KEYSTORE_FILE and KEEPER_UNLOCK_FILE)');
  if (!unlockFile) throw fault('KEEPER_UNLOCK_FILE', 'is required with KEEPER_KEYSTORE_FILE');
  return { file, unlockFile };
}

/** The keeper reads and writes the database of the vaults service: it is the part of it that holds a key. */
export const loadConfig = configLoader(
  Environment,
  (env): KeeperConfig => ({
    ...baseConfig({ MONGODB_DATABASE: undefined, OTEL_EXPORTER_OTLP_ENDPOINT: undefined, ...env }, 'vaults'),
    sources: sourcesOf(env),
    rpcTimeoutMs: env.RPC_TIMEOUT_MS,
    rpcBatchSize: env.RPC_BATCH_SIZE,
    priceMaxAgeSeconds: env.PRICE_MAX_AGE_SECONDS,
    key: keyOf(env),
    keeper: {
      maxFee: parseGwei(env.KEEPER_MAX_FEE_GWEI),
      bumpAfterBlocks: env.KEEPER_BUMP_AFTER_BLOCKS,
      fulfilsRedemptions: env.KEEPER_FULFIL_REDEMPTIONS,
      redemptionsAtOnce: env.KEEPER_REDEMPTIONS_AT_ONCE,
      maxGas: BigInt(env.KEEPER_MAX_GAS),
      transactionsPerHour: env.KEEPER_TRANSACTIONS_PER_HOUR,
      vaults: new Set(env.KEEPER_VAULTS),
    },
  }),
);
