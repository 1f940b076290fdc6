import type { Address } from 'viem';
import { addressOf, cast } from './accounts.ts';
import type { ChainDriver } from './chain-driver.ts';
import { Operations } from './operations.ts';
import { toBase } from './plan.ts';
import { type Random, seededRandom } from './random.ts';
import type { Position } from './signed-prices.ts';
import type { BenchmarkWorld, VaultWorld, World } from './world.ts';

const day = 86_400;
/** How often per day of history prices are reported. */
export const roundsPerDay = 4;
const round = day / roundsPerDay;
const upkeepToken = 10n ** 18n;

/** One person's part in one vault. Days count from the beginning of the history. */
type Depositor = { who: Address; joins: number; leaves: number | undefined; admitted: boolean; gone: boolean };

/** What the scenario remembers of one vault between rounds. */
type Life = {
  world: VaultWorld;
  people: Depositor[];
  waiting: Address[];
  /** Who asked for shares back instead, and who may take them now. */
  cancelling: Address[];
  returned: Address[];
  claims: Set<Address>;
  priceUsd: number;
  /** Paused, or not priced since. */
  closed: boolean;
};

/** `days` is the length of the history; the same `seed` makes the same one. */
export type ScenarioOptions = {
  days: number;
  seed?: number;
  onProgress: (done: number, total: number) => void;
};

/**
 * Ninety days of a vault's life in a minute, all by real transactions: earnings, prices several times a day, joiners and
 * leavers, redemptions, fee skims, one pause, one drawdown. It ends at `endTime`.
 */
export async function playScenario(
  driver: ChainDriver,
  world: World,
  endTime: number,
  options: ScenarioOptions,
): Promise<void> {
  const { days, seed = 20_261_121, onProgress } = options;
  const random = seededRandom(seed);
  const operations = new Operations(driver, world);
  const lives = world.vaults.map((vault) => beginLife(vault, days, random));
  // Managers have what it takes to pay upkeep themselves.
  for (const index of [cast.primaryManager, ...cast.secondaryManagers])
    operations.giveUpkeepTokens(addressOf(index), 10_000n * upkeepToken);
  for (const { world: vault } of lives) operations.depositUpkeep(vault, 600n * upkeepToken);
  await driver.mine(driver.time + 2);
  const total = days * roundsPerDay;
  const begin = endTime - total * round;
  const benchmarks = new Benchmarks(operations, world.benchmarks, seededRandom(seed + 1));
  const rounds = new Rounds(operations, driver, lives, benchmarks, random, days);
  for (let index = 0; index <= total; index += 1) {
    await rounds.play(index, index === total ? endTime - 40 : begin + index * round);
    onProgress(index, total);
  }
  await driver.checkReceipts();
}

function beginLife(world: VaultWorld, days: number, random: Random): Life {
  const people = cast.depositors
    .filter(() => random.chance(0.7))
    .map((index): Depositor => {
      const joins = random.chance(0.4) ? random.int(0, Math.min(4, days - 1)) : random.int(0, Math.max(1, days - 6));
      const leaves = random.chance(0.28) ? joins + random.int(8, 60) : undefined;
      return { who: addressOf(index), joins, leaves, admitted: false, gone: false };
    });
  const first = people[0];
  if (first) Object.assign(first, { joins: 0, leaves: undefined });
  return {
    world,
    people,
    waiting: [],
    cancelling: [],
    returned: [],
    claims: new Set(),
    priceUsd: world.plan.asset.priceUsd,
    closed: false,
  };
}

/** Rates that vaults are measured by, with chance of their own: the history of the vaults is the same without them. */
class Benchmarks {
  readonly #operations: Operations;
  readonly #benchmarks: readonly BenchmarkWorld[];
  readonly #random: Random;

  constructor(operations: Operations, benchmarks: readonly BenchmarkWorld[], random: Random) {
    this.#operations = operations;
    this.#benchmarks = benchmarks;
    this.#random = random;
  }

