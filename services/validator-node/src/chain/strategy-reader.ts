import {
  calculatedPps,
  ecdsaPpsOracleAbi,
  erc20Abi,
  superGovernorAbi,
  superVaultAbi,
  superVaultAggregatorAbi,
  superVaultStrategyAbi,
  yieldSourceOracleAbi,
} from '@castellan/chain';
import type { Address, PublicClient } from 'viem';
import type { StrategyState } from '../plugin/chain-view.ts';

/** The contracts of one chain that hold what a price needs. */
export type PriceContracts = { governor: Address; aggregator: Address; oracle: Address };

/** Where a price comes from: what the strategy holds, or the price that its vault has published. */
export type PriceSource = 'valued' | 'published';

type At = { client: PublicClient; blockNumber: bigint };

/** What the contracts hold of one strategy. @throws viem's errors. */
export async function readState(
  { client, blockNumber }: At,
  { aggregator, oracle }: PriceContracts,
  strategy: Address,
): Promise<StrategyState> {
  const stored = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber, args: [strategy] } as const;
  const [nonce, lastPps, lastUpdate, lastUnpause, minInterval, maxStaleness, deviationThreshold, paused, stale] =
    await Promise.all([
      client.readContract({
        address: oracle,
        abi: ecdsaPpsOracleAbi,
        blockNumber,
        args: [strategy],
        functionName: 'noncePerStrategy',
      }),
      client.readContract({ ...stored, functionName: 'getPPS' }),
      client.readContract({ ...stored, functionName: 'getLastUpdateTimestamp' }),
      client.readContract({ ...stored, functionName: 'getLastUnpauseTimestamp' }),
      client.readContract({ ...stored, functionName: 'getMinUpdateInterval' }),
      client.readContract({ ...stored, functionName: 'getMaxStaleness' }),
      client.readContract({ ...stored, functionName: 'getDeviationThreshold' }),
      client.readContract({ ...stored, functionName: 'isStrategyPaused' }),
      client.readContract({ ...stored, functionName: 'isPPSStale' }),
    ]);
  return { nonce, lastPps, lastUpdate, lastUnpause, minInterval, maxStaleness, deviationThreshold, paused, stale };
}

/** Value of one share from all that a strategy holds; null without shares. @throws viem's errors: no part is left out. */
async function valuedPps({ client, blockNumber }: At, strategy: Address): Promise<bigint | null> {
  const own = { address: strategy, abi: superVaultStrategyAbi, blockNumber } as const;
  const [[vault, asset], precision, sources] = await Promise.all([
    client.readContract({ ...own, functionName: 'getVaultInfo' }),
    client.readContract({ ...own, functionName: 'PRECISION' }),
    client.readContract({ ...own, functionName: 'getYieldSourcesList' }),
  ]);
  const [totalSupply, idle, ...assets] = await Promise.all([
    client.readContract({ address: vault, abi: superVaultAbi, blockNumber, functionName: 'totalSupply' }),
    client.readContract({ address: asset, abi: erc20Abi, blockNumber, functionName: 'balanceOf', args: [strategy] }),
    ...sources.map(({ sourceAddress, oracle }) =>
      client.readContract({
        address: oracle,
        abi: yieldSourceOracleAbi,
        blockNumber,
        functionName: 'getTVLByOwnerOfShares',
        args: [sourceAddress, strategy],
      }),
    ),
  ]);
  const sourceAssets = assets.map((value) => ({ assets: value }));
  return calculatedPps({ idle, sources: sourceAssets, totalSupply, precision });
}

/** What an observation says of one strategy at a block; `pps` is null when it has no shares. */
export type StrategyReading = StrategyState & { pps: bigint | null; upkeepBalance: bigint };

/** Reads one strategy at one block. @throws viem's errors when any part cannot be read. */
export async function readStrategy(
  at: At,
  contracts: PriceContracts,
  strategy: Address,
  source: PriceSource,
): Promise<StrategyReading> {
  const [state, valued, upkeepBalance] = await Promise.all([
    readState(at, contracts, strategy),
    source === 'valued' ? valuedPps(at, strategy) : null,
    at.client.readContract({
      address: contracts.aggregator,
      abi: superVaultAggregatorAbi,
      blockNumber: at.blockNumber,
      functionName: 'getUpkeepBalance',
      args: [strategy],
    }),
  ]);
  return { ...state, pps: source === 'valued' ? valued : state.lastPps, upkeepBalance };
}

/** What the chain asks for one price: 0 while upkeep is switched off. @throws viem's errors. */
export async function readUpkeepCost(
  { client, blockNumber }: At,
  { governor, oracle }: PriceContracts,
): Promise<bigint> {
  const contract = { address: governor, abi: superGovernorAbi, blockNumber } as const;
  if (!(await client.readContract({ ...contract, functionName: 'isUpkeepPaymentsEnabled' }))) return 0n;
  return client.readContract({ ...contract, functionName: 'getUpkeepCostPerSingleUpdate', args: [oracle] });
}

/** Every strategy that the aggregator knows, lower case. @throws viem's errors. */
export async function readStrategies({ client, blockNumber }: At, { aggregator }: PriceContracts): Promise<Address[]> {
  const contract = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber } as const;
  const strategies = await client.readContract({ ...contract, functionName: 'getAllSuperVaultStrategies' });
  return strategies.map((strategy) => strategy.toLowerCase() as Address);
}
