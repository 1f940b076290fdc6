import { decodeRevert, unwrapRpcError } from '@castellan/chain';
import type { Address, Hash, Hex } from 'viem';
import { getAddress, hexToBigInt, hexToNumber, numberToHex } from 'viem/utils';
import type { KnownChain } from './chain-directory.ts';

/** A transaction as the node knows it; `block` is null while it waits. Addresses EIP-55. */
export type NodeTransaction = {
  from: Address;
  to: Address | null;
  input: Hex;
  nonce: number;
  value: bigint;
  gas: bigint;
  mined: boolean;
};
export type NodeReceipt = {
  succeeded: boolean;
  blockNumber: bigint;
  blockHash: Hash;
  blockTime: bigint | null;
  logs: { address: Address; topics: Hex[]; data: Hex; logIndex: number }[];
};

export type TransactionReader = {
  /** @throws AppError RPC_UNAVAILABLE. */
  read(chain: KnownChain, hash: Hash): Promise<{ transaction: NodeTransaction | null; receipt: NodeReceipt | null }>;
  /** Transactions the account has had mined, up to the latest block unless another is named. */
  minedNonce(chain: KnownChain, account: Address, block?: bigint): Promise<number>;
  headBlock(chain: KnownChain): Promise<bigint>;
  /** Hash of the block of this number; null when the chain has none. */
  blockHash(chain: KnownChain, block: bigint): Promise<string | null>;
  /** Why it reverted, by running it again; null when the node has forgotten the state or it does not revert there. */
  revertReason(chain: KnownChain, transaction: NodeTransaction, block: bigint): Promise<string | null>;
};

/** Hash of the block of this number; null while the node has none. @throws what the node's client throws. */
export async function blockHashOf({ client }: KnownChain, block: bigint): Promise<Hash | null> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: [numberToHex(block), false] });
  return found?.hash ?? null;
}

async function blockTimeOf({ client }: KnownChain, hash: Hash): Promise<bigint | null> {
  const block = await client.request({ method: 'eth_getBlockByHash', params: [hash, false] });
  return block && hexToBigInt(block.timestamp);
}

export const rpcTransactions = (): TransactionReader => ({
  async read(chain, hash) {
    const { client } = chain;
    const [raw, receipt] = await Promise.all([
      client.request({ method: 'eth_getTransactionByHash', params: [hash] }),
      client.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
    ]);
    const transaction = raw && {
      from: getAddress(raw.from),
      to: raw.to ? getAddress(raw.to) : null,
      input: raw.input,
      nonce: hexToNumber(raw.nonce),
      value: hexToBigInt(raw.value),
      gas: hexToBigInt(raw.gas),
      mined: raw.blockHash !== null,
    };
    if (!receipt) return { transaction, receipt: null };
    return {
      transaction,
      receipt: {
        succeeded: receipt.status === '0x1',
        blockNumber: hexToBigInt(receipt.blockNumber),
        blockHash: receipt.blockHash,
        blockTime: await blockTimeOf(chain, receipt.blockHash),
        logs: receipt.logs.map((log) => ({
          address: getAddress(log.address),
          topics: log.topics,
          data: log.data,
          logIndex: hexToNumber(log.logIndex ?? '0x0'),
        })),
      },
    };
  },
  async minedNonce({ client }, account, block) {
    const at = block === undefined ? 'latest' : numberToHex(block);
    const count = await client.request({ method: 'eth_getTransactionCount', params: [account, at] });
    return hexToNumber(count);
  },
  async headBlock({ client }) {
    return hexToBigInt(await client.request({ method: 'eth_blockNumber' }));
  },
  blockHash: blockHashOf,
  async revertReason({ client }, { from, to, input, value, gas }, block) {
    // After its block first: what refused it may have been another transaction of the same block.
    for (const blockNumber of [block, block - 1n]) {
      try {
        await client.call({ account: from, ...(to ? { to } : {}), data: input, value, gas, blockNumber });
      } catch (error) {
        const revert = decodeRevert(error);
        if (revert?.name === 'Error') return String(revert.args.message);
        if (revert && revert.name !== 'unknown') return revert.name;
        const unwrapped = unwrapRpcError(error);
        if (unwrapped !== error) throw unwrapped;
        // No revert and no outage: the node has no state for this block.
      }
    }
    return null;
  },
});
