import {
  type Decision,
  decide,
  type Explanation,
  newRun,
  type Program,
  type Show,
  type StrategyRun,
  takesFrom,
  tick,
} from '@castellan/strategy';
import { type SourceFacts, type StrategyFacts, snapshotOf } from './facts.ts';
import { payableShares } from './payable-shares.ts';
import { SimulatedRewards } from './simulated-rewards.ts';

/** A strategy that takes part in a simulation; earlier ones act first. `show` writes the values in its reasons. */
export type Contender = { readonly id: string; readonly name: string; readonly program: Program; readonly show: Show };

/** A strategy that fired in a simulation; `time` in Unix seconds, `amount` in base units of the unit it moves. */
export type Firing = {
  strategy_id: string;
  block_number: number;
  time: number;
  action: string;
  target: string;
  /** The source that a rebalance took from, or the token that a swap gave; null for what has one source only. */
  from: string | null;
  amount: string;
  /** In asset base units; null where the source has no price. */
  assets: string | null;
  limited_by: string | null;
  /** The conditions that decided, with the values they had. */
  because: string;
};

type Standing = {
  fired: number;
  first_fired_at: number | null;
  outcomes: Record<string, number>;
  no_value_because: string | null;
  moved: bigint;
  gained: bigint;
};

/** The vault at a block, as it was and as it would have been; asset base units. */
export type Point = {
  time: number;
  block_number: number;
  free: string;
  free_simulated: string;
  tvl: string;
  tvl_simulated: string;
};

/** What a reading says of where the assets are. */
type Allocated = Pick<StrategyFacts, 'free' | 'idle_target_bps' | 'sources'>;

/** The result of a simulation; `gained` in asset base units. `last`: the last reading, as it was and as it would have been. */
export type Replay = {
  last: { recorded: Allocated; simulated: Allocated } | null;
  standings: Map<string, Standing>;
  firings: Firing[];
  points: Point[];
  gained: bigint;
};

const BPS = 10_000n;

/** What is moved: assets, or shares of the source they come out of. A source that is null stands for idle assets. */
type Order = { readonly outOf: string | null; readonly into: string | null; readonly amount: bigint };

/** What is really moved of what was decided, as the keeper cuts it: no more than the source can pay out. */
function payableOf({ size }: Decision, outOf: string | null, { sources }: StrategyFacts) {
  const wanted = BigInt(size.amount ?? 0);
  const source = sources.find(({ address }) => address === outOf);
  // Without its worth there is no price either, and nothing is moved.
  if (!source || source.shares === null || source.amount === null)
    return { amount: wanted, limited_by: size.limited_by };
  const amount = payableShares(wanted, source);
  return { amount, limited_by: amount < wanted ? `ys_${source.address}_available` : size.limited_by };
}

const givesTo = (action: string): boolean => action === 'DEPOSIT' || action === 'REBALANCE';

/** What a contender has moved so far: source shares by source, and the assets it took from idle (negative: gave back). */
type Moved = { shares: Map<string, bigint>; spent: bigint };

/**
 * Base units in a whole share of a source: the power of ten that its holding, price and value agree on; that of the asset while the
 * vault holds nothing of it, as ERC-4626 vaults have it unless they say otherwise.
 */
function wholeShare({ shares, amount, pps }: SourceFacts, assetUnit: bigint): bigint {
  if (!shares || !amount || !pps || BigInt(amount) === 0n) return assetUnit;
  const quotient = (BigInt(shares) * BigInt(pps)) / BigInt(amount);
  // Nearest by ratio: rounding leaves the quotient a little off, never by the square root of ten.
  let unit = 1n;
  while (unit * unit * 10n < quotient * quotient) unit *= 10n;
  return unit;
}

const MOST_CONDITIONS = 5;

/** The conditions that made a node what it is. */
function decidingOf({ type, result, because, children = [] }: Explanation): string[] {
  if (type === 'EXPR') return [because];
  if (type === 'NOT') return [`not (${children.flatMap(decidingOf).join(' and ')})`];
  return children.filter((child) => child.result === result).flatMap(decidingOf);
}

