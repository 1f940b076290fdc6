import {
  type BaseConfig,
  baseConfig,
  baseEnvironment,
  ConfigError,
  configLoader,
  secret,
} from '@castellan/service-kit';
import { keyNameFault } from '@castellan/signer';
import type { Hex } from 'viem';
import { parseGwei } from 'viem';
import { z } from 'zod';
import type { ChainSources } from '../chains/chain-directory.ts';
import { chainEnvironment, sourcesOf } from '../chains/environment.ts';
import type { KeySource } from './key.ts';
import type { KeeperSettings } from './ports.ts';

const gwei = z.string().regex(/^\d{1,6}(\.\d{1,9})?$/, 'must be a decimal number of gwei');

const keyName = z.string().superRefine((name, context) => {
  const fault = keyNameFault(name);
  if (fault !== null) context.addIssue({ code: 'custom', message: `must name ${fault}` });
});

/** What one chain has instead of what all have. A key in the clear is not among it: the others are files, or with a key service. */
const OwnOfChain = z.strictObject({
  chain_id: z.int().min(1),
  kms_key: keyName.optional(),
  keystore_file: z.string().min(1).optional(),
  unlock_file: z.string().min(1).optional(),
  max_fee_gwei: gwei.optional(),
});

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9107),
  ...chainEnvironment,
  /** The key that sends; its address must be a manager of each vault it is to work on. Or a keystore, or a key of a key service. */
  KEEPER_PRIVATE_KEY: secret(z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hexadecimal')).optional(),
  /** A Web3 secret storage file with the key, as the validators' keys are. */
  KEEPER_KEYSTORE_FILE: z.string().optional(),
  /** A file with the password of the keystore, readable by the keeper alone; required with KEEPER_KEYSTORE_FILE. */
  KEEPER_UNLOCK_FILE: z.string().optional(),
  /** A key that a key service holds, as SERVICE:NAME: docs/operations/keys.md. */
  KEEPER_KMS_KEY: keyName.optional(),
  /** Gwei per gas; never more is offered, the last ninth only to take a transaction back, and what is dearer waits. Higher where a redemption must not wait for a calm chain. */
  KEEPER_MAX_FEE_GWEI: gwei.default('100'),
  /** A key and a limit of its own for single chains, as a JSON list: chain_id, and kms_key or keystore_file with unlock_file, max_fee_gwei. */
  KEEPER_CHAINS: z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON list' });
        return z.NEVER;
      }
    })
    .pipe(z.array(OwnOfChain))
    .default([]),
  /** Blocks without being mined after which a transaction is offered more for. Fewer where blocks are slow. */
  KEEPER_BUMP_AFTER_BLOCKS: z.coerce.number().int().min(1).max(1_000).default(5),
  /** Whether redemptions are paid from idle assets, too, the oldest first. `false` leaves that to managers. */
  KEEPER_FULFIL_REDEMPTIONS: z.stringbool().default(true),
  /** Requests paid in one transaction at most. More save gas for each; too many reach KEEPER_MAX_GAS. */
  KEEPER_REDEMPTIONS_AT_ONCE: z.coerce.number().int().min(1).max(100).default(20),
  /** Gas of one transaction at most; a call that asks for more is not sent. Below the limit of a block, above your largest strategy. */
  KEEPER_MAX_GAS: z.coerce.number().int().min(21_000).max(100_000_000).default(5_000_000),
  /**
   * Transactions in an hour that pay redemptions of a vault or give requests back: a bound on what a stranger with many small
   * requests can spend of its gas.
   */
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
  /** For chains that have none of their own; undefined when each has one. */
  key: KeySource | undefined;
  keeper: KeeperSettings;
  ofChains: ReadonlyMap<number, OfChain>;
};

/** What a chain has of its own; `maxFee` in wei per gas. */
type OfChain = { key: KeySource | undefined; maxFee: bigint | undefined };

const fault = (name: string, message: string) => new ConfigError([{ name, message }]);