  /** A rate up to a tenth above or below its own. */
  move(): void {
    for (const { feed, rate } of this.#benchmarks)
      this.#operations.setPrice({ feed }, toBase(rate * (0.9 + 0.2 * this.#random.next()), 8));
  }
}

/** The quarters of the days: what is earned, then the price, then what people do. */
class Rounds {
  readonly #operations: Operations;
  readonly #driver: ChainDriver;
  readonly #lives: Life[];
  readonly #random: Random;
  readonly #days: number;
  /** What the vaults held when they were last priced: what is earned until the next price follows from it. */
  #positions: readonly Position[] = [];
  readonly #benchmarks: Benchmarks;

  constructor(
    operations: Operations,
    driver: ChainDriver,
    lives: Life[],
    benchmarks: Benchmarks,
    random: Random,
    days: number,
  ) {
    this.#benchmarks = benchmarks;
    this.#operations = operations;
    this.#driver = driver;
    this.#lives = lives;
    this.#random = random;
    this.#days = days;
  }

  async play(index: number, at: number): Promise<void> {
    const today = Math.floor(index / roundsPerDay);
    const quarter = index % roundsPerDay;
    this.#earn(index, today, quarter);
    if (quarter === 0) this.#movePrices();
    if (quarter === 0 && today % 7 === 0) this.#benchmarks.move();
    await this.#driver.mine(at);
    const transmitter = cast.transmitters[index % cast.transmitters.length] ?? cast.transmitters[0];
    this.#positions = await this.#operations.publishPrices(transmitter);
    await this.#driver.mine(at + 12);
    if (index > 0) await this.#manage(today, quarter);
    await this.#people(today, quarter);
    await this.#driver.mine(at + 24);
  }

  /** Half of the sources earn in each round, for two rounds. */
  #earn(index: number, today: number, quarter: number): void {
    for (const [at, { world }] of this.#lives.entries()) {
      for (const [nr, source] of world.sources.entries()) {
        const assets = this.#positions[at]?.tvl[nr] ?? 0n;
        if ((index + nr) % 2 === 0 || assets === 0n) continue;
        // Rates turn against a position now and then; a price that only rises would have no volatility.
        if (this.#random.chance(0.05)) {
          this.#operations.lose(source.address, 1n);
          continue;
        }
        const boost = this.#recovery(world, today);
        const share = ((source.apy * boost) / 365 / roundsPerDay) * 2 * (0.5 + this.#random.next());
        this.#operations.earn(source.address, (assets * BigInt(Math.round(share * 1e12))) / 10n ** 12n);
      }
      const loss = this.#lossAt(world, today, quarter);
      const first = world.sources[0];
      if (loss > 0n && first) this.#operations.lose(first.address, loss);
    }
  }

