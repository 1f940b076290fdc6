import { type DecodedRevert, decodeRevert, unwrapRpcError } from '@castellan/chain';
import type { Address } from 'viem';
import type { KnownChain } from '../../../chains/chain-directory.ts';
import type { ChangeCall } from '../domain/change.ts';

/** Runs a call without sending it. @returns why it would revert; null when it would pass. @throws AppError RPC_UNAVAILABLE. */
export type Simulate = (
  chain: KnownChain,
  call: Pick<ChangeCall, 'to' | 'data'> & { from: Address },
  blockNumber?: bigint,
) => Promise<DecodedRevert | null>;

export const rpcSimulate =
  (): Simulate =>
  async (chain, { from, to, data }, blockNumber) => {
    const at = blockNumber === undefined ? {} : { blockNumber };
    try {
      await chain.client.call({ account: from, to, data, value: 0n, ...at });
      return null;
    } catch (error) {
      const revert = decodeRevert(error);
      if (revert === null) throw unwrapRpcError(error);
      return revert;
    }
  };