function reasonOf(rule: Explanation): string {
  const conditions = decidingOf(rule);
  const more = conditions.length - MOST_CONDITIONS;
  return `${conditions.slice(0, MOST_CONDITIONS).join(' and ')}${more > 0 ? ` and ${more} more` : ''}`;
}

type Price = { readonly pps: bigint; readonly unit: bigint };

/**
 * What shares of the sources are worth, reading by reading. A source that everybody has left prices its next share by the dust that
 * rounding left in it: such a leap, while the vault holds nothing there, is no price, and the last one stands.
 */
class Prices {
  readonly #last = new Map<string, Price>();
  #priced = new Set<string>();

  read({ sources, pps_precision }: StrategyFacts): void {
    this.#priced = new Set(sources.filter(({ pps }) => pps && BigInt(pps) > 0n).map(({ address }) => address));
    for (const source of sources) {
      if (!this.#priced.has(source.address)) continue;
      const [last, pps] = [this.#last.get(source.address), BigInt(source.pps ?? 0)];
      const isEmpty = BigInt(source.shares ?? 0) === 0n;
      if (isEmpty && last && (pps * 2n > last.pps * 3n || pps * 3n < last.pps * 2n)) continue;
      const unit = isEmpty && last ? last.unit : wholeShare(source, BigInt(pps_precision));
      this.#last.set(source.address, { pps, unit });
    }
  }

  of(source: string): Price | undefined {
    return this.#priced.has(source) ? this.#last.get(source) : undefined;
  }

  /** @returns null while the source has no price. */
  worth(source: string, shares: bigint): bigint | null {
    const price = this.of(source);
    return price ? (shares * price.pps) / price.unit : null;
  }
}

/**
 * Strategies over a sequence of readings. Whatever fires is done at once, at the reading's prices less slippage, and changes what
 * the following readings show: idle assets and holdings are the recorded ones plus what the strategies moved. The recorded
 * past does not answer back: nobody deposits, withdraws or trades otherwise because of it.
 */
export class Simulation {
  readonly #contenders: readonly Contender[];
  readonly #slippageBps: bigint;
  readonly #runs = new Map<string, StrategyRun>();
  readonly #moved = new Map<string, Moved>();
  readonly #prices = new Prices();
  readonly #rewards = new SimulatedRewards();
  readonly result: Replay = { standings: new Map(), firings: [], points: [], gained: 0n, last: null };

  constructor(contenders: readonly Contender[], slippageBps: number) {
    this.#contenders = contenders;
    this.#slippageBps = BigInt(slippageBps);
    for (const { id } of contenders) {
      this.#runs.set(id, newRun);
      this.#moved.set(id, { shares: new Map(), spent: 0n });
      const standing = { fired: 0, first_fired_at: null, outcomes: {}, no_value_because: null, moved: 0n, gained: 0n };
      this.result.standings.set(id, standing);
    }
  }

  /** One reading: every contender in order, each seeing what those before it did. Pauses after each, and is to be taken to its end. */
  *step(recorded: StrategyFacts): Generator<void> {
    this.#prices.read(recorded);
    for (const contender of this.#contenders) {
      this.#judge(contender, recorded);
      yield;
    }
    const simulated = this.#changed(recorded);
    this.result.points.push({
      time: recorded.block_time,
      block_number: recorded.block_number,
      free: recorded.free,
      free_simulated: simulated.free,
      tvl: recorded.tvl,
      tvl_simulated: simulated.tvl,
    });
    this.result.last = { recorded, simulated };
    this.result.gained = this.#settle();
  }

  #judge({ id, program, show }: Contender, recorded: StrategyFacts): void {
    const seen = this.#changed(recorded);
    const standing = this.result.standings.get(id) as Standing;
    const { outcome, because, decision, run } = tick(program, this.#runs.get(id) ?? newRun, snapshotOf(seen), 0);
    this.#runs.set(id, run);
    const config = program.definition.action_config;
    const { action } = config;
    const target = (config.target_address ?? '').toLowerCase();
    const outOf = takesFrom(config);
    const { amount, limited_by } = payableOf(decision, outOf, seen);
    // The keeper sends nothing then.
    const came = outcome === 'fired' && amount === 0n ? 'size_zero' : outcome;
    standing.outcomes[came] = (standing.outcomes[came] ?? 0) + 1;
    if (came === 'no_value') standing.no_value_because = because;
    if (came !== 'fired') return;
    const rewarded = this.#rewards.move(config, amount, { rewards: seen.rewards, keptBps: BPS - this.#slippageBps });
    // What a swap brings is idle then.
    if (rewarded) (this.#moved.get(id) as Moved).spent -= rewarded.assets ?? 0n;
    const assets = rewarded
      ? rewarded.assets
      : this.#execute(id, { outOf, into: givesTo(action) ? target : null, amount });
    standing.fired += 1;
    standing.first_fired_at ??= recorded.block_time;
    standing.moved += assets ?? 0n;
    this.result.firings.push({
      strategy_id: id,
      block_number: recorded.block_number,
      time: recorded.block_time,
      action,
      target,
      from: action === 'SWAP' ? (config.from_address?.toLowerCase() ?? null) : outOf === target ? null : outOf,
      amount: `${amount}`,
      assets: assets === null ? null : `${assets}`,
      limited_by,
      // Written out for what fired only: readings are many.
      because: reasonOf(decide(program, snapshotOf(seen), show).rule),
    });
  }

  /**
   * Out of a source, or out of idle assets; then into another source, or back to idle. Each source that takes part costs the slippage.
   * @returns the assets moved; null when a source has no price, or the action moves none between idle and sources.
   */
  #execute(id: string, { outOf, into, amount }: Order): bigint | null {
    const moved = this.#moved.get(id) as Moved;
    const isPriced = [outOf, into].every((source) => source === null || this.#prices.of(source) !== undefined);
    if ((outOf === null && into === null) || !isPriced) return null;
    const kept = BPS - this.#slippageBps;
    const assets = outOf === null ? amount : ((this.#prices.worth(outOf, amount) ?? 0n) * kept) / BPS;
    const add = (source: string, shares: bigint) => moved.shares.set(source, (moved.shares.get(source) ?? 0n) + shares);
    if (outOf !== null) add(outOf, -amount);
    else moved.spent += amount;
    const price = into === null ? undefined : this.#prices.of(into);
    if (into !== null && price) add(into, (assets * price.unit * kept) / (price.pps * BPS));
    else moved.spent -= assets;
    return assets;
  }

  /** The reading as it would be with everything that was moved. */
  #changed(recorded: StrategyFacts): StrategyFacts {
    let [free, tvl] = [BigInt(recorded.free), BigInt(recorded.tvl)];
    const shares = new Map<string, bigint>();
    for (const moved of this.#moved.values()) {
      free -= moved.spent;
      tvl -= moved.spent;
      for (const [source, amount] of moved.shares) shares.set(source, (shares.get(source) ?? 0n) + amount);
    }
    const sources = recorded.sources.map((source) => {
      const extra = shares.get(source.address) ?? 0n;
      const value = this.#prices.worth(source.address, extra);
      if (extra === 0n || value === null) return source;
      tvl += value;
      const plus = (text: string | null, more: bigint) => (text === null ? null : `${atLeast0(BigInt(text) + more)}`);
      return {
        ...source,
        shares: plus(source.shares, extra),
        amount: plus(source.amount, value),
        available: plus(source.available, value),
      };
    });
    const rewards = recorded.rewards ? { rewards: this.#rewards.changed(recorded.rewards) } : {};
    return { ...recorded, ...rewards, free: `${atLeast0(free)}`, tvl: `${atLeast0(tvl)}`, sources };
  }

  /** What everything moved is worth now, less what it cost. */
  #settle(): bigint {
    let total = 0n;
    for (const [id, { shares, spent }] of this.#moved) {
      let gained = -spent;
      for (const [source, amount] of shares) gained += this.#prices.worth(source, amount) ?? 0n;
      const standing = this.result.standings.get(id);
      if (standing) standing.gained = gained;
      total += gained;
    }
    return total;
  }
}

/** A history in which a manager has meanwhile moved the same assets leaves less than nothing. */
const atLeast0 = (value: bigint): bigint => (value < 0n ? 0n : value);

/** At most so many points, evenly chosen, the first and the last among them. */
export function thinned<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  return Array.from(
    { length: most },
    (_item, index) => items[Math.round((index * (items.length - 1)) / (most - 1))] as T,
  );
}
