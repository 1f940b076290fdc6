import {
  decodeRevert,
  endpointsOf,
  erc20Abi,
  hookAbi,
  orNull,
  readHooks,
  readL1Fee,
  rewardDistributorAbi,
  superVaultAggregatorAbi,
  superVaultStrategyAbi,
  swapPoolAbi,
  unwrapRpcError,
  yieldSourceOracleAbi,
} from '@castellan/chain';
import { feeDefaults, nodeText, readMarket, sendToAll } from '@castellan/transactor';
import { type Address, type Hash, type Hex, hexToBigInt, hexToNumber, numberToHex } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import { blockHashOf } from '../../chains/transactions.rpc.ts';
import { readRedemption } from '../../vault/adapters/redemption.rpc.ts';
import type { Call, KeeperChain, ProvenCall, Receipt, Target } from '../ports.ts';
import { sendAnswers } from '../telemetry.ts';

const zeroRoot: Hex = `0x${'00'.repeat(32)}`;

/** A read whose outage has its error code; other faults pass through. */
async function withErrorCode<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw unwrapRpcError(error);
  }
}

const readsOf = (chain: KnownChain) => {
  const { client } = chain;
  const aggregator = async () => (await chain.contracts()).aggregator;
  const head = async () => {
    const { number, timestamp } = await client.getBlock();
    return { number: Number(number), time: Number(timestamp) };
  };
  return {
    head: () => withErrorCode(head()),
    blockHash: (block: number) => withErrorCode(blockHashOf(chain, BigInt(block))),
    standing: async ({ strategy }: Target, keeper: Address) => {
      const at = { address: await aggregator(), abi: superVaultAggregatorAbi } as const;
      const [isManager, isPaused, isStale, updated, expiration, { time }] = await withErrorCode(
        Promise.all([
          client.readContract({ ...at, functionName: 'isAnyManager', args: [keeper, strategy] }),
          client.readContract({ ...at, functionName: 'isStrategyPaused', args: [strategy] }),
          client.readContract({ ...at, functionName: 'isPPSStale', args: [strategy] }),
          client.readContract({ ...at, functionName: 'getLastUpdateTimestamp', args: [strategy] }),
          client.readContract({ address: strategy, abi: superVaultStrategyAbi, functionName: 'ppsExpiration' }),
          head(),
        ]),
      );
      const [priceTime, expirationSeconds] = [Number(updated), Number(expiration)];
      return { isManager, isPaused, isStale, priceTime, expirationSeconds, headTime: time };
    },
    idle: ({ asset, strategy }: Target) =>
      withErrorCode(
        client.readContract({ address: asset, abi: erc20Abi, functionName: 'balanceOf', args: [strategy] }),
      ),
    roots: async ({ strategy }: Target) => {
      const { number } = await withErrorCode(client.getBlock());
      const hooks = await withErrorCode(readHooks(client, { strategy, aggregator: await aggregator() }, number));
      return {
        strategy: hooks.strategyRoot ?? zeroRoot,
        global: hooks.globalRoot ?? zeroRoot,
        isVetoed: hooks.globalVetoed || hooks.strategyVetoed,
      };
    },
    inspect: (hook: Address, calldata: Hex) =>
      withErrorCode(
        orNull(client.readContract({ address: hook, abi: hookAbi, functionName: 'inspect', args: [calldata] })),
      ),
    validate: async ({ strategy }: Target, { hook, args, globalProof, strategyProof }: ProvenCall) => {
      const proven = [{ hookAddress: hook, hookArgs: args, globalProof, strategyProof }];
      const call = { address: await aggregator(), abi: superVaultAggregatorAbi } as const;
      const [is = false] = await withErrorCode(
        client.readContract({ ...call, functionName: 'validateHooks', args: [strategy, proven] }),
      );
      return is;
    },
    quote: ({ oracle, source, asset, action, amount, block }: Parameters<KeeperChain['quote']>[0]) =>
      withErrorCode(
        orNull(
          client.readContract({
            address: oracle,
            abi: yieldSourceOracleAbi,
            functionName: action === 'DEPOSIT' ? 'getShareOutput' : 'getAssetOutput',
            args: [source, asset, amount],
            blockNumber: BigInt(block),
          }),
        ),
      ),
    claimable: ({ distributor, account, block }: Parameters<KeeperChain['claimable']>[0]) =>
      withErrorCode(
        orNull(
          client.readContract({
            address: distributor,
            abi: rewardDistributorAbi,
            functionName: 'claimable',
            args: [account],
            blockNumber: BigInt(block),
          }),
        ),
      ),
    poolQuote: ({ pool, token, amount, block }: Parameters<KeeperChain['poolQuote']>[0]) =>
      withErrorCode(
        orNull(
          client.readContract({
            address: pool,
            abi: swapPoolAbi,
            functionName: 'quote',
            args: [token, amount],
            blockNumber: BigInt(block),
          }),
        ),
      ),
    redemptions: (target: Target, controllers: readonly Address[]) =>
      Promise.all(controllers.map((controller) => withErrorCode(readRedemption(client, target.strategy, controller)))),
  } satisfies Partial<KeeperChain>;
};

