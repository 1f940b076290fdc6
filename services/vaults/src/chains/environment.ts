import { type ChainConfig, type DevnetSource, devnetSources, loadChains } from '@castellan/chain';
import { ConfigError, secret } from '@castellan/service-kit';
import { z } from 'zod';
import type { ChainSources } from './chain-directory.ts';

/** Which chains there are: the same for both processes of this service. */
export const chainEnvironment = {
  /** JSON list of chains or the path of a file with one; RPC URLs carry provider keys. */
  CHAINS: secret(z.string()).optional(),
  /** The path of `deployment.json` of each local chain, with commas between them. `npm start` sets it; real chains are in CHAINS. */
  DEVNET_DEPLOYMENT_FILE: z.string().optional(),
  /** The endpoint of each of these chains, in the same order, with commas between them. `npm start` sets it; real chains are in CHAINS. */
  DEVNET_RPC_URL: z.string().default('http://127.0.0.1:8545'),
  /** For one attempt at one RPC, and the longest that a request waits for a provider that limits its calls. */
  RPC_TIMEOUT_MS: z.coerce.number().int().min(100).max(60_000).default(10_000),
  /** Calls in one HTTP request to an RPC; fewer are sent to one that refuses so many. 1 sends each alone. */
  RPC_BATCH_SIZE: z.coerce.number().int().min(1).max(1_000).default(100),
  /** How long a price feed may be silent before strategies see no price; feeds speak once a day at least. */
  PRICE_MAX_AGE_SECONDS: z.coerce.number().int().min(60).max(2_592_000).default(90_000),
} as const;

type ChainEnvironment = Pick<
  z.output<z.ZodObject<typeof chainEnvironment>>,
  'CHAINS' | 'DEVNET_DEPLOYMENT_FILE' | 'DEVNET_RPC_URL'
>;

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
  let devnets: readonly DevnetSource[] = [];
  try {
    if (env.DEVNET_DEPLOYMENT_FILE) devnets = devnetSources(env.DEVNET_DEPLOYMENT_FILE, env.DEVNET_RPC_URL);
  } catch (error) {
    throw new ConfigError([{ name: 'DEVNET_RPC_URL', message: (error as Error).message }]);
  }
  return { chains, devnets };
}
