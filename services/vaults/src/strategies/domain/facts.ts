import { assetsAt, ratio, type StrategySnapshot, showRational } from '@castellan/strategy';
import { totalsOf } from '../../vault/domain/total-assets.ts';
import type { Queue } from './redeem-queue.ts';
import { type RewardFacts, rewardVariables } from './rewards.ts';

/** One yield source as a strategy may see it. Amounts in base units as decimal strings; null for what is not known. */
export type SourceFacts = {
  /** Lower case. */
  readonly address: string;
  readonly amount: string | null;
  readonly shares: string | null;
  readonly pps: string | null;
  readonly available: string | null;
  readonly apy: number | null;
  /** Its highest `pps` of the last seven days, as `apy` knows them; absent from what was recorded before it was known. */
  readonly peak?: string | null;
  readonly tvl: string | null;
  /** What is in force for it; absent from what was recorded before there were targets. */
  readonly target_bps?: number | null;
  readonly cap_bps?: number | null;
};

/** What strategies see of a vault at one block, as it is kept: everything else follows from it. */
export type StrategyFacts = {
  readonly block_number: number;
  readonly block_hash: string;
  /** Unix seconds. */
  readonly block_time: number;
  readonly free: string;
  readonly tvl: string;
  readonly supply: string;
  readonly pps: string;
  readonly pps_precision: string;
  readonly queue_count: number;
  readonly queue_shares: string;
  /** Dollars per whole asset as an exact decimal; null without a price, or when its feed is silent. */
  readonly price: string | null;
  readonly idle_target_bps?: number | null;
  readonly sources: readonly SourceFacts[];
  /** Of the vault's sources; absent from what nobody read rewards for: observations, and what was recorded before there were any. */
  readonly rewards?: readonly RewardFacts[];
};

type Observed = {
  readonly block_number: number;
  readonly block_hash: string;
  readonly block_time: string;
  readonly args: Readonly<Record<string, unknown>>;
};

type ObservedSource = Record<'source_address' | 'assets' | 'shares' | 'available' | 'price_per_share', string | null>;

/** What the feed says; null where it has not said so for longer than it may be silent. */
function priceOf(price: unknown, blockTime: number, maxAgeSeconds: number): string | null {
  if (typeof price !== 'object' || price === null) return null;
  const { answer, decimals, updated_at } = price as { answer: string; decimals: number; updated_at: string };
  return blockTime - Number(updated_at) > maxAgeSeconds ? null : `${answer}e-${decimals}`;
}

/**
 * The facts of an observation, living or just read.
 * @param apyOf - By source in lower case; null where it is not known. So is `peakOf`; without it the facts have no peaks.
 */
export function factsOf(
  observed: Observed,
  queue: Queue,
  known: {
    apyOf: (source: string) => number | null;
    peakOf?: (source: string) => string | null;
    tvlOf?: (source: string) => string | null;
    /** How long the price feed may be silent. */
    priceMaxAgeSeconds: number;
  },
): StrategyFacts {
  const { args } = observed;
  const block_time = Math.floor(Date.parse(observed.block_time) / 1000);
  const text = (name: string): string => String(args[name]);
  return {
    block_number: observed.block_number,
    block_hash: observed.block_hash,
    block_time,
    free: text('idle'),
    tvl: text('total_assets'),
    supply: text('total_supply'),
    pps: text('pps'),
    pps_precision: text('pps_precision'),
    queue_count: queue.count,
    queue_shares: `${queue.shares}`,
    price: priceOf(args.price, block_time, known.priceMaxAgeSeconds),
    sources: (args.allocation as ObservedSource[]).map((source) => {
      const address = String(source.source_address).toLowerCase();
      return {
        address,
        amount: source.assets,
        shares: source.shares,
        pps: source.price_per_share,
        available: source.available,
        apy: known.apyOf(address),
        ...(known.peakOf && { peak: known.peakOf(address) }),
        tvl: known.tvlOf?.(address) ?? null,
      };
    }),
  };
}