const nonceAt = async (client: KnownChain['client'], address: Address, at: 'latest' | 'pending' | Hex) =>
  hexToNumber(await withErrorCode(client.request({ method: 'eth_getTransactionCount', params: [address, at] })));

const accountOf = ({ client, config }: KnownChain) => ({
  async simulate(from: Address, { to, data }: Call) {
    try {
      return { gas: await client.estimateGas({ account: from, to, data, value: 0n }) };
    } catch (error) {
      const unwrapped = unwrapRpcError(error);
      if (unwrapped !== error) throw unwrapped;
      const revert = decodeRevert(error);
      if (revert) return { revert: revert.name === 'Error' ? String(revert.args.message) : revert.name };
      return { revert: nodeText(error).slice(0, 200) };
    }
  },
  /** By all endpoints that are not behind: the offer is made from the lowest of what they say. */
  market: () => withErrorCode(readMarket(endpointsOf(client), feeDefaults)),
  balance: (address: Address) => withErrorCode(client.getBalance({ address })),
  l1Fee: (call: { dataBytes: number; gas: bigint }) => readL1Fee(client, config.l1FeeOracle, call),
  minedNonce: (address: Address, block?: number) =>
    nonceAt(client, address, block === undefined ? 'latest' : numberToHex(block)),
  /** By all endpoints that answer: any of them may hold what the others were not sent. */
  async pendingNonce(address: Address) {
    const asked = await Promise.allSettled(endpointsOf(client).map((each) => nonceAt(each, address, 'pending')));
    const counts = asked.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    return counts.length > 0 ? Math.max(...counts) : nonceAt(client, address, 'pending');
  },
  send: async (raw: Hex) => sendAnswers[(await sendToAll([client], raw)).class],
  async receipt(hash: Hash): Promise<Receipt | null> {
    const found = await withErrorCode(client.request({ method: 'eth_getTransactionReceipt', params: [hash] }));
    if (!found) return null;
    const block = await withErrorCode(
      client.request({ method: 'eth_getBlockByHash', params: [found.blockHash, false] }),
    );
    // Its block has just left the chain.
    if (!block) return null;
    return {
      hash,
      succeeded: found.status === '0x1',
      blockNumber: hexToNumber(found.blockNumber),
      blockTime: hexToNumber(block.timestamp),
      gasUsed: hexToBigInt(found.gasUsed),
      ...costOf(found),
      logs: found.logs.map(({ address, topics, data }) => ({ address, topics, data })),
    };
  },
});

type RawCost = { gasUsed: Hex; effectiveGasPrice?: Hex; l1Fee?: Hex | null };

/** What a transaction cost; nothing where the node does not say at which price. */
function costOf({ gasUsed, effectiveGasPrice, l1Fee }: RawCost): Pick<Receipt, 'gasPrice' | 'fee'> {
  if (!effectiveGasPrice) return {};
  const gasPrice = hexToBigInt(effectiveGasPrice);
  return { gasPrice, fee: hexToBigInt(gasUsed) * gasPrice + (l1Fee ? hexToBigInt(l1Fee) : 0n) };
}

export const rpcKeeperChain = (chain: KnownChain): KeeperChain => ({
  chainId: chain.config.chainId,
  confirmations: Math.max(1, chain.config.confirmations),
  blockTimeSeconds: chain.config.blockTimeSeconds,
  ...readsOf(chain),
  ...accountOf(chain),
});
