import { ecdsaPpsOracleAbi, isRpcUnavailable, superVaultAggregatorAbi } from '@castellan/chain';
import {
  type Abi,
  type Address,
  decodeErrorResult,
  decodeEventLog,
  encodeFunctionData,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { sendRefusal } from '../plugin/refusals.ts';
import type { SignedPrice } from '../ports.ts';
import { type PriceContracts, readState } from './strategy-reader.ts';

/** The contract takes no more prices in one call. */
export const MAX_PRICES = 300;

/** What became of one price. superseded: its nonce had been used, so another price is on the chain already. */
export type PriceOutcome = {
  strategy: Address;
  status: 'success' | 'failure' | 'superseded';
  /** Name of the event or error that says why; null on success. */
  reason: string | null;
};

/** Prices that cannot be one call of the contract. */
export class PackError extends Error {
  override readonly name = 'PackError';
}

/** Calldata of `updatePPS`: ascending by strategy, as the contract wants it. @throws PackError. */
export function packPrices(prices: readonly SignedPrice[]): Hex {
  if (prices.length === 0 || prices.length > MAX_PRICES) {
    throw new PackError(`${prices.length} prices are not between 1 and ${MAX_PRICES}.`);
  }
  const sorted = [...prices].sort((a, b) => (BigInt(a.strategy) < BigInt(b.strategy) ? -1 : 1));
  for (const [index, price] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before && BigInt(before.strategy) === BigInt(price.strategy)) {
      throw new PackError(`${price.strategy} has two prices.`);
    }
    if (price.chainId !== sorted[0]?.chainId) throw new PackError('The prices are of different chains.');
    if (price.signatures.length === 0) throw new PackError(`The price of ${price.strategy} has no signatures.`);
  }
  return encodeFunctionData({
    abi: ecdsaPpsOracleAbi,
    functionName: 'updatePPS',
    args: [
      {
        strategies: sorted.map(({ strategy }) => strategy),
        proofsArray: sorted.map(({ signatures }) => signatures),
        ppss: sorted.map(({ pps }) => pps),
        timestamps: sorted.map(({ timestamp }) => timestamp),
      },
    ],
  });
}

type Happened = { from: 'oracle' | 'aggregator'; name: string; args: Record<string, unknown> };

function eventsOf(receipt: TransactionReceipt, { oracle, aggregator }: Omit<PriceContracts, 'governor'>): Happened[] {
  const sources: readonly [Happened['from'], Address, Abi][] = [
    ['oracle', oracle, ecdsaPpsOracleAbi],
    ['aggregator', aggregator, superVaultAggregatorAbi],
  ];
  return receipt.logs.flatMap((log) => {
    const source = sources.find(([, address]) => address.toLowerCase() === log.address.toLowerCase());
    if (!source) return [];
    try {
      const { eventName, args } = decodeEventLog({ abi: source[2], data: log.data, topics: log.topics });
      return eventName ? [{ from: source[0], name: eventName, args: (args ?? {}) as Record<string, unknown> }] : [];
    } catch {
      // A log that a later version of the contract added decides nothing here.
      return [];
    }
  });
}

/** Of what the aggregator says of one price, the event that names the reason; the pause is only what follows from it. */
const reasons = ['InsufficientUpkeep', 'StrategyCheckFailed', 'StrategyPaused'] as const;

/**
 * The aggregator's events by strategy. Two of its refusals name no strategy: since it goes through the valid prices in their
 * order and says something of each, such an event belongs to the price after the one that was spoken of last.
 */
