import { type Address, type Hex, type PublicClient, zeroAddress, zeroHash } from 'viem';
import { ecdsaPpsOracleAbi } from '../abi/ecdsa-pps-oracle.ts';
import { FeeType } from '../abi/enums.ts';
import { erc20Abi } from '../abi/erc20.ts';
import { superGovernorAbi } from '../abi/super-governor.ts';
import { superVaultAbi } from '../abi/super-vault.ts';
import { superVaultAggregatorAbi } from '../abi/super-vault-aggregator.ts';
import { superVaultStrategyAbi } from '../abi/super-vault-strategy.ts';
import { registryKeys } from '../registry/keys.ts';
import { isRpcUnavailable } from '../rpc/unavailable.ts';
import { constantFact } from './constant-facts.ts';
import { orNull, readToken } from './reads.ts';
import type { HooksState, Pending, UpkeepState, VaultAddresses } from './types.ts';

/** A proposal exists while its time is set; contracts zero both when it is executed or cancelled. */
const pending = <T>(value: T, effectiveTime: bigint): Pending<T> | null =>
  effectiveTime === 0n ? null : { value, effectiveTime };
const rootOrNull = (root: Hex): Hex | null => (root === zeroHash ? null : root);

/** Price and its terms at one block: PPS raw, fees in bps, times in Unix seconds. */
export async function readPricing(client: PublicClient, { strategy, aggregator }: VaultAddresses, blockNumber: bigint) {
  const registry = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber, args: [strategy] } as const;
  const own = { address: strategy, abi: superVaultStrategyAbi, blockNumber } as const;
  const [
    pps,
    lastUpdate,
    lastUnpause,
    interval,
    nextInterval,
    threshold,
    paused,
    stale,
    hwm,
    expiration,
    next,
    nextTime,
  ] = await Promise.all([
    client.readContract({ ...registry, functionName: 'getPPS' }),
    client.readContract({ ...registry, functionName: 'getLastUpdateTimestamp' }),
    client.readContract({ ...registry, functionName: 'getLastUnpauseTimestamp' }),
    client.readContract({ ...registry, functionName: 'getMinUpdateInterval' }),
    client.readContract({ ...registry, functionName: 'getProposedMinUpdateInterval' }),
    client.readContract({ ...registry, functionName: 'getDeviationThreshold' }),
    client.readContract({ ...registry, functionName: 'isStrategyPaused' }),
    client.readContract({ ...registry, functionName: 'isPPSStale' }),
    client.readContract({ ...own, functionName: 'vaultHwmPps' }),
    client.readContract({ ...own, functionName: 'ppsExpiration' }),
    client.readContract({ ...own, functionName: 'proposedPPSExpiryThreshold' }),
    client.readContract({ ...own, functionName: 'ppsExpiryThresholdEffectiveTime' }),
  ]);
  return {
    pps,
    hwm,
    lastUpdateTimestamp: lastUpdate,
    lastUnpauseTimestamp: lastUnpause,
    minUpdateInterval: interval,
    pendingMinUpdateInterval: pending(...nextInterval),
    ppsExpiration: expiration,
    proposedPpsExpiration: pending(next, nextTime),
    deviationThreshold: threshold,
    isPaused: paused,
    isPpsStale: stale,
  };
}

/** Supply, free assets and claims at one block, in base units of the share and of the asset. */
export async function readMoney(
  client: PublicClient,
  { vault, strategy, governor, asset }: VaultAddresses & { asset: Address },
  blockNumber: bigint,
) {
  const share = { address: vault, abi: superVaultAbi, blockNumber } as const;
  const own = { address: strategy, abi: superVaultStrategyAbi, blockNumber } as const;
  const [
    totalSupply,
    totalAssets,
    escrowedAssets,
    fees,
    unrealizedProfit,
    protocolFeeShareBps,
    idleAssets,
    yieldSources,
  ] = await Promise.all([
    client.readContract({ ...share, functionName: 'totalSupply' }),
    client.readContract({ ...share, functionName: 'totalAssets' }),
    client.readContract({ ...share, functionName: 'getEscrowedAssets' }),
    client.readContract({ ...own, functionName: 'getConfigInfo' }),
    orNull(client.readContract({ ...own, functionName: 'vaultUnrealizedProfit' })),
    client.readContract({
      address: governor,
      abi: superGovernorAbi,
      blockNumber,
      functionName: 'getFee',
      args: [FeeType.PerformanceFeeShare],
    }),
    client.readContract({ address: asset, abi: erc20Abi, blockNumber, functionName: 'balanceOf', args: [strategy] }),
    client.readContract({ ...own, functionName: 'getYieldSourcesList' }),
  ]);
  return {
    money: { totalSupply, totalAssets, escrowedAssets, fees, unrealizedProfit, protocolFeeShareBps, idleAssets },
    yieldSources,
  };
}

/** The code of a wallet that delegates to a contract (EIP-7702) and still signs for itself. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

const isContract = (code: Hex | undefined): boolean => code !== undefined && !DELEGATION.test(code);

/** Whether a key or code is behind an address at a block; null when the node does not answer that. */
async function readKind(client: PublicClient, address: Address, blockNumber: bigint) {
  try {
    // A wallet may delegate from one block to the next; the code of a contract stays.
    const code = await constantFact(
      client,
      { name: `code ${address}`, block: blockNumber },
      () => client.getCode({ address, blockNumber }),
      isContract,
    );
    return isContract(code) ? 'contract' : 'wallet';
  } catch (error) {
    if (isRpcUnavailable(error)) throw error;
    return null;
  }
}

