import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { roundedNet } from '../ledgers/price-ledger.ts';
import { momentOf } from '../moment.fixture.ts';
import type { Moment } from '../moment.ts';
import { recompute } from '../published-formulas.ts';
import { played, steps } from '../random-vault.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { spanOf } from './apy-and-returns.ts';
import {
  calmar,
  carriedIn,
  drawdownNow,
  drawdownSeries,
  episodesIn,
  lastFall,
  maxDrawdown,
  recoveryTime,
  sinceHigh,
  timeInLoss,
} from './drawdown.ts';

/** Reports once a day without a fee; thousandths of 1.0. */
function reported(thousandths: readonly number[]): Moment {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  thousandths.forEach((value, day) => {
    vault.at(START + (day + 1) * DAY).report(BigInt(Math.round(value * 1_000)));
  });
  return momentOf(vault);
}
const vector = [1_000, 1_010, 1_020, 999, 1_005, 1_030];

describe('maximum drawdown', () => {
  test('default: 1.00, 1.01, 1.02, 0.999, 1.005, 1.03 fell by 2.0588 %', () => {
    const moment = reported(vector);
    expect((maxDrawdown(moment, 7 * DAY).value as number) * 100).toBeCloseTo(2.0588, 4);
    expect(drawdownNow(moment).value).toBe(0);
  });

  test('behavior: the running maximum begins in the window', () => {
    const moment = reported([1_000, 1_100, 1_050, 1_040]);
    expect(maxDrawdown(moment, 2 * DAY).value).toBeCloseTo(10 / 1_050, 12);
    expect(drawdownNow(moment).value).toBeCloseTo(60 / 1_100, 12);
  });

  test('behavior: a skim is no fall', () => {
    const vault = new VaultLog({ performanceFeeBps: 2_000n }).observe();
    vault.at(START + HOUR).deposit(wallet(1), 10n ** 12n);
    vault.at(START + DAY).report(1_100_000n);
    vault.at(START + 2 * DAY).skim();
    vault.at(START + 3 * DAY).report(1_080_000n);
    const moment = momentOf(vault);
    expect(vault.pps).toBeLessThan(1_100_000n);
    expect(maxDrawdown(moment, 3 * DAY).value).toBe(0);
  });

  test('behavior: a younger vault has a partial figure, one observation none', () => {
    expect(maxDrawdown(reported(vector), 90 * DAY).status).toBe('partial');
    expect(maxDrawdown(momentOf(new VaultLog().observe()), DAY)).toMatchObject({ value: null, status: 'insufficient' });
  });

  test('behavior: the deepest fall recovers where it fell from, and not while the price is below', () => {
    const recovery = (path: readonly number[]) => {
      const moment = reported(path);
      return recoveryTime(moment, { from: START - 1, to: moment.time }, maxDrawdown(moment, 0, { isWholeLife: true }));
    };
    expect(recovery(vector).value).toBe(2 * DAY);
    expect(recovery([1_000, 1_100, 1_050])).toMatchObject({
      value: null,
      reason: 'the deepest fall has not been made good',
    });
    expect(recovery([1_000, 1_100])).toMatchObject({ value: null, reason: 'the price did not fall' });
  });

  test('behavior: the last high is the first time that the price was as high', () => {
    expect(sinceHigh(reported([1_000, 1_100, 1_050, 1_100])).value).toBe(2 * DAY);
    expect(sinceHigh(reported(vector)).value).toBe(0);
  });

  test('default: Calmar is the APY for each part of the deepest fall; without a fall there is none', () => {
    const of = (path: readonly number[]) => {
      const moment = reported(path);
      return calmar(moment, spanOf(moment, 5 * DAY), maxDrawdown(moment, 5 * DAY));
    };
    expect(of(vector).value).toBeCloseTo(((1.03 / 1) ** (365 / 5) - 1) / (21 / 1_020), 8);
    expect(of([1_000, 1_001, 1_002, 1_003, 1_004, 1_005])).toMatchObject({
      value: null,
      reason: 'the price did not fall',
    });
    expect(of([100_000, 100_010, 100_020, 99_950, 100_030, 100_040].map((each) => each / 100)).reason).toBe(
      'not meaningful: the price fell by less than 0.1 %',
    );
  });

  test('property: between 0 and 1, the deepest of all points, and no episode is deeper', () => {
    fc.assert(
      fc.property(steps(60), (list) => {
        const moment = momentOf(played(list));
        const window = { from: START - 1, to: moment.time };
        const range = { period: null, ...window };
        const whole = maxDrawdown(moment, moment.time - START + 1).value ?? 0;
        const { falls } = drawdownSeries(moment, window, { range, most: 2_000 });
        const drawdowns = falls.map(({ drawdown }) => drawdown);
        expect(Math.min(0, ...drawdowns)).toBe(0);
        expect(Math.max(0, ...drawdowns)).toBe(whole);
        expect(lastFall(moment, window)).toEqual(falls.at(-1));
        const episodes = episodesIn(moment, window, 0);
        expect(Math.max(0, ...episodes.map(({ depth }) => depth))).toBe(whole);
        expect(whole).toBeLessThanOrEqual(1);
      }),
      runs(300),
    );
  });
});

