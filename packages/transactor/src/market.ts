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

/** What one endpoint says, and up to which block. */
export type Reading = {
  readonly market: Market;
  readonly newest: bigint;
  /** Whether it says what tips are paid; its market has 0 where it does not. */
  readonly saysTips: boolean;
};

/** Endpoints that are further behind than this say what gas cost, not what it costs. */
const currentBlocks = 5n;

/**
 * The lowest of what those say that are about as far as most of them. By the middle one, of two the one that is further: a single one
 * that is behind does not lower the base fee, nor does a single one of three that claims to be far ahead have its own taken. The tip, which is
 * paid whatever the base fee comes to, is the lowest of all that say any, those behind too: of two that claim what they like neither makes us
 * pay more than the other says.
 */
export function currentMarket(readings: readonly [Reading, ...Reading[]]): Market {
  const places = readings.map(({ newest }) => newest).sort((a, b) => (a < b ? -1 : Number(a > b)));
  const middle = places[places.length >> 1] ?? 0n;
  const current = readings.filter(({ newest }) => newest + currentBlocks >= middle);
  const lowest = (of: readonly Reading[]) => {
    const [first, ...others] = of.map(({ market }) => market);
    return first && lowestMarket([first, ...others]);
  };
  const all = lowest(current) ?? readings[0].market;
  return { ...all, tip: lowest(readings.filter(({ saysTips }) => saysTips))?.tip ?? all.tip };
}

/**
 * The market by all endpoints that answer and are not behind; see {@link currentMarket}.
 * @throws the first endpoint's error when none answers.
 */
export async function readMarket(endpoints: readonly PublicClient[], source: PriceSource): Promise<Market> {
  const read = await Promise.allSettled(endpoints.map((client) => readOne(client, source)));
  const [first, ...others] = read.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (first) return currentMarket([first, ...others]);
  throw read.find((each) => each.status === 'rejected')?.reason ?? new Error('No RPC is configured.');
}

async function readOne(client: PublicClient, { type, percentile }: PriceSource): Promise<Reading> {
  if (type === 'legacy') {
    const [baseFee, newest] = await Promise.all([client.getGasPrice(), client.getBlockNumber({ cacheTime: 0 })]);
    return { market: { baseFee, tip: 0n, highTip: 0n }, newest, saysTips: false };
  }
  const { baseFeePerGas, oldestBlock, reward } = await client.getFeeHistory({
    blockCount: historyBlocks,
    rewardPercentiles: [percentile, highPercentile],
  });
  return {
    market: marketOf(baseFeePerGas, reward ?? []),
    // The last base fee is that of the block after the newest.
    newest: oldestBlock + BigInt(baseFeePerGas.length) - 2n,
    saysTips: (reward ?? []).length > 0,
  };
}
