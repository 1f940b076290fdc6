import { setTimeout as sleep } from 'node:timers/promises';
import { type ChainConfig, chainClient, type Fetch, isRpcUnavailable, unwrapRpcError } from '@castellan/chain';
import { AppError, type TypedData } from '@castellan/contracts';
import {
  type Client,
  createClient,
  custom,
  hashMessage,
  hashTypedData,
  isAddressEqual,
  isErc6492Signature,
  numberToHex,
  recoverAddress,
  type TypedDataDefinition,
} from 'viem';
import { verifyHash } from 'viem/actions';
import { ConcurrencyLimit } from './concurrency-limit.ts';

export type Proof = { address: string; chainId: number; signature: string } & (
  | { kind: 'message'; message: string }
  | { kind: 'typed_data'; typedData: TypedData }
);

type Hex = `0x${string}`;
type Options = { fetch?: Fetch };

/** Enough for wallets that verify P-256 or several owners in the EVM; a loop ends there within some hundredths of a second. */
const mostGas = 10_000_000;
/** The answer is due within the five seconds of a call over the bus. */
const codeWithinMs = 1500;
const checkWithinMs = 2000;
/** Checks of one address; anybody may name it. */
const checks = { atOnce: 2, waiting: 16 };

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

const isTimeout = (error: unknown): boolean => {
  for (let item = error; item instanceof Error; item = item.cause) if (item.name === 'TimeoutError') return true;
  return false;
};

/**
 * A client whose calls of contracts have a gas cap and are tried once.
 * @param onAway - Called when no node answered. One that took too long over the call did answer: with a contract that does not end.
 */
function cappedClient(chain: ChainConfig, options: Options, onAway: () => void): Client {
  const inner = chainClient(chain, { ...options, timeoutMs: checkWithinMs, retries: 0 });
  const request = async ({ method, params }: { method: string; params: [object, ...unknown[]] }): Promise<unknown> => {
    const [call, ...rest] = params;
    const capped = method === 'eth_call' ? [{ ...call, gas: numberToHex(mostGas) }, ...rest] : params;
    try {
      return await inner.request({ method, params: capped } as Parameters<typeof inner.request>[0]);
    } catch (error) {
      if (isRpcUnavailable(error) && !isTimeout(error)) onAway();
      throw error;
    }
  };
  // No EIP-3668: anybody's contract would have this server fetch addresses of its choice.
  return createClient({ transport: custom({ request }, { retryCount: 0 }), ccipRead: false });
}

const away = (chain: ChainConfig) =>
  new AppError('RPC_UNAVAILABLE', `No node of ${chain.name} answers, so this wallet cannot be checked. Try again.`, {
    data: { retry_after_seconds: 5 },
  });

/** Asked first: it shows whether the node answers at all, and takes nothing that somebody else wrote. */
async function codeOf(chain: ChainConfig, address: Hex, options: Options): Promise<Hex | undefined> {
  try {
    return await chainClient(chain, { ...options, timeoutMs: codeWithinMs, retries: 1 }).getCode({ address });
  } catch (error) {
    throw isRpcUnavailable(error) ? away(chain) : unwrapRpcError(error);
  }
}

async function isAccepted(chain: ChainConfig, proof: Proof, options: Options): Promise<boolean> {
  const { address, signature } = proof as { address: Hex; signature: Hex };
  const code = await codeOf(chain, address, options);
  if (!code && !isErc6492Signature(signature)) return false;
  let wasAway = false;
  const client = cappedClient(chain, options, () => {
    wasAway = true;
  });
  const tooLong = new AbortController();
  const isValid = await Promise.race([
    // viem answers false for a refused signature and for a node that is away alike.
    verifyHash(client, { address, hash: hashOf(proof), signature }).catch(() => false),
    sleep(checkWithinMs, false, { signal: tooLong.signal }).catch(() => false),
  ]);
  tooLong.abort();
  if (!isValid && wasAway) throw away(chain);
  return isValid;
}

/**
 * Verifies a wallet's signature. A key's signature is recovered here, without the chain; only what does not match is put to
 * the chain, for wallets that are contracts (ERC-1271) or will be (ERC-6492). Their code is anybody's: it gets so much gas and
 * time, a few checks of one address run at once, and what does not end within that is no signature.
 */
export function viemSignatures(chains: readonly ChainConfig[], options: Options = {}) {
  const byId = new Map(chains.map((chain) => [chain.chainId, chain]));
  const checking = new ConcurrencyLimit(checks);
  return {
    knowsChain: (chainId: number): boolean => byId.has(chainId),
    isByKey: isSignedByKey,
    /** @throws AppError RPC_UNAVAILABLE when no node answers, RATE_LIMITED when too many checks of the wallet wait. */
    async isByContract(proof: Proof): Promise<boolean> {
      const chain = byId.get(proof.chainId);
      if (!chain) return false;
      return checking.run(`${proof.chainId}:${proof.address.toLowerCase()}`, () => isAccepted(chain, proof, options));
    },
  };
}
