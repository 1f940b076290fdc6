import { readFileSync } from 'node:fs';
import { ChainId, Address as WireAddress } from '@castellan/contracts';
import type { Address } from 'viem';
import { z } from 'zod';
import { deployments } from './deployments.ts';

const Account = WireAddress.transform((value) => value as Address);
const byAddress = <T extends z.ZodType>(value: T) =>
  z.record(z.string(), value).transform((entries, context) => {
    const lowered: Record<string, z.output<T>> = {};
    for (const [key, item] of Object.entries(entries)) {
      if (!WireAddress.safeParse(key).success)
        context.addIssue({ code: 'custom', message: `${key} is not an address` });
      lowered[key.toLowerCase()] = item;
    }
    return lowered;
  });

/** A series that vaults of an asset are measured by, as it is written on chain. */
const Benchmark = z.strictObject({
  name: z.string().min(1).max(60),
  /** Another version begins another series: what was answered of the former one stays. */
  version: z.string().min(1).max(40),
  /** Where it is read: AnswerUpdated of a feed (AggregatorV3). */
  feed: Account,
  /** `yearly_rate`: its answers are rates of a year; `level`: of an index, of which only the change counts. */
  measure: z.enum(['yearly_rate', 'level']),
});

/** What holders of a yield source can claim beside its yield. */
const Reward = z.strictObject({
  source: Account,
  /** Says what an account can claim by `claimable(address)`, and pays it by `claim(address)`. */
  distributor: Account,
  /** What it pays: another token than the asset. */
  token: Account,
  /** Where the token becomes the asset: says what comes out by `quote(address,uint256)`. */
  pool: Account.optional(),
});

const Contracts = {
  governor: Account,
  /** Read from the governor when absent. */
  aggregator: Account.optional(),
  pps_oracle: Account.optional(),
  start_block: z.int().nonnegative(),
  /** What a transaction costs for being published on another chain: the GasPriceOracle of an OP-stack chain. */
  l1_fee_oracle: Account.optional(),
  /** Asset to its USD feed (AggregatorV3); the zero address stands for the native coin. */
  price_feeds: byAddress(Account).default({}),
  /** Asset to the benchmark of its vaults. */
  benchmarks: byAddress(Benchmark).default({}),
  /** Names of yield sources and hooks that have none on chain. */
  source_names: byAddress(z.string()).default({}),
  /** Rewards of yield sources, which strategies can claim and swap. */
  rewards: z.array(Reward).default([]),
  /**
   * Hooks that the registry begins with: of the protocol's own layouts, ApproveAndDeposit4626 and Redeem4626, and of the
   * devnet's for rewards.
   */
  hooks: z
    .strictObject({
      deposit: Account.optional(),
      redeem: Account.optional(),
      claim: Account.optional(),
      swap: Account.optional(),
    })
    .default({}),
};

/** One chain of `CHAINS` as it is written: snake_case JSON. RPC URLs may carry a provider key: never log them. */
export const ChainEntry = z.strictObject({
  ...Contracts,
  chain_id: ChainId,
  slug: z.string().regex(/^[a-z0-9-]+$/),
  name: z.string().min(1),
  rpc_urls: z.array(z.url({ protocol: /^https?$/ })).min(1),
  explorer_url: z.url().nullable().default(null),
  native_symbol: z.string().default('ETH'),
  block_time_seconds: z.number().positive(),
  /** Blocks after which a block counts as final. */
  confirmations: z.int().nonnegative(),
  /** How often state that is not in logs is observed. */
  observation_cadence_seconds: z.int().positive(),
  /** Only these vaults are served when given: vault creation is permissionless. */
  vaults: z.array(Account).optional(),
});

/** What an asset's vaults are measured by. */
export type BenchmarkFeed = z.infer<typeof Benchmark>;
/** What holders of a yield source can claim, from whom, and where it becomes the asset. */
export type Reward = z.infer<typeof Reward>;

/** One chain as the code uses it. Keys of `priceFeeds`, `benchmarks` and `sourceNames`, and `vaults`, are lower case. */
export type ChainConfig = {
  chainId: number;
  slug: string;
  name: string;
  rpcUrls: readonly string[];
  explorerUrl: string | null;
  nativeSymbol: string;
  blockTimeSeconds: number;
  confirmations: number;
  observationCadenceSeconds: number;
  startBlock: bigint;
  governor: Address;
  /** null: ask the governor, see `resolveContracts`. */
  aggregator: Address | null;
  ppsOracle: Address | null;
  /** Absent where gas is all that a transaction costs. */
  l1FeeOracle?: Address | undefined;
  priceFeeds: Readonly<Record<string, Address>>;
  benchmarks?: Readonly<Record<string, BenchmarkFeed>>;
  /** null: every vault of the aggregator. */
  vaults: readonly string[] | null;
  sourceNames: Readonly<Record<string, string>>;
  /** Hooks whose layout the protocol fixes. */
  hooks?: { readonly [Kind in 'deposit' | 'redeem' | 'claim' | 'swap']?: Address | undefined };
  /** Absent: none. */
  rewards?: readonly Reward[];
};