function keyOf(env: z.output<typeof Environment>): KeySource | undefined {
  const { KEEPER_PRIVATE_KEY: key, KEEPER_KEYSTORE_FILE: file, KEEPER_UNLOCK_FILE: unlockFile } = env;
  const { KEEPER_KMS_KEY: kmsKey } = env;
  const given = Object.entries({ KEEPER_PRIVATE_KEY: key, KEEPER_KEYSTORE_FILE: file, KEEPER_KMS_KEY: kmsKey });
  const [first, second] = given.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (first && second) throw fault(second, `or ${first}, not both`);
  if (key) return { privateKey: key as Hex };
  if (kmsKey) return { kmsKey };
  if (!file) return undefined;
  if (!unlockFile) throw fault('KEEPER_UNLOCK_FILE', 'is required with KEEPER_KEYSTORE_FILE');
  return { file, unlockFile };
}

function ofChainsOf({ KEEPER_CHAINS: list }: z.output<typeof Environment>): Map<number, OfChain> {
  const chains = new Map<number, OfChain>();
  for (const {
    chain_id: id,
    kms_key: kmsKey,
    keystore_file: file,
    unlock_file: unlockFile,
    max_fee_gwei: fee,
  } of list) {
    if (chains.has(id)) throw fault('KEEPER_CHAINS', `names the chain ${id} twice`);
    if (kmsKey && file) throw fault('KEEPER_CHAINS', `takes kms_key or keystore_file for the chain ${id}, not both`);
    if (!file !== !unlockFile)
      throw fault('KEEPER_CHAINS', `takes keystore_file and unlock_file together, for the chain ${id}`);
    const key = kmsKey ? { kmsKey } : file && unlockFile ? { file, unlockFile } : undefined;
    chains.set(id, { key, maxFee: fee === undefined ? undefined : parseGwei(fee) });
  }
  return chains;
}

/** A local chain is known when its file is read: with one of these the key of all is required. */
function requireKeys({
  key,
  ofChains,
  sources: { chains, devnets },
}: Pick<KeeperConfig, 'key' | 'ofChains' | 'sources'>) {
  const without = chains.filter(({ chainId }) => !ofChains.get(chainId)?.key).map(({ chainId }) => chainId);
  if (key || (without.length === 0 && devnets.length === 0)) return;
  const which = without.length > 0 ? `for the chain ${without.join(', ')} ` : '';
  throw fault(
    'KEEPER_PRIVATE_KEY',
    `is required ${which}(or KEEPER_KEYSTORE_FILE and KEEPER_UNLOCK_FILE, KEEPER_KMS_KEY, a key in KEEPER_CHAINS)`,
  );
}

/** The settings of a chain: those of all, with what it has of its own. */
export const settingsOn = ({ keeper, ofChains }: Pick<KeeperConfig, 'keeper' | 'ofChains'>, chainId: number) => ({
  ...keeper,
  maxFee: ofChains.get(chainId)?.maxFee ?? keeper.maxFee,
});

/** The keeper reads and writes the database of the vaults service: it is the part of it that holds a key. */
export const loadConfig = configLoader(Environment, (env): KeeperConfig => {
  const keys = { sources: sourcesOf(env), key: keyOf(env), ofChains: ofChainsOf(env) };
  requireKeys(keys);
  return {
    ...keys,
    ...baseConfig({ MONGODB_DATABASE: undefined, OTEL_EXPORTER_OTLP_ENDPOINT: undefined, ...env }, 'vaults'),
    rpcTimeoutMs: env.RPC_TIMEOUT_MS,
    rpcBatchSize: env.RPC_BATCH_SIZE,
    priceMaxAgeSeconds: env.PRICE_MAX_AGE_SECONDS,
    keeper: {
      maxFee: parseGwei(env.KEEPER_MAX_FEE_GWEI),
      bumpAfterBlocks: env.KEEPER_BUMP_AFTER_BLOCKS,
      fulfilsRedemptions: env.KEEPER_FULFIL_REDEMPTIONS,
      redemptionsAtOnce: env.KEEPER_REDEMPTIONS_AT_ONCE,
      maxGas: BigInt(env.KEEPER_MAX_GAS),
      transactionsPerHour: env.KEEPER_TRANSACTIONS_PER_HOUR,
      vaults: new Set(env.KEEPER_VAULTS),
    },
  };
});