  /** The one drawdown: the looped position of the second vault loses on two days and earns it back over two weeks. */
  #lossAt(world: VaultWorld, today: number, quarter: number): bigint {
    if (world !== this.#lives[1]?.world || quarter !== 1) return 0n;
    const at = Math.floor(this.#days * 0.58);
    if (today === at) return 210n;
    return today === at + 1 ? 80n : 0n;
  }

  #recovery(world: VaultWorld, today: number): number {
    const at = Math.floor(this.#days * 0.58) + 2;
    return world === this.#lives[1]?.world && today >= at && today < at + 16 ? 7 : 1;
  }

  #movePrices(): void {
    for (const life of this.#lives) {
      const { dailyMove, priceUsd } = life.world.plan.asset;
      const drift = life.world.plan.asset.symbol === 'USDC' ? (priceUsd - life.priceUsd) * 0.5 : 0;
      life.priceUsd = Math.max(priceUsd * 0.6, life.priceUsd * (1 + dailyMove * (this.#random.next() - 0.48)) + drift);
      this.#operations.setPrice(life.world, toBase(life.priceUsd, 8));
    }
  }

  /** What managers and the keeper do: fulfil, pause, skim, put idle assets to work. */
  async #manage(today: number, quarter: number): Promise<void> {
    const keeper = addressOf(cast.keeper);
    const pauseDay = Math.floor(this.#days * 0.44);
    const last = this.#lives.length - 1;
    for (const [at, life] of this.#lives.entries()) {
      const pauses = at === last && today === pauseDay && quarter === 1;
      const resumes = at === last && today === pauseDay + 1 && quarter === 0;
      if (resumes) this.#operations.setPaused(life.world, addressOf(cast.secondaryManagers[0]), false);
      // Priced again only by the round after the unpause.
      if (!resumes && life.closed && today > pauseDay) life.closed = false;
      this.#giveBack(life, keeper);
      if (quarter === 1 && [0.25, 0.5, 0.75].some((part) => today === Math.floor(this.#days * part)))
        this.#operations.depositUpkeep(life.world, 500n * upkeepToken);
      if (life.closed) continue;
      if (life.waiting.length > 0 && this.#random.chance(0.6)) {
        const paid = await this.#operations.fulfil(life.world, life.waiting, keeper);
        life.waiting = life.waiting.filter((who) => !paid.includes(who));
        for (const who of paid) life.claims.add(who);
      }
      if (quarter === 2 && [0.33, 0.66, 0.94].some((part) => today === Math.floor(this.#days * part)))
        this.#operations.skim(life.world, keeper);
      if (pauses) {
        this.#operations.setPaused(life.world, addressOf(cast.secondaryManagers[0]), true);
        life.closed = true;
      }
    }
    await this.#driver.mine(this.#driver.time + 4);
    if (quarter !== 3) return;
    for (const life of this.#lives) await this.#operations.allocate(life.world, keeper);
    await this.#driver.mine(this.#driver.time + 4);
  }

  /** Cancelled requests: the shares become claimable, then they are claimed. */
  #giveBack(life: Life, operator: Address): void {
    for (const who of life.returned) this.#operations.claimCancel(life.world, who);
    life.returned = life.cancelling;
    life.cancelling = [];
    if (life.returned.length > 0) this.#operations.fulfilCancels(life.world, life.returned, operator);
  }

  async #people(today: number, quarter: number): Promise<void> {
    for (const life of this.#lives) {
      if (quarter === 1) await this.#claim(life);
      if (life.closed) continue;
      for (const person of life.people) await this.#live(life, person, today, quarter);
    }
  }

  async #claim(life: Life): Promise<void> {
    const people = [...life.claims];
    const amounts = await this.#operations.claimable(life.world, people);
    for (const [index, who] of people.entries()) {
      const amount = amounts[index] ?? 0n;
      if (amount > 0n) this.#operations.withdraw(life.world, who, amount);
    }
    life.claims.clear();
  }

  async #live(life: Life, person: Depositor, today: number, quarter: number): Promise<void> {
    const { world } = life;
    const { least, most } = world.plan.deposit;
    const amount = () => toBase(least + (most - least) * this.#random.next() ** 2, world.plan.asset.decimals);
    if (!person.admitted) {
      if (person.joins > today || (quarter === 0 && today > 0 && this.#random.chance(0.7))) return;
      this.#operations.admit(world, person.who);
      this.#operations.deposit(world, person.who, amount());
      person.admitted = true;
      return;
    }
    if (person.gone) {
      if (this.#random.chance(0.002)) {
        this.#operations.deposit(world, person.who, amount());
        Object.assign(person, { gone: false, leaves: undefined });
      }
      return;
    }
    if (this.#isBusy(life, person)) return;
    const leaving = person.leaves !== undefined && today >= person.leaves;
    if (leaving || this.#random.chance(0.008)) {
      if (today === person.joins) return;
      const [shares] = await this.#operations.balancesOf(world, [person.who]);
      if (!shares) return;
      this.#operations.requestRedeem(
        world,
        person.who,
        leaving ? shares : shares / BigInt(this.#random.int(2, 5)) + 1n,
      );
      life.waiting.push(person.who);
      person.gone = leaving;
    } else if (this.#random.chance(0.016)) {
      this.#operations.deposit(world, person.who, amount() / 2n);
    }
  }

  /** Holders who asked to redeem wait; a few cancel. */
  #isBusy(life: Life, { who }: Depositor): boolean {
    if (!life.waiting.includes(who)) return life.cancelling.includes(who) || life.returned.includes(who);
    if (this.#random.chance(0.07)) {
      this.#operations.cancel(life.world, who);
      life.waiting = life.waiting.filter((other) => other !== who);
      life.cancelling.push(who);
    }
    return true;
  }
}