function toConfig(entry: z.infer<typeof ChainEntry>): ChainConfig {
  return {
    chainId: entry.chain_id,
    slug: entry.slug,
    name: entry.name,
    rpcUrls: entry.rpc_urls,
    explorerUrl: entry.explorer_url,
    nativeSymbol: entry.native_symbol,
    blockTimeSeconds: entry.block_time_seconds,
    confirmations: entry.confirmations,
    observationCadenceSeconds: entry.observation_cadence_seconds,
    startBlock: BigInt(entry.start_block),
    governor: entry.governor,
    aggregator: entry.aggregator ?? null,
    ppsOracle: entry.pps_oracle ?? null,
    l1FeeOracle: entry.l1_fee_oracle,
    priceFeeds: entry.price_feeds,
    benchmarks: entry.benchmarks,
    vaults: entry.vaults?.map((vault) => vault.toLowerCase()) ?? null,
    sourceNames: entry.source_names,
    hooks: entry.hooks,
    rewards: entry.rewards,
  };
}

function parse<T extends z.ZodType>(schema: T, value: unknown, what: string): z.output<T> {
  const result = schema.safeParse(value);
  if (!result.success) throw new Error(`${what} is not usable:\n${z.prettifyError(result.error)}`);
  return result.data;
}

function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which holds RPC URLs.
    throw new Error(`${what} is not valid JSON`);
  }
}

const defaultsOf = (chainId: unknown): object =>
  Object.entries(deployments).find(([id]) => id === String(chainId))?.[1] ?? {};

/** Where the L1 fee of a chain with a published deployment is asked for; undefined where there is none. */
export const publishedL1FeeOracle = (chainId: number): Address | undefined =>
  (defaultsOf(chainId) as { l1_fee_oracle?: Address }).l1_fee_oracle;

/**
 * Reads `CHAINS`: a JSON list of chains, or the path of a file with one. A chain with a published deployment
 * (1, 8453) needs only `chain_id` and `rpc_urls`.
 * @throws {Error} naming every fault, without quoting RPC URLs; on a chain id or slug that is given twice.
 */
export function loadChains(
  source: string,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): ChainConfig[] {
  const text = source.trim();
  const value = readJson(text.startsWith('[') ? text : readFile(text), 'CHAINS');
  const entries = parse(z.array(z.looseObject({ chain_id: ChainId })).min(1), value, 'CHAINS');
  const chains = entries.map((entry, index) =>
    toConfig(parse(ChainEntry, { ...defaultsOf(entry.chain_id), ...entry }, `CHAINS[${index}]`)),
  );
  for (const key of ['chainId', 'slug'] as const) {
    const values = chains.map((chain) => chain[key]);
    const twice = values.find((item, index) => values.indexOf(item) !== index);
    if (twice !== undefined) throw new Error(`CHAINS lists ${key} ${twice} twice`);
  }
  return chains;
}

/** `deployment.json` of the devnet. */
export const DevnetDeployment = z.object({
  ...Contracts,
  chain_id: ChainId,
  slug: z.string().default('devnet'),
  name: z.string().default('Devnet'),
  block_time_seconds: z.number().positive().default(2),
  upkeep_token: Account.optional(),
  vaults: z
    .array(z.object({ name: z.string(), vault: Account, strategy: Account, escrow: Account, asset: Account }))
    .default([]),
});
export type DevnetDeployment = z.infer<typeof DevnetDeployment>;

/** Devnet facts: one confirmation, an observation every 15 s. */
const devnetPace = { confirmations: 1, observation_cadence_seconds: 15 };

/** Where a chain of the devnet is: its `deployment.json`, which may be still to come, and its endpoint. */
export type DevnetSource = { readonly deploymentFile: string; readonly rpcUrl: string };

/**
 * Reads `DEVNET_DEPLOYMENT_FILE` and `DEVNET_RPC_URL`: one chain, or several as two lists with commas in the same order.
 * @throws {Error} naming what does not fit.
 */
export function devnetSources(deploymentFiles: string, rpcUrls: string): DevnetSource[] {
  const files = deploymentFiles.split(',').map((file) => file.trim());
  const urls = rpcUrls.split(',').map((url) => url.trim());
  if (files.length !== urls.length)
    throw new Error(`DEVNET_DEPLOYMENT_FILE names ${files.length} chains and DEVNET_RPC_URL ${urls.length}`);
  return files.map((deploymentFile, index) => {
    const rpcUrl = parse(z.url({ protocol: /^https?$/ }), urls[index], `DEVNET_RPC_URL, entry ${index + 1},`);
    return { deploymentFile, rpcUrl };
  });
}

/**
 * The devnet as a chain.
 * @param deployment - Parsed `deployment.json`. Its vaults are examples, not an allow-list: new ones appear too.
 * @throws {Error} naming every fault of the deployment.
 */
export function devnetChain(deployment: unknown, { rpcUrls }: { rpcUrls: readonly string[] }): ChainConfig {
  const { upkeep_token: _upkeep, vaults: _vaults, ...known } = parse(DevnetDeployment, deployment, 'deployment.json');
  return toConfig(parse(ChainEntry, { ...known, ...devnetPace, rpc_urls: rpcUrls }, 'The devnet'));
}
