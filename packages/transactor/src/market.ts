import type { PublicClient } from 'viem';

/** What the next block asks of a transaction, and the tip others pay; in wei per gas. */
export type GasPrice = {
  readonly baseFee: bigint;
  /** Mean of the tips paid in the last blocks, zeros left out. */
  readonly tip: bigint;
};

/** The last blocks' word on the price of gas. */
export type Market = GasPrice & {
  /** Above this tip a transaction is not left out for its price; 0: the blocks say nothing. */
  readonly highTip: bigint;
};

const historyBlocks = 10;
const highPercentile = 85;

/** @param rewards - Per block, the tip at the chosen percentile and the one that few pay more than. */
export function marketOf(baseFees: readonly bigint[], rewards: readonly (readonly bigint[])[]): Market {
  const baseFee = baseFees.at(-1);
  if (baseFee === undefined) throw new Error('The node reported no base fee.');
  const paid = rewards.map((reward) => reward[0] ?? 0n).filter((tip) => tip > 0n);
  const sum = paid.reduce((total, tip) => total + tip, 0n);
  const high = rewards.map((reward) => reward[1] ?? 0n);
  return {
    baseFee,
    tip: paid.length > 0 ? sum / BigInt(paid.length) : 0n,
    highTip: high.reduce((most, tip) => (tip > most ? tip : most), 0n),
  };
}

/**
 * The lowest of what several endpoints say: one that lies or is confused must not have us pay its price. Too low an offer is raised
 * after some blocks; that it outbids the dearest blocks has to be so by all of them.
 */
export function lowestMarket(markets: readonly [Market, ...Market[]]): Market {
  return markets.reduce((lowest, market) => ({
    baseFee: market.baseFee < lowest.baseFee ? market.baseFee : lowest.baseFee,
    tip: market.tip < lowest.tip ? market.tip : lowest.tip,
    highTip: market.highTip > lowest.highTip ? market.highTip : lowest.highTip,
  }));
}

/** How the price of gas is read. */
export type PriceSource = {
  type: 'eip1559' | 'legacy';
  /** Which of the tips paid in a block counts, 1 to 99. */
  percentile: number;
};

/**
 * The market by all endpoints that answer.
 * @throws the first endpoint's error when none answers.
 */
export async function readMarket(endpoints: readonly PublicClient[], source: PriceSource): Promise<Market> {
  const read = await Promise.allSettled(endpoints.map((client) => readOne(client, source)));
  const [first, ...others] = read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (first) return lowestMarket([first, ...others]);
  throw read.find((each) => each.status === 'rejected')?.reason ?? new Error('No RPC is configured.');
}

async function readOne(client: PublicClient, { type, percentile }: PriceSource): Promise<Market> {
  if (type === 'legacy') return { baseFee: await client.getGasPrice(), tip: 0n, highTip: 0n };
  const history = await client.getFeeHistory({
    blockCount: historyBlocks,
    rewardPercentiles: [percentile, highPercentile],
  });
  return marketOf(history.baseFeePerGas, history.reward ?? []);
}
