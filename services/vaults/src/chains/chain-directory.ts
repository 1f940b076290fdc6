import { readFile } from 'node:fs/promises';
import {
  type ChainConfig,
  type ChainContracts,
  type DevnetSource,
  devnetChain,
  type PriceFeed,
  resolveContracts,
  resolvePriceFeeds,
} from '@castellan/chain';
import { AppError } from '@castellan/contracts';
import type { Logger } from '@castellan/service-kit';
import type { PublicClient } from 'viem';

/** A chain this service indexes. `contracts` asks the governor, `feeds` the price feeds, once each, and remember. */
export type KnownChain = {
  readonly config: ChainConfig;
  readonly client: PublicClient;
  contracts(): Promise<ChainContracts>;
  feeds(): Promise<readonly PriceFeed[]>;
};

export type ChainDirectory = {
  all(): readonly KnownChain[];
  /** @throws AppError CHAIN_NOT_FOUND; NOT_READY while the devnet's deployment is still awaited. */
  get(chainId: number): KnownChain;
  /** True once every configured chain is known. */
  isComplete(): boolean;
};

export type ChainSources = {
  chains: readonly ChainConfig[];
  devnets: readonly DevnetSource[];
};

const retryMs = 100;

function knownChain(config: ChainConfig, connect: (config: ChainConfig) => PublicClient): KnownChain {
  const client = connect(config);
  return {
    config,
    client,
    contracts: onceRead(() => resolveContracts(client, config)),
    feeds: onceRead(() => resolvePriceFeeds(client, config)),
  };
}

/** Reads at the first call and remembers; a failure is not remembered. */
function onceRead<T>(read: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined;
  return () => {
    found ??= read().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
}

/** The devnet says where its contracts are once it can be used, which takes a minute on the first start. */
async function readDeployment(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Chains by configuration, and those of the devnet as soon as their deployment files are there. */
export function chainDirectory(options: {
  sources: ChainSources;
  connect: (config: ChainConfig) => PublicClient;
  onChain: (chain: KnownChain) => void;
  log: Logger;
  signal: AbortSignal;
}): ChainDirectory & { start(): void } {
  const { sources, connect, onChain, log, signal } = options;
  const chains = new Map<number, KnownChain>();
  let awaited = sources.devnets.length;
  const add = (config: ChainConfig) => {
    const chain = knownChain(config, connect);
    chains.set(config.chainId, chain);
    onChain(chain);
  };
  const awaitDevnet = async ({ deploymentFile, rpcUrl }: DevnetSource) => {
    let logged = false;
    while (!signal.aborted) {
      const deployment = await readDeployment(deploymentFile);
      if (deployment !== undefined) {
        add(devnetChain(deployment, { rpcUrls: [rpcUrl] }));
        awaited -= 1;
        return;
      }
      if (!logged) log.info('the deployment of the devnet is awaited', { file: deploymentFile });
      logged = true;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  };
  return {
    start() {
      for (const config of sources.chains) add(config);
      for (const devnet of sources.devnets)
        awaitDevnet(devnet).catch((error: Error) =>
          log.error('the devnet deployment is unusable', { error, file: devnet.deploymentFile }),
        );
    },
    all: () => [...chains.values()],
    get(chainId) {
      const chain = chains.get(chainId);
      if (chain) return chain;
      if (awaited > 0) throw new AppError('NOT_READY', 'The chains are still being set up. Try again shortly.');
      const known = [...chains.keys()].join(', ');
      throw new AppError('CHAIN_NOT_FOUND', `There is no chain ${chainId} here. Known chains: ${known || 'none'}.`);
    },
    isComplete: () => awaited === 0,
  };
}
