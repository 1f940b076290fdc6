import { type ChainConfig, chainClient, type Fetch, unwrapRpcError } from '@castellan/chain';
import { AppError, type TypedData } from '@castellan/contracts';
import {
  hashMessage,
  hashTypedData,
  isAddressEqual,
  isErc6492Signature,
  recoverAddress,
  type TypedDataDefinition,
} from 'viem';

export type Proof = { address: string; chainId: number; signature: string } & (
  | { kind: 'message'; message: string }
  | { kind: 'typed_data'; typedData: TypedData }
);

type Hex = `0x${string}`;

const hashOf = (proof: Proof): Hex =>
  proof.kind === 'message'
    ? hashMessage(proof.message)
    : hashTypedData(proof.typedData as unknown as TypedDataDefinition);

async function isSignedByKey(proof: Proof): Promise<boolean> {
  try {
    const signer = await recoverAddress({ hash: hashOf(proof), signature: proof.signature as Hex });
    return isAddressEqual(signer, proof.address as Hex);
  } catch {
    return false; // Not a 65-byte signature of a point on the curve: perhaps a contract's.
  }
}

/**
 * Verifies a wallet's signature. A key's signature is recovered here, without the chain; only what does not match is put to
 * the chain, for wallets that are contracts (ERC-1271) or will be (ERC-6492).
 */
export function viemSignatures(chains: readonly ChainConfig[], options: { fetch?: Fetch } = {}) {
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  return {
    knowsChain: (chainId: number): boolean => byId.has(chainId),
    isByKey: isSignedByKey,
    /** @throws AppError RPC_UNAVAILABLE when no node answers. */
    async isByContract(proof: Proof): Promise<boolean> {
      const chain = byId.get(proof.chainId);
      if (!chain) return false;
      const { address, signature } = proof as { address: Hex; signature: Hex };
      // viem tells a node that is away and a refused signature alike; a client of this one check keeps them apart.
      let wasAway = false;
      const client = chainClient(chain, {
        ...options,
        timeoutMs: 1500,
        retries: 1,
        onRequest: ({ ok }) => {
          wasAway ||= !ok;
        },
      });
      try {
        const isDeployed = isErc6492Signature(signature) || Boolean(await client.getCode({ address }));
        if (!isDeployed) return false;
        const isValid =
          proof.kind === 'message'
            ? await client.verifyMessage({ address, message: proof.message, signature })
            : await client.verifyTypedData({
                address,
                signature,
                ...(proof.typedData as unknown as TypedDataDefinition),
              } as Parameters<typeof client.verifyTypedData>[0]);
        if (isValid || !wasAway) return isValid;
      } catch (error) {
        if (!wasAway) throw unwrapRpcError(error);
      }
      throw new AppError(
        'RPC_UNAVAILABLE',
        `No node of ${chain.name} answers, so this wallet cannot be checked. Try again.`,
        {
          data: { retry_after_seconds: 5 },
        },
      );
    },
  };
}
