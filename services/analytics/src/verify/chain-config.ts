import { existsSync, readFileSync } from 'node:fs';
import { type ChainConfig, deployments, devnetChain, loadChains } from '@castellan/chain';
import { Refusal } from './refusal.ts';

/** Where `npm start` keeps its local chain unless another folder is given. */
const usualDeployment = '.castellan/devnet/deployment.json';

export type ChainSource = {
  readonly chainId: number;
  readonly rpc: string;
  readonly deployment: string | undefined;
  readonly chains: string | undefined;
};

function fromDeployment(file: string, rpc: string): ChainConfig {
  try {
    return devnetChain(JSON.parse(readFileSync(file, 'utf8')), { rpcUrls: [rpc] });
  } catch (error) {
    throw new Refusal(`--deployment ${file} cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

function fromChains(chains: string, { chainId, rpc }: ChainSource): ChainConfig | undefined {
  try {
    const found = loadChains(chains).find((chain) => chain.chainId === chainId);
    return found && { ...found, rpcUrls: [rpc] };
  } catch (error) {
    throw new Refusal(`--chains cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The contracts of the chain as the vaults service knows them, read through the given node.
 * @throws Refusal when nothing names the chain's contracts.
 */
export function chainConfigOf(source: ChainSource): ChainConfig {
  const { chainId, rpc, deployment, chains } = source;
  const listed = chains === undefined ? undefined : fromChains(chains, source);
  if (listed) return listed;
  if (Object.hasOwn(deployments, chainId))
    return fromChains(JSON.stringify([{ chain_id: chainId, rpc_urls: [rpc] }]), source) as ChainConfig;
  const file = deployment ?? (existsSync(usualDeployment) ? usualDeployment : undefined);
  const local = file === undefined ? undefined : fromDeployment(file, rpc);
  if (local?.chainId === chainId) return local;
  throw new Refusal(
    `Where the contracts of chain ${chainId} are is not known. Give its --deployment (deployment.json of npm start) or --chains.`,
  );
}
