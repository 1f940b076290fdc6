import { type Address, type PublicClient, parseAbi } from 'viem';
import { unwrapRpcError } from './client.ts';
import { orNull } from './state/reads.ts';

const gasPriceOracleAbi = parseAbi([
  'function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)',
  'function getOperatorFee(uint256 gasUsed) view returns (uint256)',
]);

/** Of an unsigned EIP-1559 transaction, what its calldata is not: chain, nonce, fees, gas, address, lengths. */
const ENVELOPE_BYTES = 100;

/**
 * What a rollup charges for a transaction beside its gas, in wei: for publishing it on its L1, and for its operator. Nodes refuse a
 * transaction whose account cannot pay it. An upper bound, for a transaction that is not yet signed.
 * @param oracle - The chain's GasPriceOracle; undefined for a chain without such fees.
 * @returns 0n for a chain without such fees.
 * @throws AppError RPC_UNAVAILABLE; viem's error when the oracle does not answer.
 * @see https://specs.optimism.io/protocol/fjord/predeploys.html getL1FeeUpperBound
 */
export async function readL1Fee(
  client: PublicClient,
  oracle: Address | undefined,
  { dataBytes, gas }: { dataBytes: number; gas: bigint },
): Promise<bigint> {
  if (oracle === undefined) return 0n;
  const contract = { address: oracle, abi: gasPriceOracleAbi } as const;
  const size = BigInt(dataBytes + ENVELOPE_BYTES);
  try {
    const [publishing, operator] = await Promise.all([
      client.readContract({ ...contract, functionName: 'getL1FeeUpperBound', args: [size] }),
      // Chains before Isthmus have none.
      orNull(client.readContract({ ...contract, functionName: 'getOperatorFee', args: [gas] })),
    ]);
    return publishing + (operator ?? 0n);
  } catch (error) {
    throw unwrapRpcError(error);
  }
}