function byStrategy(events: readonly Happened[], validated: readonly string[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  let place = -1;
  for (const { from, name, args } of events) {
    if (from !== 'aggregator') continue;
    const named = typeof args.strategy === 'string' ? validated.indexOf(args.strategy.toLowerCase()) : -1;
    place = named >= 0 ? named : place + 1;
    const strategy = validated[place];
    if (strategy !== undefined) names.set(strategy, [...(names.get(strategy) ?? []), name]);
  }
  return names;
}

/** Errors of the proof check when the signatures are good but over another nonce: the signer it finds is then anybody. */
const wrongSigner = new Set(['INVALID_VALIDATOR', 'INVALID_PROOF', 'ECDSAInvalidSignature']);

function proofFailure({ name, args }: Happened): string {
  if (name === 'ProofValidationFailed') return String(args.reason);
  try {
    return decodeErrorResult({ abi: ecdsaPpsOracleAbi, data: args.data as Hex }).errorName;
  } catch {
    return 'ProofValidationFailedLowLevel';
  }
}

/**
 * One outcome per price, from the logs of the transaction alone: a receipt without a revert says nothing of a price.
 * @param usedNonces - Next nonce by strategy, lower case, after the transaction's block. Without it, a proof that failed for
 * its signer counts as superseded: prices are only sent after the contract was asked about their proofs.
 */
export function decodeOutcome(
  receipt: TransactionReceipt,
  prices: readonly SignedPrice[],
  contracts: Omit<PriceContracts, 'governor'>,
  usedNonces?: ReadonlyMap<string, bigint>,
): PriceOutcome[] {
  const events = eventsOf(receipt, contracts);
  const strategyOf = ({ args }: Happened) => String(args.strategy).toLowerCase();
  const validated = events.filter(({ name }) => name === 'PPSValidated').map(strategyOf);
  const said = byStrategy(events, validated);
  const batch = events.find(({ name }) => name.startsWith('BatchForwardPPSFailed'))?.name;
  const outcome = ({ strategy, nonce }: SignedPrice): Omit<PriceOutcome, 'strategy'> => {
    const key = strategy.toLowerCase();
    if (receipt.status === 'reverted') return { status: 'failure', reason: 'reverted' };
    if (validated.includes(key)) {
      const names = said.get(key) ?? [];
      if (names.includes('PPSUpdated')) return { status: 'success', reason: null };
      const reason = batch ?? reasons.find((name) => names.includes(name)) ?? names.at(-1) ?? 'not_stored';
      return { status: 'failure', reason };
    }
    const failed = events.find((event) => event.name.startsWith('ProofValidationFailed') && strategyOf(event) === key);
    if (!failed) return { status: 'failure', reason: 'not_mentioned' };
    const reason = proofFailure(failed);
    const next = usedNonces?.get(key);
    const isUsed = next === undefined ? wrongSigner.has(reason) : next > nonce;
    return isUsed ? { status: 'superseded', reason: 'nonce_used' } : { status: 'failure', reason };
  };
  return prices.map((price) => ({ strategy: price.strategy, ...outcome(price) }));
}

/** What the contract in use makes of prices; the rest of the node does not know its calls and events. */
export type ContractAdapter = {
  pack(prices: readonly SignedPrice[]): { to: Address; data: Hex };
  /** Those of the prices that the contract would store now. @throws when no node answers. */
  stillUseful(prices: readonly SignedPrice[]): Promise<readonly SignedPrice[]>;
  judge(receipt: TransactionReceipt, prices: readonly SignedPrice[]): readonly PriceOutcome[];
  /**
   * As `judge`, with the nonces of that block: a bad signature then differs from a used nonce.
   * @param node - That which has the block in its chain.
   */
  judgeByNonce(
    receipt: TransactionReceipt,
    prices: readonly SignedPrice[],
    node: PublicClient,
  ): Promise<readonly PriceOutcome[]>;
};

/** The adapter of the production oracle: packed digest, `updatePPS` without deviations. */
export function contractAdapter(options: {
  client: PublicClient;
  contracts: PriceContracts;
  limits: { maxStaleSeconds: number; futureToleranceSeconds: number };
}): ContractAdapter {
  const { client, contracts } = options;
  const settings = { ...options.limits, maxDeviationPpb: null, holdDeviating: false };
  const isUseful = async (price: SignedPrice, block: { number: bigint; timestamp: bigint }): Promise<boolean> => {
    const state = await readState({ client, blockNumber: block.number }, contracts, price.strategy).catch((error) => {
      if (isRpcUnavailable(error)) throw error;
      return null;
    });
    return state !== null && sendRefusal(price, block.timestamp, state, settings) === null;
  };
  return {
    pack: (prices) => ({ to: contracts.oracle, data: packPrices(prices) }),
    stillUseful: async (prices) => {
      const block = await client.getBlock();
      const useful = await Promise.all(prices.map((price) => isUseful(price, block)));
      return prices.filter((_price, index) => useful[index]);
    },
    judge: (receipt, prices) => decodeOutcome(receipt, prices, contracts),
    judgeByNonce: async (receipt, prices, node) => {
      const nonces = await Promise.all(
        prices.map(
          async ({ strategy }) =>
            [
              strategy.toLowerCase(),
              await node.readContract({
                address: contracts.oracle,
                abi: ecdsaPpsOracleAbi,
                blockNumber: receipt.blockNumber,
                functionName: 'noncePerStrategy',
                args: [strategy],
              } as const),
            ] as const,
        ),
      );
      return decodeOutcome(receipt, prices, contracts, new Map(nonces));
    },
  };
}
