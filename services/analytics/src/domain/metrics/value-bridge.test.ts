import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import type { Figure } from '../figure.ts';
import { momentOf } from '../moment.fixture.ts';
import { played, steps } from '../random-vault.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { valueBridge } from './value-bridge.ts';

/** Digits of the price of a source's share. */
const UNIT = 10n ** 18n;

/** A vault whose positions are what deposits, moves between sources and the share prices of these make them. */
class InvestedVault {
  readonly log = new VaultLog({ performanceFeeBps: 1_000n });
  readonly sources = [1, 2].map(() => ({ shares: 0n, price: UNIT }));
  idle = 0n;
  #time = START;

  constructor() {
    this.log.chain.answer([this.log.asset], 100_000_000n);
  }

  get total(): bigint {
    return this.sources.reduce((total, { shares, price }) => total + (shares * price) / UNIT, this.idle);
  }

  /** Does something in a block of its own, and observes what came of it. */
  does(act: (vault: this) => void): this {
    this.#time += HOUR;
    this.log.at(this.#time);
    act(this);
    const allocation = this.sources.map(({ shares, price }, at) => ({
      source_address: wallet(0x5000 + at),
      assets: `${(shares * price) / UNIT}`,
      available: '0',
      shares: `${shares}`,
      price_per_share: `${price}`,
    }));
    this.log.observe({ idle: `${this.idle}`, allocation });
    return this;
  }

  deposit(assets: bigint): void {
    this.log.deposit(wallet(1), assets, { entryFee: assets / 1_000n });
    this.idle += assets - assets / 1_000n;
  }

  redeem(part: bigint): void {
    const shares = ((this.log.balances.get(wallet(1)) ?? 0n) * part) / 100n;
    const assets = (shares * this.log.pps) / this.log.precision;
    if (shares === 0n || assets > this.idle) return;
    this.log.request(wallet(1), shares).fulfil(wallet(1));
    this.idle -= assets;
  }

  move(at: number, part: bigint): void {
    const source = this.sources[at] as { shares: bigint; price: bigint };
    if (part > 0n) {
      const bought = ((this.idle * part) / 100n / 10n ** 3n) * 10n ** 3n;
      source.shares += (bought * UNIT) / source.price;
      this.idle -= bought;
    } else {
      const sold = (source.shares * -part) / 100n;
      source.shares -= sold;
      this.idle += (sold * source.price) / UNIT;
    }
  }

  earn(at: number, millionths: bigint): void {
    const source = this.sources[at] as { shares: bigint; price: bigint };
    source.price = (source.price * (1_000_000n + millionths)) / 1_000_000n;
  }

  report(): void {
    if (this.log.supply > 0n) this.log.report((this.total * this.log.precision) / this.log.supply);
  }

  skim(): void {
    const { hwm, pps, supply, precision, feeBps } = this.log;
    const profit = pps > hwm ? ((pps - hwm) * supply) / precision : 0n;
    const fee = (profit * feeBps + 9_999n) / 10_000n;
    if (supply === 0n || fee > this.idle) return;
    this.log.skim();
    this.idle -= fee;
  }
}

const source = fc.integer({ min: 0, max: 1 });
const act = fc.oneof(
  fc.bigInt({ min: 10n ** 6n, max: 10n ** 12n }).map((assets) => (vault: InvestedVault) => vault.deposit(assets)),
  fc.bigInt({ min: 1n, max: 100n }).map((part) => (vault: InvestedVault) => vault.redeem(part)),
  fc.tuple(source, fc.bigInt({ min: -100n, max: 100n })).map(
    ([at, part]) =>
      (vault: InvestedVault) =>
        vault.move(at, part),
  ),
  fc.tuple(source, fc.bigInt({ min: -5_000n, max: 20_000n })).map(
    ([at, by]) =>
      (vault: InvestedVault) =>
        vault.earn(at, by),
  ),
  fc.constant((vault: InvestedVault) => vault.report()),
  fc.constant((vault: InvestedVault) => vault.skim()),
);

const units = (figure: Figure): bigint => figure.value as bigint;
const whole = ({ log }: InvestedVault) => ({ from: START - 1, to: log.chain.time });

describe('value bridge', () => {
  test('default: flow, yield of each source, fees and price lead from the first value to the last', () => {
    const vault = new InvestedVault()
      .does((it) => it.deposit(1_000_000_000n))
      .does((it) => it.move(0, 60n))
      .does((it) => it.move(1, 50n))
      .does((it) => it.earn(0, 10_000n))
      .does((it) => it.earn(1, -5_000n))
      .does((it) => it.report())
      .does((it) => it.skim());
    vault.log.at(vault.log.chain.time + HOUR);
    vault.log.chain.answer([vault.log.asset], 110_000_000n);
    const {
      start,
      end,
      flow,
      fees,
      price,
      total,
      yield_by: by,
      ...bridge
    } = valueBridge(momentOf(vault.log), {
      from: START - 1,
      to: vault.log.chain.time,
    });
    expect([start.assets, flow.assets, end.assets].map(units)).toEqual([0n, 999_000_000n, 1_003_495_500n]);
    expect(by.sources.map(({ kind, assets }) => [kind, assets.value])).toEqual([
      ['idle', 0n],
      ['source', 5_994_000n],
      ['source', -999_000n],
    ]);
    // A tenth of the profit, rounded up; the price of a share is whole millionths.
    expect([bridge.yield.assets, fees.assets].map(units)).toEqual([4_995_000n, -499_500n]);
    expect([by.reporting_lag.assets, by.not_observed.assets, by.residual.assets].map(units)).toEqual([0n, 0n, 0n]);
    expect(total.usd.value).toBeCloseTo(1_103.845_05, 6);
    const parts = [flow, bridge.yield, fees, price].map(({ usd }) => usd.value as number);
    expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(1_103.845_05, 6);
  });

  test('property: between any two moments the parts are the change, and sources leave only what rounding takes', () => {
    fc.assert(
      fc.property(fc.array(act, { minLength: 1, maxLength: 60, size: 'max' }), fc.nat(), fc.nat(), (acts, a, b) => {
        const vault = acts.reduce((played, one) => played.does(one), new InvestedVault());
        const length = vault.log.chain.time - START;
        const [from, to] = [a % length, 1 + (b % length)].sort((x, y) => x - y) as [number, number];
        const window = { from: START + from, to: START + to };
        const { start, end, flow, fees, yield_by: by, ...bridge } = valueBridge(momentOf(vault.log), window);
        const earned = units(bridge.yield.assets);
        expect(units(start.assets) + units(flow.assets) + earned + units(fees.assets)).toBe(units(end.assets));
        const parts = [...by.sources, by.reporting_lag, by.not_observed, by.residual];
        if (by.residual.assets.value === null) return;
        expect(parts.reduce((sum, { assets }) => sum + units(assets), 0n)).toBe(earned);
        const residual = units(by.residual.assets);
        expect(residual < 0n ? -residual : residual).toBeLessThanOrEqual(BigInt(2 * acts.length));
      }),
      runs(150),
    );
  });

  test('property: of any history the parts add up, observed or not', () => {
    fc.assert(
      fc.property(steps(40), fc.boolean(), (list, observed) => {
        const vault = played(list, observed);
        const moment = momentOf(vault);
        const { start, end, flow, fees, ...bridge } = valueBridge(moment, { from: START - 1, to: moment.time });
        const moved = units(flow.assets) + units(bridge.yield.assets) + units(fees.assets);
        expect(units(start.assets) + moved).toBe(units(end.assets));
      }),
      runs(60),
    );
  });

  test('behavior: what was earned before observations began is said to be without a source', () => {
    const log = new VaultLog({ performanceFeeBps: 0n });
    log.at(START + HOUR).deposit(wallet(1), 1_000_000n);
    log.at(START + DAY).report(1_010_000n);
    expect(valueBridge(momentOf(log), { from: START, to: START + DAY }).yield_by).toMatchObject({
      sources: [],
      not_observed: { assets: { value: 10_000n } },
      residual: { assets: { value: null, reason: 'no positions were observed by then' } },
    });
    log.at(START + DAY + HOUR).observe();
    log.at(START + 2 * DAY).report(1_020_000n);
    const { yield_by: by } = valueBridge(momentOf(log), { from: START, to: START + 2 * DAY });
    expect(by.not_observed.assets.value).toBe(20_000n);
    expect(by.observed).toEqual({ from: '2026-06-02T01:00:00.000Z', to: '2026-06-02T01:00:00.000Z' });
  });

  test('behavior: a source that is emptied and gives no shares is followed by its share price', () => {
    const vault = new InvestedVault().does((it) => it.deposit(1_000_000_000n)).does((it) => it.move(0, 100n));
    const [own] = vault.sources as [{ shares: bigint; price: bigint }];
    // Earned and taken out within one block.
    vault.does((it) => {
      it.earn(0, 10_000n);
      it.move(0, -100n);
    });
    expect(own.shares).toBe(0n);
    vault.does((it) => it.report());
    const { yield_by: by } = valueBridge(momentOf(vault.log), whole(vault));
    expect([by.sources[1]?.assets, by.residual.assets].map((figure) => units(figure as Figure))).toEqual([
      9_990_000n,
      0n,
    ]);
  });

  test('behavior: without a price at one end there are assets and no dollars', () => {
    const log = new VaultLog().observe();
    log.at(START + HOUR).deposit(wallet(1), 1_000_000n);
    const { flow, price, total } = valueBridge(momentOf(log), { from: START - 1, to: START + HOUR });
    expect(flow).toMatchObject({
      assets: { value: 1_000_000n },
      usd: { value: null, reason: 'the asset has no price' },
    });
    expect([price.usd.value, total.usd.value]).toEqual([null, null]);
  });
});
