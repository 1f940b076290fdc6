import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { type PpsPoint, roundedNet } from '../ledgers/price-ledger.ts';
import { annualised, YEAR_SECONDS } from '../metric-math.ts';
import { momentOf } from '../moment.fixture.ts';
import type { Moment } from '../moment.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import {
  aprOver,
  apyOver,
  currentApy,
  currentSpan,
  feeDrag,
  grossApy,
  returnOver,
  spanOf,
  spanOfRange,
  spanSinceInception,
} from './apy-and-returns.ts';
import { dailyCloses } from './daily.ts';
import { drawdownNow } from './drawdown.ts';

const apy = (moment: Moment, days: number) => apyOver(moment, spanOf(moment, days * DAY));
const percent = (value: unknown): string => `${((value as number) * 100).toFixed(4)} %`;

/** A vault whose price goes from 1.0 by a millionth part within days; seen at the end. */
function moved(millionths: bigint, days: number, seenAfterDays = days): Moment {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  vault.at(START + days * DAY).report(1_000_000n + millionths);
  return momentOf(vault, { time: START + seenAfterDays * DAY });
}

describe('published test vectors', () => {
  test.each([
    [4_000n, 30, '4.9768 %'],
    [1_000n, 7, '5.3499 %'],
    [-2_000n, 7, '-9.9126 %'],
    [130n, 1, '4.8591 %'],
  ])('default: a move of %d millionths in %d days is an APY of %s', (millionths, days, expected) => {
    expect(percent(apy(moved(millionths, days), days).value)).toBe(expected);
  });

  test('default: 0.4 % in 30 days is an APR of 4.8667 %', () => {
    const moment = moved(4_000n, 30);
    expect(percent(aprOver(moment, spanOf(moment, 30 * DAY)).value)).toBe('4.8667 %');
  });

  test('behavior: observations six days apart inside a week are annualised over six days', () => {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
    vault.at(START + 6 * DAY).report(1_000_780n);
    const found = apy(momentOf(vault, { time: START + 7 * DAY }), 7);
    expect((annualised(0.000_78, 6 * DAY) * 100).toFixed(2)).toBe('4.86');
    expect((annualised(0.000_78, 7 * DAY) * 100).toFixed(2)).toBe('4.15');
    expect(found.value).toBeCloseTo(annualised(0.000_78, 6 * DAY), 14);
    expect(found.window).toEqual({ from: START, to: START + 6 * DAY });
  });
});

