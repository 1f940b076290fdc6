import { orNull, unwrapRpcError } from '@castellan/chain';
import type { YieldSource } from '@castellan/contracts';
import { type Address, parseAbi } from 'viem';
import type { KnownChain } from '../../chains/chain-directory.ts';

export type SourceTypes = {
  /** What kind of source an address is. @throws AppError RPC_UNAVAILABLE. */
  of(chain: KnownChain, source: string): Promise<YieldSource['source_type']>;
};

const abi = parseAbi([
  'function asset() view returns (address)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
]);

/** What says nothing of itself now may do so once its contract is there: a node may be behind, or have followed a reorg. */
const UNKNOWN_FOR_MS = 60_000;

/** Contracts do not change their kind, so each is asked until it has said it; one that does not, after a while. */
export function rpcSourceTypes(now: () => number): SourceTypes {
  const known = new Map<string, { type: YieldSource['source_type']; until: number }>();
  return {
    async of(chain, source) {
      const key = `${chain.config.chainId}:${source.toLowerCase()}`;
      const found = known.get(key);
      if (found && now() < found.until) return found.type;
      const contract = { address: source as Address, abi } as const;
      try {
        const answers = await Promise.all([
          orNull(chain.client.readContract({ ...contract, functionName: 'asset' })),
          orNull(chain.client.readContract({ ...contract, functionName: 'convertToAssets', args: [1n] })),
        ]);
        const type = answers.includes(null) ? 'unknown' : 'erc4626';
        known.set(key, { type, until: type === 'unknown' ? now() + UNKNOWN_FOR_MS : Number.POSITIVE_INFINITY });
        return type;
      } catch (error) {
        throw unwrapRpcError(error);
      }
    },
  };
}