const apyText = (apy: number | null): string | null => (apy === null || !Number.isFinite(apy) ? null : String(apy));

/** How far a price is below its peak, exactly. The peak was measured before the price was read, which may be above it. */
function drawdownText(pps: string | null, peak: string | null | undefined): string | null {
  if (pps === null || peak == null) return null;
  const [now, highest] = [BigInt(pps), BigInt(peak)];
  if (highest === 0n) return null;
  return now >= highest ? '0' : showRational(ratio(highest - now, highest));
}

const WHOLE_BPS = 10_000;
/** A share as a fraction; basis points have four decimals at most, which are written as they are. */
const shareText = (bps: number | null | undefined): string | null => (bps == null ? null : String(bps / WHOLE_BPS));

/** What a source lacks to a share of all assets, negative beyond it. */
const lackOf = (bps: number | null | undefined, amount: string | null, total: bigint): string | null =>
  bps == null || amount === null ? null : `${assetsAt(total, bps) - BigInt(amount)}`;

/** Every variable of the language that belongs to the vault. Of rewards, those that were read. */
export function snapshotOf(facts: StrategyFacts): StrategySnapshot {
  const { free, tvl, supply, pps, pps_precision, queue_count, queue_shares, price } = facts;
  const { least } = totalsOf(facts);
  const queueValue = (BigInt(queue_shares) * BigInt(pps)) / BigInt(pps_precision);
  const values: Record<string, string | null> = {
    vault_free_assets: free,
    vault_tvl: tvl,
    vault_total_supply: supply,
    vault_pps: pps,
    vault_redeem_queue_count: `${queue_count}`,
    vault_redeem_queue_value: `${queueValue}`,
    vault_idle_target: shareText(facts.idle_target_bps),
    price,
  };
  for (const { address, amount, shares, pps: sourcePps, available, apy, tvl: sourceTvl, ...more } of facts.sources) {
    const fields = {
      amount,
      shares,
      pps: sourcePps,
      available,
      apy: apyText(apy),
      base_apy: apyText(apy),
      reward_apy: null,
      drawdown: drawdownText(sourcePps, more.peak),
      tvl: sourceTvl,
      target_share: shareText(more.target_bps),
      cap_share: shareText(more.cap_bps),
      to_target: lackOf(more.target_bps, amount, BigInt(tvl)),
      // A mandate's cap is among them, and is judged by what is there.
      to_cap: lackOf(more.cap_bps, amount, least),
    };
    for (const [field, value] of Object.entries(fields)) values[`ys_${address}_${field}`] = value;
  }
  Object.assign(values, rewardVariables(facts.rewards ?? []));
  return { block_number: facts.block_number, block_time: facts.block_time, values };
}

const DAY = 86_400;
const YEAR = 365 * DAY;
/** In units of 10^-12: more than any yield needs, and the same number of digits whatever the prices. */
const SCALE = 10n ** 12n;

type Priced = { readonly time: number; readonly pps: string | null };

function growthBetween(start: Priced, end: Priced): number | null {
  if (!start.pps || !end.pps || BigInt(start.pps) === 0n || end.time - start.time < DAY) return null;
  const growth = Number(((BigInt(end.pps) - BigInt(start.pps)) * SCALE) / BigInt(start.pps)) / Number(SCALE);
  return Math.expm1((YEAR / (end.time - start.time)) * Math.log1p(growth));
}

/** What a source earned by its own share price, annualised over at most seven days; null below a day. Given oldest first. */
export class TrailingYield {
  readonly #seen: Priced[] = [];
  #start = 0;

  /** Adds a share price. @returns the yield at its time. */
  add(time: number, pps: string | null): number | null {
    const end = { time, pps };
    this.#seen.push(end);
    while ((this.#seen[this.#start + 1]?.time ?? Number.POSITIVE_INFINITY) <= time - 7 * DAY) this.#start += 1;
    return growthBetween(this.#seen[this.#start] ?? end, end);
  }
}
