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

/** Contracts do not change their kind, so each is asked once. */
export function rpcSourceTypes(): SourceTypes {
  const known = new Map<string, YieldSource['source_type']>();
  return {
    async of(chain, source) {
      const key = `${chain.config.chainId}:${source.toLowerCase()}`;
      const found = known.get(key);
      if (found) return found;
      const contract = { address: source as Address, abi } as const;
      try {
        const answers = await Promise.all([
          orNull(chain.client.readContract({ ...contract, functionName: 'asset' })),
          orNull(chain.client.readContract({ ...contract, functionName: 'convertToAssets', args: [1n] })),
        ]);
        const type = answers.includes(null) ? 'unknown' : 'erc4626';
        known.set(key, type);
        return type;
      } catch (error) {
        throw unwrapRpcError(error);
      }
    },
  };
}
