import { type Address, BaseError, type PublicClient, parseAbi } from 'viem';
import { aggregatorV3Abi } from '../abi/aggregator-v3.ts';
import { erc20Abi } from '../abi/erc20.ts';
import { superVaultAbi } from '../abi/super-vault.ts';
import { superVaultAggregatorAbi } from '../abi/super-vault-aggregator.ts';
import { yieldSourceOracleAbi } from '../abi/yield-source-oracle.ts';
import { decodeRevert } from '../decode/revert.ts';
import { constantFact } from './constant-facts.ts';
import type { FeedPrice, SourceState, TokenMeta, VaultAddresses, VaultStatics } from './types.ts';

const erc4626LiquidityAbi = parseAbi(['function maxWithdraw(address owner) view returns (uint256)']);

const undecodable =
  /^(ContractFunctionZeroDataError|AbiDecoding\w*Error|PositionOutOfBoundsError|InvalidBytes\w*Error)$/;

/** Whether the contract itself gave no value: it reverted, has no such function, or answered something else. */
function isRefusal(error: unknown): boolean {
  if (decodeRevert(error) !== null) return true;
  return error instanceof BaseError && error.walk((cause) => undecodable.test((cause as Error).name)) !== null;
}

/**
 * A read that the contract may refuse: null then. A node that does not answer, or lacks the state of the block, is still
 * an error, because "no answer" and "no value" are different things.
 */
export async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

/** Name, symbol and decimals of a token, read once. @throws viem's error when it has no decimals at the block. */
export function readToken(client: PublicClient, address: Address, blockNumber: bigint): Promise<TokenMeta> {
  const token = { address, abi: erc20Abi, blockNumber } as const;
  return constantFact(client, { name: `token ${address}`, block: blockNumber }, async () => {
    const [name, symbol, decimals] = await Promise.all([
      orNull(client.readContract({ ...token, functionName: 'name' })),
      orNull(client.readContract({ ...token, functionName: 'symbol' })),
      client.readContract({ ...token, functionName: 'decimals' }),
    ]);
    return { address, name: name ?? address, symbol: symbol ?? address, decimals };
  });
}

/** Name, symbol, decimals, asset and precision of a vault, and its longest staleness in seconds, at one block. */
export async function readVaultStatics(
  client: PublicClient,
  { vault, strategy, aggregator }: Pick<VaultAddresses, 'vault' | 'strategy' | 'aggregator'>,
  blockNumber: bigint,
): Promise<VaultStatics> {
  const share = { address: vault, abi: superVaultAbi, blockNumber } as const;
  const [asset, name, symbol, decimals, precision, maxStaleness] = await Promise.all([
    client.readContract({ ...share, functionName: 'asset' }),
    client.readContract({ ...share, functionName: 'name' }),
    client.readContract({ ...share, functionName: 'symbol' }),
    client.readContract({ ...share, functionName: 'decimals' }),
    client.readContract({ ...share, functionName: 'PRECISION' }),
    client.readContract({
      address: aggregator,
      abi: superVaultAggregatorAbi,
      blockNumber,
      functionName: 'getMaxStaleness',
      args: [strategy],
    }),
  ]);
  return { name, symbol, decimals, asset: await readToken(client, asset, blockNumber), precision, maxStaleness };
}

/** Values one source; a source that cannot be valued says so and hides nothing else. */
export async function readSource(
  client: PublicClient,
  source: { address: Address; oracle: Address; strategy: Address },
  blockNumber: bigint,
): Promise<SourceState> {
  const oracle = { address: source.oracle, abi: yieldSourceOracleAbi, blockNumber } as const;
  let error: string | null = null;
  const assetsOrError = async (): Promise<bigint | null> => {
    try {
      const args = [source.address, source.strategy] as const;
      return await client.readContract({ ...oracle, functionName: 'getTVLByOwnerOfShares', args });
    } catch (failure) {
      if (!isRefusal(failure)) throw failure;
      error = `The oracle could not value this source (${decodeRevert(failure)?.name ?? 'no readable answer'})`;
      return null;
    }
  };
  const [assets, shares, pricePerShare, name, available] = await Promise.all([
    assetsOrError(),
    orNull(
      client.readContract({ ...oracle, functionName: 'getBalanceOfOwner', args: [source.address, source.strategy] }),
    ),
    orNull(client.readContract({ ...oracle, functionName: 'getPricePerShare', args: [source.address] })),
    constantFact(client, { name: `name ${source.address}`, block: blockNumber }, () =>
      orNull(client.readContract({ address: source.address, abi: erc20Abi, blockNumber, functionName: 'name' })),
    ),
    orNull(
      client.readContract({
        address: source.address,
        abi: erc4626LiquidityAbi,
        blockNumber,
        functionName: 'maxWithdraw',
        args: [source.strategy],
      }),
    ),
  ]);
  return { address: source.address, oracle: source.oracle, name, assets, shares, available, pricePerShare, error };
}

/**
 * Latest answer of a USD feed at a block.
 * @returns null when the feed does not answer, or answers 0 or less.
 * @throws AppError RPC_UNAVAILABLE, inside viem's error.
 */
export async function readFeedPrice(
  client: PublicClient,
  feed: Address,
  blockNumber: bigint,
): Promise<FeedPrice | null> {
  const contract = { address: feed, abi: aggregatorV3Abi, blockNumber } as const;
  const [round, decimals] = await Promise.all([
    orNull(client.readContract({ ...contract, functionName: 'latestRoundData' })),
    constantFact(client, { name: `decimals ${feed}`, block: blockNumber }, () =>
      orNull(client.readContract({ ...contract, functionName: 'decimals' })),
    ),
  ]);
  if (round === null || decimals === null) return null;
  const [roundId, answer, , updatedAt] = round;
  return answer > 0n ? { feed, roundId, answer, decimals, updatedAt } : null;
}