/** Managers and a proposed change at one block (SuperVaultAggregator). */
export async function readManagers(
  client: PublicClient,
  { strategy, aggregator }: VaultAddresses,
  blockNumber: bigint,
) {
  const registry = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber, args: [strategy] } as const;
  const [primaryManager, secondaryManagers, [proposed, effectiveTime]] = await Promise.all([
    client.readContract({ ...registry, functionName: 'getMainManager' }),
    client.readContract({ ...registry, functionName: 'getSecondaryManagers' }),
    client.readContract({ ...registry, functionName: 'getPendingManagerChange' }),
  ]);
  const pendingManagerChange = proposed === zeroAddress ? null : pending(proposed, effectiveTime);
  const primaryManagerKind = await readKind(client, primaryManager, blockNumber);
  return { primaryManager, primaryManagerKind, secondaryManagers, pendingManagerChange } as const;
}

/** Hooks roots of a strategy and of the chain, with proposals and vetoes, at one block. */
export async function readHooks(
  client: PublicClient,
  { strategy, aggregator }: Pick<VaultAddresses, 'strategy' | 'aggregator'>,
  blockNumber: bigint,
): Promise<HooksState> {
  const registry = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber } as const;
  const ofStrategy = { ...registry, args: [strategy] } as const;
  const [strategyRoot, strategyVetoed, nextStrategy, globalRoot, globalVetoed, nextGlobal, updateTimelock] =
    await Promise.all([
      client.readContract({ ...ofStrategy, functionName: 'getStrategyHooksRoot' }),
      client.readContract({ ...ofStrategy, functionName: 'isStrategyHooksRootVetoed' }),
      client.readContract({ ...ofStrategy, functionName: 'getProposedStrategyHooksRoot' }),
      client.readContract({ ...registry, functionName: 'getGlobalHooksRoot' }),
      client.readContract({ ...registry, functionName: 'isGlobalHooksRootVetoed' }),
      client.readContract({ ...registry, functionName: 'getProposedGlobalHooksRoot' }),
      client.readContract({ ...registry, functionName: 'getHooksRootUpdateTimelock' }),
    ]);
  // A zero pending root means "no proposal", whatever its time says.
  const proposal = ([root, time]: readonly [Hex, bigint]) => (root === zeroHash ? null : pending(root, time));
  return {
    strategyRoot: rootOrNull(strategyRoot),
    strategyVetoed,
    proposedStrategyRoot: proposal(nextStrategy),
    globalRoot: rootOrNull(globalRoot),
    globalVetoed,
    proposedGlobalRoot: proposal(nextGlobal),
    updateTimelock,
  };
}

type OracleState = { costPerUpdate: bigint | null; oracleNonce: bigint | null };

/** What a price by an oracle costs, and its nonce. */
async function readOracle(
  client: PublicClient,
  { strategy, governor }: VaultAddresses,
  oracle: Address,
  blockNumber: bigint,
): Promise<OracleState> {
  const cost = { address: governor, abi: superGovernorAbi, functionName: 'getUpkeepCostPerSingleUpdate' } as const;
  const nonce = { address: oracle, abi: ecdsaPpsOracleAbi, functionName: 'noncePerStrategy' } as const;
  const [costPerUpdate, oracleNonce] = await Promise.all([
    orNull(client.readContract({ ...cost, args: [oracle], blockNumber })),
    client.readContract({ ...nonce, args: [strategy], blockNumber }),
  ]);
  return { costPerUpdate, oracleNonce };
}

/**
 * Upkeep, price oracle and its nonce at one block; null without an active oracle. The oracle of an earlier reading is asked
 * without waiting for its name.
 */
export async function readUpkeep(
  client: PublicClient,
  addresses: VaultAddresses,
  blockNumber: bigint,
  previous?: { ppsOracle: Address | null },
): Promise<{ upkeep: UpkeepState; ppsOracle: Address | null; oracleNonce: bigint | null }> {
  const { strategy, aggregator, governor } = addresses;
  const ahead = previous?.ppsOracle && readOracle(client, addresses, previous.ppsOracle, blockNumber);
  if (ahead) ahead.catch(() => undefined);
  const registry = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber, args: [strategy] } as const;
  const rules = { address: governor, abi: superGovernorAbi, blockNumber } as const;
  const [balance, [amount, effectiveTime], enabled, tokenAddress, ppsOracle] = await Promise.all([
    client.readContract({ ...registry, functionName: 'getUpkeepBalance' }),
    client.readContract({ ...registry, functionName: 'pendingUpkeepWithdrawals' }),
    client.readContract({ ...rules, functionName: 'isUpkeepPaymentsEnabled' }),
    orNull(client.readContract({ ...rules, functionName: 'getAddress', args: [registryKeys.upkeepToken] })),
    orNull(client.readContract({ ...rules, functionName: 'getActivePPSOracle' })),
  ]);
  const oracle = ppsOracle === zeroAddress ? null : ppsOracle;
  const isSame = oracle !== null && previous?.ppsOracle === oracle;
  const [token, { costPerUpdate, oracleNonce }] = await Promise.all([
    tokenAddress === null || tokenAddress === zeroAddress ? null : readToken(client, tokenAddress, blockNumber),
    (isSame && ahead) ||
      (oracle ? readOracle(client, addresses, oracle, blockNumber) : { costPerUpdate: null, oracleNonce: null }),
  ]);
  const upkeep = { enabled, balance, costPerUpdate, token, pendingWithdrawal: pending(amount, effectiveTime) };
  return { upkeep, ppsOracle: oracle, oracleNonce };
}
