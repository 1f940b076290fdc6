import { NET_PPS_DENOMINATOR } from '@castellan/chain';
import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, START } from '../chain-log.fixture.ts';
import type { Figure } from '../figure.ts';
import { momentOf } from '../moment.fixture.ts';
import type { Moment } from '../moment.ts';
import { recompute } from '../published-formulas.ts';
import { sampleDeviation } from '../statistics.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import type { Close } from './daily.ts';
import { returnsOf } from './daily-deviation.ts';
import {
  daysCounted,
  daysOfRange,
  lastDays,
  rollingVolatility,
  sharpe,
  valueAtRisk,
  volatility,
} from './volatility.ts';

/** One report at noon of each day; the price alternates by `swing` millionths around a slow rise. */
function reported(days: number, swing: number, every = 1): Moment {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  for (let day = 0; day < days; day += every)
    vault.at(START + day * DAY + 12 * HOUR).report(BigInt(1_000_000 + day * 100 + (day % 2) * swing));
  return momentOf(vault, { time: START + days * DAY });
}

describe('volatility', () => {
  test('default: sample deviation of daily log returns, annual times the root of 365', () => {
    const moment = reported(31, 5_000);
    const closes = lastDays(moment, 30).closes;
    const returns = closes
      .slice(1)
      .map(({ netNumerator }, day) => Math.log(Number(netNumerator) / Number(closes[day]?.netNumerator)));
    const { daily, annual } = volatility(lastDays(moment, 30));
    expect(daily.value).toBeCloseTo(sampleDeviation(returns) as number, 12);
    expect(annual.value).toBeCloseTo((daily.value as number) * Math.sqrt(365), 14);
    expect(daily).toMatchObject({ status: 'ok', sampleSize: 30 });
  });

  test('behavior: fewer than 20 returns say nothing', () => {
    expect(volatility(lastDays(reported(20, 5_000), 30)).daily).toMatchObject({
      value: null,
      status: 'insufficient',
      reason: '19 daily returns; 20 are needed',
    });
    expect(volatility(lastDays(reported(21, 5_000), 30)).daily.status).toBe('partial');
  });

  test('behavior: days without a report are counted, and too many make the figure stale', () => {
    const moment = reported(31, 5_000, 2);
    expect(lastDays(moment, 30).closes.filter((close) => !close.reported)).toHaveLength(15);
    expect(volatility(lastDays(moment, 30)).daily.status).toBe('stale');
  });

  test('default: every second day up by 0.1 % is 0.0707 % a day, in all that follows from it', () => {
    const vault = new VaultLog({ performanceFeeBps: 0n, decimals: 18 }).observe();
    let pps = 10n ** 18n;
    for (let day = 0; day < 31; day += 2) {
      vault.at(START + day * DAY + 12 * HOUR).report(pps);
      pps = (pps * 1_001n) / 1_000n;
    }
    const sample = lastDays(momentOf(vault, { time: START + 31 * DAY }), 30);
    const { daily, annual } = volatility(sample);
    const expected = Math.sqrt((15 * Math.log(1.001) ** 2) / 30);
    expect((daily.value as number) * 100).toBeCloseTo(0.0707, 4);
    expect(daily.value).toBeCloseTo(expected, 12);
    expect(daily).toMatchObject({ method: 'volatility_irregular', status: 'stale', sampleSize: 30 });
    expect(annual.value).toBeCloseTo(expected * Math.sqrt(365), 12);
    const { adjusted, naive, note } = sharpe(sample);
    expect(note).toBeNull();
    expect(naive.value).toBeCloseTo(((15 * Math.log(1.001)) / 30 / expected) * Math.sqrt(365), 9);
    const rolling = rollingVolatility(sample.closes, 30).at(-1) as Figure;
    expect(rolling).toMatchObject({ value: daily.value, method: 'volatility_irregular', status: 'stale' });
    for (const { value, method, inputs } of [daily, annual, adjusted, naive, rolling])
      expect((recompute(method, inputs()) as number) / (value as number)).toBeCloseTo(1, 12);
  });

  test('edge: exactly a fifth of the days without a report is not too many', () => {
    const daysWithout = (missing: readonly number[]) => {
      const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
      for (let day = 0; day < 31; day += 1)
        if (!missing.includes(day)) vault.at(START + day * DAY + 12 * HOUR).report(BigInt(1_000_000 + day * 1_000));
      return volatility(lastDays(momentOf(vault, { time: START + 31 * DAY }), 30)).daily;
    };
    const fifth = [3, 8, 13, 18, 23, 28];
    expect(daysWithout(fifth)).toMatchObject({ method: 'volatility', status: 'ok' });
    expect(daysWithout([...fifth, 30])).toMatchObject({ method: 'volatility_irregular', status: 'stale' });
  });

  test('edge: with one report or none in all the days there is nothing to measure', () => {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
    vault.at(START + 12 * HOUR).report(1_001_000n);
    const sample = lastDays(momentOf(vault, { time: START + 40 * DAY }), 30);
    expect(volatility(sample).daily).toMatchObject({
      value: null,
      status: 'insufficient',
      reason: 'fewer than two days with a report',
    });
    expect(sharpe(sample).note).toBe('Not meaningful: fewer than two days had a report.');
  });

  test('behavior: figures of a range rest on the returns of its days, and days is how many there are', () => {
    const moment = reported(120, 5_000);
    const range = { period: '90d' as const, from: moment.time - 90 * DAY, to: moment.time };
    const days = daysOfRange(moment, range);
    const { daily } = volatility(days);
    expect(daily).toMatchObject({ status: 'ok', sampleSize: 90, window: { from: range.from, to: range.to } });
    expect(daysCounted(days)).toMatchObject({ days: { value: 90 }, staleDays: { value: 0 } });
    expect(sharpe(days).adjusted.sampleSize).toBe(90);
    const week = daysOfRange(moment, { period: '7d', from: moment.time - 7 * DAY, to: moment.time });
    expect(volatility(week).daily).toMatchObject({ value: null, reason: '7 daily returns; 20 are needed' });
    const life = daysOfRange(moment, { period: 'all', from: START, to: moment.time });
    expect(volatility(life).daily).toMatchObject({ status: 'ok', sampleSize: 119 });
  });

  test('behavior: a rolling figure over fewer than 20 returns is marked, one without its days has no value', () => {
    const { closes } = lastDays(reported(31, 5_000), 30);
    const d7 = rollingVolatility(closes, 7);
    const d30 = rollingVolatility(closes, 30);
    expect(d7.at(-1)).toMatchObject({ status: 'partial', reason: '7 daily returns; 20 are needed', sampleSize: 7 });
    expect(d7.at(-1)?.value).not.toBeNull();
    expect(d30.at(-1)).toMatchObject({ status: 'ok', reason: null, sampleSize: 30 });
    expect(d30[12]).toMatchObject({ value: null, status: 'insufficient', reason: '12 of 30 daily returns' });
  });

  test('behavior: a ratio over a price that hardly varies is not meaningful, not 30', () => {
    expect(sharpe(lastDays(reported(31, 0), 30))).toMatchObject({ adjusted: { value: null }, naive: { value: null } });
    expect(sharpe(lastDays(reported(31, 0), 30)).note).toMatch(/^Not meaningful/);
    expect(sharpe(lastDays(reported(31, 20_000), 30)).note).toBeNull();
    expect(sharpe(lastDays(reported(31, 20_000), 30)).adjusted.value).not.toBeNull();
  });

  test('behavior: the formula that a receipt prints evaluates to the figure, on the terms it lists', () => {
    const { adjusted, naive } = sharpe(lastDays(reported(31, 20_000), 30));
    for (const { value, method, inputs } of [adjusted, naive]) {
      expect((recompute(method, inputs()) as number) / (value as number)).toBeCloseTo(1, 12);
      // The steps that are shown follow from the closes: another one is refused.
      for (const step of ['mean', 'volatility', ...(method === 'sharpe' ? ['lag', 'rho'] : [])]) {
        const altered = inputs().map((input) =>
          input.name === step ? { ...input, value: Number(input.value) * 1.001 } : input,
        );
        expect(() => recompute(method, altered)).toThrow(`The input ${step} is not what the formula gives for it.`);
      }
    }
    // Up one day and down the next: the first lag is far outside of chance, and lengthens the ratio.
    const lags = adjusted.inputs().filter(({ name }) => name === 'lag');
    expect(lags.length).toBeGreaterThan(0);
    expect(adjusted.value).toBeGreaterThan(naive.value as number);
  });

  test('behavior: a fee that is waived is no return', () => {
    const grown = (waive: boolean) => {
      const vault = new VaultLog({ performanceFeeBps: 2_000n }).observe();
      for (let day = 0; day < 31; day += 1) {
        vault.at(START + day * DAY + 12 * HOUR).report(BigInt(1_000_000 + day * 1_000));
        if (waive && day === 15) vault.changeFee(2_000n);
      }
      return lastDays(momentOf(vault, { time: START + 31 * DAY }), 30).closes;
    };
    const jumps = (closes: readonly Close[]) => Math.max(...returnsOf(closes));
    const plain = grown(false);
    const waived = grown(true);
    // 3 000 of 1 015 000 were waived: three days' earnings at once.
    expect((waived.at(-1)?.netNumerator ?? 0n) - (plain.at(-1)?.netNumerator ?? 0n)).toBe(3_000n * NET_PPS_DENOMINATOR);
    expect(jumps(waived)).toBeLessThan(jumps(plain) * 1.01);
  });

  test('behavior: 99 % needs 250 days; losses are positive', () => {
    const found = valueAtRisk(lastDays(reported(31, 20_000), 30).closes);
    expect(found.p95.value).toBeGreaterThan(0.019);
    expect(found.expected_shortfall_95.value).toBeGreaterThanOrEqual(found.p95.value as number);
    expect(found.p99).toMatchObject({ value: null, reason: '30 daily returns; 250 are needed' });
  });
});
