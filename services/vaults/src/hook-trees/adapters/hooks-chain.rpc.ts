import { type HooksState, readHooks, superVaultAggregatorAbi, unwrapRpcError } from '@castellan/chain';
import type { Address, Hex } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';
import type { ChangeTarget } from '../../prepared-calls/changes/domain/change.ts';

export type HooksAt = { hooks: HooksState; blockNumber: bigint; blockTime: bigint };
export type ProvenLeaf = { hook_address: string; encoded_args: Hex; proof: Hex[] };

/** A proof is a few hundred bytes: so many leaves stay far below what a node takes in one call. */
const BATCH = 200;

/** Roots, proposals and vetoes of a vault, and what the chain says of proofs. @throws AppError RPC_UNAVAILABLE. */
export const rpcHooksChain = () => ({
  async read({ client }: KnownChain, { strategy, aggregator }: ChangeTarget): Promise<HooksAt> {
    try {
      const block = await client.getBlock();
      const hooks = await readHooks(client, { strategy, aggregator }, block.number);
      return { hooks, blockNumber: block.number, blockTime: block.timestamp };
    } catch (error) {
      throw unwrapRpcError(error);
    }
  },
  /** `validateHooks` of the aggregator, with proofs of the vault's own tree. */
  async validate(
    { client }: KnownChain,
    { strategy, aggregator }: ChangeTarget,
    leaves: readonly ProvenLeaf[],
    blockNumber: bigint,
  ): Promise<boolean[]> {
    const answers: boolean[] = [];
    try {
      for (let from = 0; from < leaves.length; from += BATCH) {
        const batch = leaves.slice(from, from + BATCH).map(({ hook_address, encoded_args, proof }) => ({
          hookAddress: hook_address as Address,
          hookArgs: encoded_args,
          globalProof: [],
          strategyProof: proof,
        }));
        const call = { address: aggregator, abi: superVaultAggregatorAbi, blockNumber } as const;
        answers.push(
          ...(await client.readContract({ ...call, functionName: 'validateHooks', args: [strategy, batch] })),
        );
      }
      return answers;
    } catch (error) {
      throw unwrapRpcError(error);
    }
  },
});
export type HooksChain = ReturnType<typeof rpcHooksChain>;
