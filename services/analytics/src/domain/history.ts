import type { AssetPrices } from './asset-prices.ts';
import type { Benchmark, BenchmarkSource } from './benchmark.ts';
import type { Fact } from './facts.ts';
import type { InitialTerms } from './initial-terms.ts';
import { type Activity, ActivityLedger, type TransactionType } from './ledgers/activity-ledger.ts';
import { FeeLedger } from './ledgers/fee-ledger.ts';
import { FlowLedger } from './ledgers/flow-ledger.ts';
import { GasLedger } from './ledgers/gas-ledger.ts';
import { type Holder, HolderLedger } from './ledgers/holder-ledger.ts';
import { ManagerLedger } from './ledgers/manager-ledger.ts';
import { PriceLedger } from './ledgers/price-ledger.ts';
import { RedemptionLedger } from './ledgers/redemption-ledger.ts';
import { SourceLedger } from './ledgers/source-ledger.ts';
import { SourcePriceLedger } from './ledgers/source-price-ledger.ts';
import { TermsLedger } from './ledgers/terms-ledger.ts';
import { type Observation, observationOf, type Price } from './observation.ts';
import type { Dated } from './timeline.ts';

/** A mark on the price chart. */
export type Marker = Dated & {
  /** Of the ABI. */
  readonly event: string;
  readonly kind: 'skim' | 'pause' | 'unpause' | 'stale' | 'hwm_reset' | 'fee_config' | 'check_failed';
  readonly label: string;
  readonly tx: string;
};

/** A hook that was executed, by its address in lower case. */
export type HookExecution = Dated & { readonly hook: string };

/** Money the vault holds for price updates. */
export type UpkeepMove = Dated & {
  readonly tx: string | null;
  readonly index: number;
  readonly kind: 'deposited' | 'spent' | 'withdrawn';
  readonly amount: bigint;
  /** Of its kind up to and including it. */
  readonly toAmount: bigint;
};

/** The least time between two price updates became another. */
export type IntervalChange = Dated & {
  readonly tx: string | null;
  readonly index: number;
  readonly seconds: number;
};

/** A vault's contracts in lower case, its names, and the transaction that deployed it. */
export type VaultIdentity = Dated & {
  readonly vault: string;
  readonly strategy: string;
  readonly escrow: string;
  readonly asset: string;
  readonly name: string;
  readonly symbol: string;
  readonly tx: string;
};

const haveSameSources = (before: Observation | undefined, after: Observation): boolean =>
  before?.sources.length === after.sources.length &&
  after.sources.every(({ address }, at) => before.sources[at]?.address === address);

/** What a group of depositors held at the end of each of its periods that are over: that never changes. */
export type CohortEnds = {
  readonly members: readonly Holder[];
  /** For each period what its members held, ascending. */
  readonly ascending: bigint[][];
  /** For each period the shares bought in the first one that were still held. */
  readonly kept: bigint[];
};

/** What a vault is priced and measured by; of all vaults of its asset. */
export type Priced = {
  readonly asset: AssetPrices;
  readonly native: AssetPrices;
  readonly benchmark?: BenchmarkSource | undefined;
};

/** Answers kept per vault. */
const REMEMBERED = 32;
const zero = '0x0000000000000000000000000000000000000000';

/**
 * All that is known of one vault, folded from its facts in the order of the log. The same facts give the same history, bit for
 * bit; nothing in it is ever changed by what comes later, except that what was open is resolved with the block it happened in,
 * so that any past block can be asked about.
 */
export class VaultHistory {
  readonly identity: VaultIdentity;
  readonly prices: PriceLedger;
  readonly flows = new FlowLedger();
  readonly holders: HolderLedger;
  readonly redemptions = new RedemptionLedger();
  readonly fees = new FeeLedger();
  readonly gas = new GasLedger();
  readonly managers: ManagerLedger;
  readonly terms: TermsLedger;
  readonly observations: Observation[] = [];
  /** Places of the observations whose list of sources is another than that of the one before. */
  readonly sourcesChanged: number[] = [];
  readonly activities = new ActivityLedger();
  readonly markers: Marker[] = [];
  readonly upkeep: Readonly<Record<UpkeepMove['kind'], UpkeepMove[]>> = { deposited: [], spent: [], withdrawn: [] };
  readonly intervals: IntervalChange[] = [];
  readonly hooksExecuted: HookExecution[] = [];
  /** The least time between two price updates that the vault began with; null before it is known. */
  readonly initialIntervalSeconds: number | null;
  readonly sources = new SourceLedger();
  readonly sourcePrices = new SourcePriceLedger();
  /** Net assets of the deposit the strategy has just handled, for the vault's own event that follows in the same transaction. */
  handled: { tx: string | null; net: bigint } | undefined;
  /** By interval and first period: what the periods of groups that are over ended with, as far as somebody asked. */
  readonly cohortEnds = new Map<string, CohortEnds>();
  readonly #remembered = new Map<string, unknown>();
  readonly #asset: AssetPrices;
  readonly #native: AssetPrices;
  readonly #benchmark: BenchmarkSource | undefined;

