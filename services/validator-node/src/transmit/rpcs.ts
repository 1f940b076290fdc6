import { isRpcUnavailable } from '@castellan/chain';
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

type ViewParts = {
  client: PublicClient;
  head: Head;
  account: Address;
  settings: TransmitSettings;
  rpcs: Rpcs;
  /** Those that are about as far as the best one: their fees are those of now. */
  current: Rpcs;
};

/** One node's view, read for one step: the one that is furthest of those that answer on the right chain. */
export class ChainView {
  readonly client: PublicClient;
  readonly head: Head;
  readonly #account: Address;
  readonly #settings: TransmitSettings;
  readonly #rpcs: Rpcs;
  readonly #current: Rpcs;
  #market: Promise<Market> | undefined;

  constructor(parts: ViewParts) {
    this.client = parts.client;
    this.head = parts.head;
    this.#account = parts.account;
    this.#settings = parts.settings;
    this.#rpcs = parts.rpcs;
    this.#current = parts.current;
  }

  /** Read at each call: between two calls a block may have come. */
  count(): Promise<number> {
    return this.client.getTransactionCount({ address: this.#account, blockTag: 'latest' });
  }

  pendingCount(): Promise<number> {
    return this.client.getTransactionCount({ address: this.#account, blockTag: 'pending' });
  }

  /** How many transactions of the account can no longer go. */
  async settledCount(): Promise<number> {
    return this.client.getTransactionCount({ address: this.#account, blockNumber: await this.settledHeight() });
  }

  /** Blocks up to this height stay. */
  async settledHeight(): Promise<bigint> {
    const { finality } = this.#settings;
    if (finality === 'finalized') return (await this.client.getBlock({ blockTag: 'finalized' })).number;
    const depth = BigInt(finality.confirmations);
    return this.head.number > depth ? this.head.number - depth : 0n;
  }

  balance(): Promise<bigint> {
    return this.client.getBalance({ address: this.#account });
  }

  market(): Promise<Market> {
    this.#market ??= readMarket(this.#current, this.#settings.fees);
    return this.#market;
  }

  /** Null: the chain has no block of this height, or none any more. */
  async canonicalHash(blockNumber: bigint): Promise<Hash | null> {
    try {
      return (await this.client.getBlock({ blockNumber })).hash;
    } catch (error) {
      if (error instanceof BlockNotFoundError) return null;
      throw error;
    }
  }

  /** Of any of the transactions, from any node; they share one nonce, so that at most one has a receipt. */
  async receiptOf(hashes: readonly Hash[]): Promise<TransactionReceipt | null> {
    const others = this.#rpcs.filter((rpc) => rpc !== this.client);
    for (const [index, client] of [this.client, ...others].entries()) {
      const found = await Promise.all(hashes.map((hash) => receipt(client, hash))).catch((error: unknown) => {
        if (index === 0 || !isRpcUnavailable(error)) throw error;
        return [];
      });
      const first = found.find((item) => item !== null);
      if (first) return first;
    }
    return null;
  }
}

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
    return new ChainView({ ...best, account, settings, rpcs, current });
  }
  throw views.find((view) => view.status === 'rejected')?.reason ?? new Error('No RPC is configured.');
}