describe('time in loss', () => {
  const month = (moment: Moment) => ({ from: moment.time - 30 * DAY, to: moment.time });

  test('behavior: a vault that enters the window under water is in loss until its old high', () => {
    // The high of day 5 is reached again on day 30; the window begins after day 10.
    const path = [1_000, 1_010, 1_020, 1_030, 1_040, ...Array.from({ length: 24 }, (_, day) => 1_000 + day)];
    const moment = reported([...path, ...Array.from({ length: 11 }, () => 1_050)]);
    const found = timeInLoss(moment, month(moment));
    // The report at midnight of day 30 counts from the close after it: 20 of the closes of days 11 to 40 are below.
    expect(found).toMatchObject({ value: 20 / 30, sampleSize: 30 });
    expect(recompute(found.method, found.inputs())).toBe(20 / 30);
    expect(carriedIn(moment, month(moment)).value).toBeCloseTo(35 / 1_040, 12);
  });

  test('behavior: a high within a day counts, as it does for the drawdown now', () => {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
    vault.at(START + HOUR).report(1_020_000n);
    vault.at(START + 2 * HOUR).report(1_010_000n);
    const moment = momentOf(vault, { time: START + DAY });
    expect(timeInLoss(moment, month(moment)).value).toBe(1);
    expect(drawdownNow(moment).value).toBeCloseTo(10 / 1_020, 12);
  });

  test('behavior: a close is of the mark in force at midnight, which may have moved since the last report', () => {
    const vault = new VaultLog({ performanceFeeBps: 1_500n }).observe();
    vault.at(START + HOUR).report(1_100_000n);
    vault.at(START + DAY + HOUR).report(1_095_000n);
    const inLoss = (): unknown => {
      const moment = momentOf(vault, { time: START + 2 * DAY });
      const found = timeInLoss(moment, { from: START + DAY, to: START + 2 * DAY });
      expect(recompute(found.method, found.inputs())).toBe(found.value);
      return found.value;
    };
    expect(inLoss()).toBe(1);
    // The fee on 0.095 is waived: 1.095 is more than 1.1 less its fee.
    vault.at(START + DAY + 2 * HOUR).resetMark();
    expect(inLoss()).toBe(0);
  });

  test('behavior: without a close or an observation there is no figure', () => {
    const moment = momentOf(new VaultLog({ performanceFeeBps: 0n }).observe(), { time: START });
    expect(timeInLoss(moment, month(moment)).value).toBeNull();
    expect(carriedIn(moment, { from: START + DAY, to: START + 2 * DAY })).toMatchObject({
      value: null,
      reason: 'no price was reported in the window',
    });
  });
});

describe('episodes', () => {
  test('default: peak, trough and recovery of each fall; the last one may last', () => {
    const moment = reported([...vector, 1_000]);
    const day = (n: number) => START + n * DAY;
    const episodes = episodesIn(moment, { from: START, to: moment.time }, 0.000_01);
    const shown = episodes.map(({ peak, trough, ...rest }) => ({
      start: peak.t,
      trough: trough.t,
      peakNet: roundedNet(peak),
      troughNet: roundedNet(trough),
      ...rest,
    }));
    expect(shown).toEqual([
      { start: day(3), trough: day(4), recovered: day(6), depth: 21 / 1_020, peakNet: 1_020_000n, troughNet: 999_000n },
      { start: day(6), trough: day(7), recovered: null, depth: 30 / 1_030, peakNet: 1_030_000n, troughNet: 1_000_000n },
    ]);
  });

  test('behavior: noise of the last digits is none', () => {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
    vault.at(START + DAY).report(999_999n);
    expect(episodesIn(momentOf(vault), { from: START, to: START + DAY }, 0.000_01)).toEqual([]);
  });
});
