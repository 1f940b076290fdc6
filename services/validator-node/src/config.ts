import { readFileSync } from 'node:fs';
import { type ChainConfig, devnetChain, loadChains } from '@castellan/chain';
import { baseConfig, baseEnvironment, configLoader, secret } from '@castellan/service-kit';
import { type Hex, toHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import { z } from 'zod';

const PrivateKey = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 0x followed by 64 hexadecimal digits');
const KeyList = z
  .string()
  .transform((text) => text.split(',').map((key) => key.trim()))
  .pipe(z.array(PrivateKey).min(1).max(31));

export const Environment = z.object({
  ...baseEnvironment,
  MONITORING_PORT: baseEnvironment.MONITORING_PORT.default(9190),
  METRICS_PORT: z.coerce.number().int().min(0).max(65_535).default(9190),
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).default(9290),
  CHAINS: secret(z.string()).optional(),
  DEVNET_DEPLOYMENT_FILE: z.string().optional(),
  DEVNET_RPC_URL: z.url().default('http://127.0.0.1:8545'),
  /** Private keys of the on-chain signers and of the transmitters, comma separated; on the devnet its public test keys. */
  VALIDATOR_SIGNER_KEYS: secret(KeyList).optional(),
  VALIDATOR_TRANSMITTER_KEYS: secret(KeyList).optional(),
  UPDATE_INTERVAL_SECONDS: z.coerce.number().int().min(5).max(86_400).default(180),
});

const devnetMnemonic = 'test test test test test test test test test test test junk';
const devnetKey = (index: number): Hex =>
  toHex(mnemonicToAccount(devnetMnemonic, { addressIndex: index }).getHdKey().privateKey as Uint8Array);

export const loadConfig = configLoader(Environment, (env) => {
  const onDevnet = env.DEVNET_DEPLOYMENT_FILE !== undefined;
  const chain: ChainConfig | undefined =
    env.DEVNET_DEPLOYMENT_FILE === undefined
      ? loadChains(env.CHAINS ?? '[]')[0]
      : devnetChain(JSON.parse(readFileSync(env.DEVNET_DEPLOYMENT_FILE, 'utf8')), { rpcUrls: [env.DEVNET_RPC_URL] });
  const signers = env.VALIDATOR_SIGNER_KEYS ?? (onDevnet ? [60, 61, 62, 63].map(devnetKey) : undefined);
  const transmitters = env.VALIDATOR_TRANSMITTER_KEYS ?? (onDevnet ? [5, 6, 7, 8].map(devnetKey) : undefined);
  if (!chain) throw new Error('No chain is configured: set CHAINS, or DEVNET_DEPLOYMENT_FILE for the local chain.');
  if (!signers || !transmitters)
    throw new Error('Set VALIDATOR_SIGNER_KEYS and VALIDATOR_TRANSMITTER_KEYS; only the local chain has test keys.');
  const base = baseConfig(env, 'validator-node');
  return {
    base: { ...base, monitoring: { ...base.monitoring, port: env.METRICS_PORT } },
    healthPort: env.HEALTH_PORT,
    chain,
    signers: signers as Hex[],
    transmitters: transmitters as Hex[],
    updateIntervalSeconds: env.UPDATE_INTERVAL_SECONDS,
  };
});
export type Config = ReturnType<typeof loadConfig>;