describe('net of the accrued fee', () => {
  test('default: p 1.05, mark 1.04, fee 15 % is a net of 1.0485', () => {
    const vault = new VaultLog({ performanceFeeBps: 1_500n }).observe();
    vault.at(START + HOUR).deposit(wallet(1), 1_000_000n);
    vault
      .at(START + DAY)
      .report(1_040_000n)
      .resetMark();
    vault.at(START + 2 * DAY).report(1_050_000n);
    const last = momentOf(vault).history.prices.points.at(-1) as PpsPoint;
    expect(last).toMatchObject({ pps: 1_050_000n, hwm: 1_040_000n, netNumerator: 10_485_000_000n });
    expect(roundedNet(last)).toBe(1_048_500n);
  });

  test('behavior: parts of a raw unit count, in a return and in a fall', () => {
    const vault = new VaultLog({ performanceFeeBps: 1_500n }).observe();
    // 0.85 of a raw unit is left of the first rise, 0.85 of 3 of the second.
    vault.at(START + DAY).report(1_000_001n);
    vault.at(START + 2 * DAY).report(1_000_003n);
    vault.at(START + 3 * DAY).report(1_000_002n);
    const moment = momentOf(vault);
    expect(moment.history.prices.points.map(roundedNet)).toEqual([1_000_000n, 1_000_000n, 1_000_002n, 1_000_001n]);
    const firstDay = momentOf(vault, { time: START + DAY });
    expect(returnOver(firstDay, spanOf(firstDay, DAY)).value).toBe(8.5e-7);
    expect(returnOver(moment, spanSinceInception(moment)).value).toBe(1.7e-6);
    expect(drawdownNow(moment).value).toBeCloseTo(0.85 / 1_000_002.55, 15);
    const shown = Object.fromEntries(
      apyOver(moment, spanSinceInception(moment))
        .inputs()
        .map(({ name, value, unit }) => [name, `${value} ${unit}`]),
    );
    expect(shown).toMatchObject({ net_start: '10000000000 pps / 10000', net_end: '10000017000 pps / 10000' });
  });

  test('behavior: daily returns after a waiver are exact too', () => {
    const vault = new VaultLog({ performanceFeeBps: 1_500n }).observe();
    vault.at(START + 12 * HOUR).report(1_000_001n);
    vault
      .at(START + DAY + 12 * HOUR)
      .report(1_000_003n)
      .resetMark();
    vault.at(START + 2 * DAY + 12 * HOUR).report(1_000_004n);
    const closes = dailyCloses(momentOf(vault, { time: START + 3 * DAY }), START, START + 3 * DAY);
    const [first, second, third] = closes.map(({ earned, earnedDenominator }) => [earned, earnedDenominator]);
    // The reset waived 0.45 of a raw unit: the last price is 1 000 003.85 x 1 000 002.55 / 1 000 003.
    expect(closes.map(({ netNumerator }) => netNumerator)).toEqual([10_000_008_500n, 10_000_025_500n, 10_000_038_500n]);
    expect(first?.[1]).toBe(10_000n * 10_000_030_000n);
    expect([first?.[0], second?.[0], third?.[0]]).toEqual([
      10_000_008_500n * 10_000_030_000n,
      10_000_025_500n * 10_000_030_000n,
      10_000_038_500n * 10_000_025_500n,
    ]);
  });

  test('behavior: a skim lowers the gross price and not the net one, so it is no loss', () => {
    const vault = new VaultLog({ performanceFeeBps: 1_000n }).observe();
    vault.at(START + HOUR).deposit(wallet(1), 1_000_000_000n);
    vault.at(START + DAY).report(1_050_000n);
    vault.at(START + DAY + HOUR).skim();
    vault.at(START + 2 * DAY).report(1_045_000n);
    const moment = momentOf(vault);
    expect(moment.history.prices.points.map(roundedNet)).toEqual([1_000_000n, 1_045_000n, 1_045_000n, 1_045_000n]);
    expect(returnOver(moment, spanOf(moment, DAY)).value).toBe(0);
    expect(returnOver(moment, spanSinceInception(moment)).value).toBe(0.045);
    // Before the fee the vault earned all of the 5 %.
    expect(grossApy(moment, spanSinceInception(moment)).value).toBeCloseTo(annualised(0.05, 2 * DAY), 9);
    const drag = annualised(0.05, 2 * DAY) - annualised(0.045, 2 * DAY);
    expect(feeDrag(moment, spanSinceInception(moment)).value).toBeCloseTo(drag, 9);
  });

  test.each([
    ['a governance reset', (vault: VaultLog) => vault.resetMark()],
    ['new fee terms', (vault: VaultLog) => vault.changeFee(2_000n)],
    ['the fee switched off', (vault: VaultLog) => vault.changeFee(0n)],
  ])('behavior: what %s waives is no yield', (_, waive) => {
    const vault = new VaultLog({ performanceFeeBps: 1_000n }).observe();
    vault.at(START + HOUR).deposit(wallet(1), 1_000_000_000n);
    vault.at(START + DAY).report(1_050_000n);
    waive(vault.at(START + DAY + HOUR));
    vault.at(START + 3 * DAY).report(1_050_000n);
    const moment = momentOf(vault);
    const points = moment.history.prices.points.map(roundedNet);
    expect(points).toEqual([1_000_000n, 1_045_000n, 1_050_000n]);
    expect(returnOver(moment, spanOf(moment, 2 * DAY)).value).toBe(0);
    expect(returnOver(moment, spanSinceInception(moment)).value).toBe(0.045);
  });

  test.each([
    ['after', 0.045, (vault: VaultLog) => vault.report(1_050_000n).resetMark()],
    ['before', 0.05, (vault: VaultLog) => vault.resetMark().report(1_050_000n)],
  ])('behavior: a waiver in the block of a price, %s it, is placed by its log index', (_, expected, block) => {
    const vault = new VaultLog({ performanceFeeBps: 1_000n }).observe();
    vault.at(START + HOUR).deposit(wallet(1), 1_000_000_000n);
    if (expected === 0.05) vault.resetMark();
    block(vault.at(START + DAY));
    vault.at(START + 3 * DAY).report(vault.pps);
    const moment = momentOf(vault);
    const first = spanOf(momentOf(vault, { time: START + DAY }), DAY);
    const second = spanOf(moment, 2 * DAY);
    expect(returnOver(moment, first).value).toBe(0.045);
    expect(returnOver(moment, second).value).toBe(0);
  });
});