  constructor(identity: VaultIdentity, terms: InitialTerms | undefined, priced: Priced) {
    this.identity = identity;
    this.prices = new PriceLedger(terms?.performanceFeeBps ?? null);
    this.managers = new ManagerLedger(terms);
    this.terms = new TermsLedger(terms);
    this.initialIntervalSeconds = terms?.minUpdateIntervalSeconds ?? null;
    const { vault, strategy, escrow } = identity;
    this.holders = new HolderLedger([zero, vault, strategy, escrow]);
    if (terms?.feeRecipient) this.holders.exclude(terms.feeRecipient, 0);
    this.#asset = priced.asset;
    this.#native = priced.native;
    this.#benchmark = priced.benchmark;
  }

  /** PPS of 1.0; undefined before the vault has a price. */
  get precision(): bigint | undefined {
    return this.prices.precision;
  }

  /** Digits of the asset; those of the precision, which is 10^decimals. */
  get decimals(): number {
    return (this.precision ?? 1n).toString().length - 1;
  }

  /** The asset's price when a fact happened: the feed's last answer before it, else the last one observed. */
  priceAt(fact: Pick<Fact, 'block' | 'index'>): Price | null {
    const answer = this.#asset.before({ block: fact.block, index: fact.index ?? Number.MAX_SAFE_INTEGER });
    return answer ?? this.observations.at(-1)?.price ?? null;
  }

  nativePriceAt(fact: Pick<Fact, 'block' | 'index'>): Price | null {
    return this.#native.before({ block: fact.block, index: fact.index ?? Number.MAX_SAFE_INTEGER }) ?? null;
  }

  /** Digits of the native coin's price; undefined without a feed. */
  get nativePriceDecimals(): number | undefined {
    return this.#native.answers[0]?.decimals;
  }

  /** What vaults of the asset are measured by, as it was known at a block; null without a benchmark, and before its first value. */
  benchmarkAt(block: number): Benchmark | null {
    return this.#benchmark?.at(block) ?? null;
  }

  get assetPrices(): AssetPrices {
    return this.#asset;
  }

  /**
   * What `make` gave for this key before: for figures of a closed moment that take a walk over many facts. A key names its
   * block and time, so nothing that comes later is missing from what it stands for.
   */
  remember<T>(key: string, make: () => T): T {
    if (this.#remembered.has(key)) return this.#remembered.get(key) as T;
    const made = make();
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(key, made);
    return made;
  }

  observed(fact: Fact): void {
    const seen = observationOf(fact);
    if (!haveSameSources(this.observations.at(-1), seen)) this.sourcesChanged.push(this.observations.length);
    this.observations.push(seen);
    this.sourcePrices.observed(seen);
    this.#benchmark?.observed?.(seen);
    this.managers.observed(seen.primaryManager, seen.secondaryManagers);
    this.terms.observed(seen);
    if (seen.feeRecipient !== zero) this.holders.exclude(seen.feeRecipient, fact.block);
  }

  /** Notes what the vault holds after this fact. */
  valued(fact: Dated): void {
    const point = this.prices.points.at(-1);
    if (point && this.precision !== undefined) this.flows.valued(fact, point.pps, this.precision);
  }

  happened(
    fact: Fact,
    type: TransactionType,
    details: Partial<Pick<Activity, 'wallet' | 'assets' | 'shares' | 'usd' | 'slippage'>>,
  ): void {
    if (fact.tx === null) return;
    this.activities.add({
      block: fact.block,
      time: fact.time,
      tx: fact.tx,
      index: fact.index ?? 0,
      type,
      event: fact.name,
      wallet: null,
      assets: null,
      shares: null,
      usd: null,
      slippage: null,
      pps: this.prices.points.at(-1)?.pps ?? null,
      ...details,
    });
  }

  marked(fact: Fact, kind: Marker['kind'], label: string): void {
    if (fact.tx !== null) {
      const { block, time, tx, name: event } = fact;
      this.markers.push({ block, time, tx, event, kind, label });
    }
  }
}
