import { isRpcUnavailable, readL1Fee } from '@castellan/chain';
import { type Market, readMarket } from '@castellan/transactor';
import {
  type Address,
  BlockNotFoundError,
  type Hash,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem';
import type { Rpcs, TransmitSettings } from './types.ts';

export type Head = { number: bigint; hash: Hash; timestamp: bigint };

/** Nodes this close to the best one are asked for fees. */
const currentBlocks = 5n;

type Place = { client: PublicClient; head: Head };
type Around = {
  account: Address;
  settings: TransmitSettings;
  rpcs: Rpcs;
  /** Those that are about as far as the best one: their fees are those of now. */
  current: Rpcs;
};

/** One node's view, read for one step: the one that is furthest of those that answer on the right chain. */
function viewFrom({ client, head }: Place, { account: address, settings, rpcs, current }: Around) {
  const { finality, l1FeeOracle } = settings;
  let market: Promise<Market> | undefined;
  /** Blocks up to this height stay. */
  const settledHeight = async (): Promise<bigint> => {
    if (finality === 'finalized') return (await client.getBlock({ blockTag: 'finalized' })).number;
    const depth = BigInt(finality.confirmations);
    return head.number > depth ? head.number - depth : 0n;
  };
  return {
    chainId: settings.chainId,
    client,
    head,
    settledHeight,
    /** Read at each call: between two calls a block may have come. */
    count: () => client.getTransactionCount({ address, blockTag: 'latest' }),
    pendingCount: () => client.getTransactionCount({ address, blockTag: 'pending' }),
    /** How many transactions of the account can no longer go. */
    settledCount: async () => client.getTransactionCount({ address, blockNumber: await settledHeight() }),
    balance: (account: Address) => client.getBalance({ address: account }),
    l1Fee: (call: { dataBytes: number; gas: bigint }) => readL1Fee(client, l1FeeOracle, call),
    estimateEmpty: (account: Address) =>
      client.estimateGas({ account, to: account, value: 0n }).catch((error: unknown) => {
        // A node that cannot pay for the estimate says so here; the transfer itself is judged when it is sent.
        if (/insufficient/i.test(String(error))) return null;
        throw error;
      }),
    market: () => {
      market ??= readMarket(current, settings.fees);
      return market;
    },
    /** Null: the chain has no block of this height, or none any more. */
    async canonicalHash(blockNumber: bigint): Promise<Hash | null> {
      try {
        return (await client.getBlock({ blockNumber })).hash;
      } catch (error) {
        if (error instanceof BlockNotFoundError) return null;
        throw error;
      }
    },
    /** Of any of the transactions, from any node; they share one nonce, so that at most one has a receipt. */
    async receiptOf(hashes: readonly Hash[]): Promise<TransactionReceipt | null> {
      const others = rpcs.filter((rpc) => rpc !== client);
      for (const [index, node] of [client, ...others].entries()) {
        const found = await Promise.all(hashes.map((hash) => receipt(node, hash))).catch((error: unknown) => {
          if (index === 0 || !isRpcUnavailable(error)) throw error;
          return [];
        });
        const first = found.find((item) => item !== null);
        if (first) return first;
      }
      return null;
    },
  };
}
export type ChainView = ReturnType<typeof viewFrom>;

async function receipt(client: PublicClient, hash: Hash): Promise<TransactionReceipt | null> {
  try {
    return await client.getTransactionReceipt({ hash });
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** @throws the last node's error when none answers, an Error when none is on the chain. */
export async function lookAtChain(rpcs: Rpcs, account: Address, settings: TransmitSettings): Promise<ChainView> {
  const views = await Promise.allSettled(
    rpcs.map(async (client) => {
      const [block, chainId] = await Promise.all([client.getBlock({ blockTag: 'latest' }), client.getChainId()]);
      if (chainId !== settings.chainId)
        throw new Error(`A node answers for chain ${chainId}, not ${settings.chainId}.`);
      return { client, head: { number: block.number, hash: block.hash, timestamp: block.timestamp } };
    }),
  );
  const answered = views.filter((view) => view.status === 'fulfilled').map(({ value }) => value);
  const best = answered.reduce<(typeof answered)[number] | undefined>(
    (furthest, view) => (!furthest || view.head.number > furthest.head.number ? view : furthest),
    undefined,
  );
  if (best) {
    const isCurrent = ({ head }: (typeof answered)[number]) => head.number + currentBlocks >= best.head.number;
    const current = answered.filter(isCurrent).map(({ client }) => client);
    return viewFrom(best, { account, settings, rpcs, current });
  }
  throw views.find((view) => view.status === 'rejected')?.reason ?? new Error('No RPC is configured.');
}
