import { type Hash, hexToBigInt } from 'viem';
import { getAddress, numberToHex } from 'viem/utils';
import type { ChainDirectory } from '../../chains/chain-directory.ts';
import type { Receipt } from './transaction-writes.mongo.ts';

/** What transactions cost and accounts have, by the chain itself. */
export type ReceiptReader = {
  /** Null while the chain has no receipt, or no node of it answers. Wei; `fee` with what a rollup takes beside the gas. */
  receipt(chainId: number, hash: string): Promise<Receipt | null>;
  /** Wei of an account now; null when no node answers. */
  balance(chainId: number, account: string): Promise<bigint | null>;
};

type RawReceipt = {
  from: string;
  blockNumber: `0x${string}`;
  gasUsed: `0x${string}`;
  effectiveGasPrice?: `0x${string}`;
  /** Of rollups of the OP stack. */
  l1Fee?: `0x${string}` | null;
};

export function rpcReceipts(
  chains: Pick<ChainDirectory, 'get'>,
  onFailure: (error: unknown, about: { chainId: number }) => void,
): ReceiptReader {
  const tried = async <T>(chainId: number, read: () => Promise<T>): Promise<T | null> => {
    try {
      return await read();
    } catch (error) {
      onFailure(error, { chainId });
      return null;
    }
  };
  return {
    receipt: (chainId, hash) =>
      tried(chainId, async () => {
        const { client } = chains.get(chainId);
        const raw = (await client.request({
          method: 'eth_getTransactionReceipt',
          params: [hash as Hash],
        })) as RawReceipt | null;
        if (!raw?.effectiveGasPrice) return null;
        const [gas, price] = [hexToBigInt(raw.gasUsed), hexToBigInt(raw.effectiveGasPrice)];
        const after = await tried(chainId, () =>
          client.request({
            method: 'eth_getBalance',
            params: [getAddress(raw.from), numberToHex(hexToBigInt(raw.blockNumber))],
          }),
        );
        return {
          gas_used: String(gas),
          gas_price: String(price),
          fee: String(gas * price + (raw.l1Fee ? hexToBigInt(raw.l1Fee) : 0n)),
          balance_after: after === null ? null : String(hexToBigInt(after)),
        };
      }),
    balance: (chainId, account) =>
      tried(chainId, async () => {
        const { client } = chains.get(chainId);
        const params: [`0x${string}`, 'latest'] = [getAddress(account), 'latest'];
        return hexToBigInt(await client.request({ method: 'eth_getBalance', params }));
      }),
  };
}
