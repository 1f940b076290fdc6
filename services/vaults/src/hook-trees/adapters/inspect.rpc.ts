import { hookAbi, unwrapRpcError } from '@castellan/chain';
import { AppError, hasErrorCode } from '@castellan/contracts';
import type { Address, Hex } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';

export type Inspection = { hook: Address; calldata: Hex };
export type InspectHooks = (
  chain: KnownChain,
  calls: readonly Inspection[],
  options: { blockNumber: bigint; onProgress: (done: number) => void; signal: AbortSignal },
) => Promise<Hex[]>;

/** The client puts what is asked in one turn into one HTTP request of this many. */
const BATCH = 100;
const IN_FLIGHT = 4;

async function inspect(chain: KnownChain, { hook, calldata }: Inspection, blockNumber: bigint, row: number) {
  const call = { address: hook, abi: hookAbi, functionName: 'inspect', args: [calldata], blockNumber } as const;
  try {
    return await chain.client.readContract(call);
  } catch (error) {
    const unwrapped = unwrapRpcError(error);
    if (hasErrorCode(unwrapped, 'RPC_UNAVAILABLE')) throw unwrapped;
    throw new AppError('HOOK_ROW_REFUSED', `The hook ${hook} of row ${row} does not answer the call inspect.`, {
      data: { row },
      cause: error,
    });
  }
}

/**
 * What each hook says of its calldata, all at one block, in the order of the calls.
 * @throws AppError HOOK_ROW_REFUSED with the row; RPC_UNAVAILABLE; the signal's reason.
 */
export const rpcInspect =
  (): InspectHooks =>
  async (chain, calls, { blockNumber, onProgress, signal }) => {
    const answers: Hex[] = [];
    let [next, done] = [0, 0];
    const work = async (): Promise<void> => {
      while (next < calls.length) {
        signal.throwIfAborted();
        const from = next;
        const batch = calls.slice(from, from + BATCH);
        next += batch.length;
        const found = await Promise.all(batch.map((call, index) => inspect(chain, call, blockNumber, from + index)));
        for (const [index, answer] of found.entries()) answers[from + index] = answer;
        done += batch.length;
        onProgress(done);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, work));
    return answers;
  };