describe('too little history', () => {
  test('behavior: negative figures are shown with their sign', () => {
    const moment = moved(-2_000n, 7);
    expect(apy(moment, 7).value).toBeLessThan(0);
    expect(returnOver(moment, spanOf(moment, 7 * DAY)).value).toBe(-0.002);
  });

  test('behavior: null, not zero, below a day and below half of the window', () => {
    expect(apy(moved(100n, 0.5), 1)).toMatchObject({ value: null, status: 'insufficient' });
    expect(apy(moved(100n, 2), 7)).toMatchObject({ value: null, status: 'insufficient' });
    expect(apy(moved(100n, 4), 7)).toMatchObject({ status: 'partial', reason: 'the vault is younger than the window' });
  });

  test('behavior: a vault whose price has expired has stale figures', () => {
    expect(apy(moved(100n, 7, 9), 7).status).toBe('stale');
    expect(currentApy(moved(100n, 7, 9)).status).toBe('stale');
  });

  test('behavior: a past range whose own last price was usable at its end is not stale', () => {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
    for (let day = 1; day <= 9; day += 1) vault.at(START + day * DAY).report(1_000_000n + BigInt(day) * 100n);
    const moment = momentOf(vault, { time: START + 30 * DAY });
    const statusUntil = (day: number) => {
      const span = spanOfRange(moment, { from: START + DAY, to: START + day * DAY });
      return [returnOver, apyOver, aprOver].map((figureOver) => figureOver(moment, span).status);
    };
    expect(statusUntil(8.5)).toEqual(['ok', 'ok', 'ok']);
    expect(statusUntil(12)).toEqual(['stale', 'stale', 'stale']);
  });

  test('behavior: a price expires from the time inside its report, however late its block', () => {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe({ pps_expiration_seconds: DAY });
    vault.at(START + 7 * DAY + 6 * HOUR).report(1_000_100n, START + 7 * DAY);
    const statusAt = (time: number) => apy(momentOf(vault, { time }), 7).status;
    expect([statusAt(START + 8 * DAY), statusAt(START + 8 * DAY + 1)]).toEqual(['ok', 'stale']);
  });

  test('behavior: without a reading of the fee there is no net price and no return', () => {
    const vault = new VaultLog();
    vault.at(START + 7 * DAY).report(1_001_000n);
    const moment = momentOf(vault);
    expect(returnOver(moment, spanOf(moment, 7 * DAY))).toMatchObject({
      value: null,
      reason: 'the performance fee before its first change is not known',
    });
  });

  test('behavior: the current APY ends with the last report, over a day or twice the staleness', () => {
    const vault = new VaultLog().observe({ max_staleness_seconds: 18 * HOUR });
    for (let day = 1; day <= 5; day += 1) vault.at(START + day * DAY).report(1_000_000n + BigInt(day) * 100n);
    const span = currentSpan(momentOf(vault, { time: START + 5 * DAY + HOUR }));
    expect([span?.start.t, span?.end.t, span?.asked]).toEqual([START + 3 * DAY, START + 5 * DAY, 36 * HOUR]);
  });

  test('behavior: stretches without a report are named as gaps', () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).report(1_000_000n);
    vault.at(START + 5 * DAY).report(1_001_000n);
    const moment = momentOf(vault);
    expect(apyOver(moment, spanSinceInception(moment)).gaps()).toEqual([
      { from: START + HOUR, to: START + 5 * DAY, reason: 'no price was reported' },
    ]);
    expect(YEAR_SECONDS).toBe(365 * DAY);
  });
});
