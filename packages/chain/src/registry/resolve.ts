import type { Address, PublicClient } from 'viem';
import { superGovernorAbi } from '../abi/super-governor.ts';
import { unwrapRpcError } from '../client.ts';
import type { ChainConfig } from './chain-config.ts';
import { registryKeys } from './keys.ts';

/** The contracts that are one per chain. */
export type ChainContracts = { governor: Address; aggregator: Address; ppsOracle: Address };

/**
 * The chain's contracts: what the configuration names, else what the governor answers (registry key, active PPS oracle).
 * @throws AppError RPC_UNAVAILABLE; viem's revert error when the governor does not know them.
 */
export async function resolveContracts(
  client: PublicClient,
  { governor, aggregator, ppsOracle }: Pick<ChainConfig, 'governor' | 'aggregator' | 'ppsOracle'>,
): Promise<ChainContracts> {
  const contract = { address: governor, abi: superGovernorAbi } as const;
  try {
    const [foundAggregator, foundOracle] = await Promise.all([
      aggregator ?? client.readContract({ ...contract, functionName: 'getAddress', args: [registryKeys.aggregator] }),
      ppsOracle ?? client.readContract({ ...contract, functionName: 'getActivePPSOracle' }),
    ]);
    return { governor, aggregator: foundAggregator, ppsOracle: foundOracle };
  } catch (error) {
    throw unwrapRpcError(error);
  }
}
