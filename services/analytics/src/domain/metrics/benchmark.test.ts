import { describe, expect, test } from '@jest/globals';
import { type BenchmarkSource, fileBenchmark, YieldSourceBenchmark } from '../benchmark.ts';
import { benchmarkOfFile } from '../benchmark-file.ts';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import type { Figure } from '../figure.ts';
import { momentOf } from '../moment.fixture.ts';
import type { Moment } from '../moment.ts';
import { recompute } from '../published-formulas.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { spanOf } from './apy-and-returns.ts';
import { benchmarkRate, benchmarkReturn, excessOver } from './benchmark.ts';
import { againstBenchmark, lastDays, sharpe, sortino } from './volatility.ts';

const iso = (day: number) => new Date((START + day * DAY) * 1000).toISOString();

/** A price at noon of each of 40 days: it rises by 200 millionths a day and swings by 4 000; the benchmark is what the test says. */
function measured(benchmark?: BenchmarkSource, rates: readonly [day: number, raw: bigint][] = []): Moment {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  const changes = new Map(rates);
  for (let day = 0; day < 40; day += 1) {
    vault.at(START + day * DAY);
    const raw = changes.get(day);
    if (raw !== undefined) vault.chain.benchmark(vault.asset, raw);
    vault.at(START + day * DAY + 12 * HOUR).report(BigInt(1_000_000 + day * 200 + (day % 2) * 4_000));
    vault.observe();
  }
  const { vault: address, asset, entries } = vault;
  return momentOf({ vault: address, asset, entries, benchmark }, { time: START + 40 * DAY });
}

const fileOf = (days: readonly number[], value: (day: number) => string): BenchmarkSource =>
  fileBenchmark(
    benchmarkOfFile(
      { file: 'cash.csv', name: 'Cash', measure: 'level' },
      `time,value\n${days.map((day) => `${iso(day)},${value(day)}`).join('\n')}`,
    ),
  );
const everyDay = Array.from({ length: 41 }, (_, day) => day);

const again = ({ method, inputs }: Figure) => recompute(method, inputs());

describe('against a benchmark', () => {
  test('default: excess over a span is the return less what a changing rate earned in the same seconds', () => {
    const moment = measured(undefined, [
      [0, 3_650_000n],
      [30, 7_300_000n],
    ]);
    const span = spanOf(moment, 20 * DAY);
    const excess = excessOver(moment, span);
    const from = (span?.start.t ?? 0) - START;
    const to = (span?.end.t ?? 0) - START;
    const earned = (1 + (0.0001 * (30 * DAY - from)) / DAY) * (1 + (0.0002 * (to - 30 * DAY)) / DAY) - 1;
    expect(excess.value).toBeCloseTo(Number(span?.end.pps) / Number(span?.start.pps) - 1 - earned, 14);
    expect(excess).toMatchObject({ status: 'ok', window: { from: span?.start.t, to: span?.end.t } });
    expect(benchmarkReturn(moment, START + from, START + to).value).toBeCloseTo(earned, 14);
    const rate = benchmarkRate(moment, START, START + 40 * DAY);
    expect(rate).toMatchObject({ name: 'Overnight rate', source: 'feed' });
    expect(rate.rate.value).toBeCloseTo((1.003 * 1.002) ** (365 / 40) - 1, 12);
    for (const figure of [excess, rate.rate]) expect(again(figure)).toBeCloseTo(figure.value as number, 14);
  });

  test('behavior: a vault that is its own benchmark has no excess, no tracking error and no ratio', () => {
    const moment = measured(fileOf(everyDay, (day) => `1.${String(day * 2).padStart(4, '0')}`));
    const own = measured();
    const like: BenchmarkSource = {
      at: () => ({
        name: 'Itself',
        version: '1',
        measure: 'level',
        source: 'file',
        address: null,
        values: own.history.prices.points.map(({ t, pps }) => ({
          time: t,
          value: pps,
          block: 0,
          decimals: 6,
          at: undefined,
          source: 'the vault',
        })),
      }),
    };
    const same = measured(like);
    expect(excessOver(same, spanOf(same, 30 * DAY)).value).toBe(0);
    const { trackingError, informationRatio } = againstBenchmark(lastDays(same, 30));
    expect(trackingError.value).toBe(0);
    expect(informationRatio).toMatchObject({ value: null, reason: expect.stringContaining('Not meaningful') });
    expect(againstBenchmark(lastDays(moment, 30)).trackingError.value).toBeGreaterThan(0.005);
  });

  test('behavior: Sharpe and Sortino are of what is earned above it; its formula gives each figure again', () => {
    const moment = measured(undefined, [[0, 3_650_000n]]);
    const days = lastDays(moment, 30);
    const without = sharpe(lastDays(measured(), 30));
    const { adjusted, naive } = sharpe(days);
    expect((naive.value as number) < (without.naive.value as number)).toBe(true);
    const { trackingError, informationRatio } = againstBenchmark(days);
    for (const figure of [adjusted, naive, sortino(days), trackingError, informationRatio])
      expect(again(figure)).toBeCloseTo(figure.value as number, 10);
    const daily = naive.inputs().find(({ name }) => name === 'benchmark_daily');
    expect(daily).toMatchObject({
      value: expect.closeTo(Math.log1p(0.0001), 15),
      source: expect.stringContaining('Overnight rate, version 1'),
    });
  });

  test('behavior: the share price of a yield source is read from what was observed of the vault', () => {
    const address = wallet(0x5001);
    const moment = measured(new YieldSourceBenchmark({ name: 'Savings', version: '1', address }));
    const grown = benchmarkReturn(moment, START + 2 * DAY, START + 30 * DAY);
    expect(grown).toMatchObject({ status: 'ok', observed: true });
    expect(grown.value).toBeGreaterThan(0);
    expect(again(grown)).toBe(grown.value);
  });

  test('error: without a benchmark figures say so, and ratios are against holding the asset', () => {
    const moment = measured();
    const missing = { value: null, status: 'insufficient', reason: 'no benchmark is set for this asset' };
    expect(excessOver(moment, spanOf(moment, 7 * DAY))).toMatchObject(missing);
    expect(againstBenchmark(lastDays(moment, 30)).trackingError).toMatchObject(missing);
    expect(benchmarkRate(moment, START, START + DAY)).toMatchObject({ source: 'holding', rate: { value: 0 } });
    const { naive } = sharpe(lastDays(moment, 30));
    expect(naive.value).not.toBeNull();
    expect(again(naive)).toBeCloseTo(naive.value as number, 10);
  });

  test('error: one that begins later than the window, and one whose last value is old', () => {
    const late = measured(fileOf([30, 31], () => '1'));
    expect(excessOver(late, spanOf(late, 20 * DAY)).reason).toContain('the benchmark begins later than 2026-');
    expect(sharpe(lastDays(late, 30)).naive).toMatchObject({
      value: null,
      reason: expect.stringContaining('begins later'),
    });
    const old = measured(fileOf([0, 1], (day) => `1.${day}`));
    expect(excessOver(old, spanOf(old, 20 * DAY))).toMatchObject({
      status: 'stale',
      reason: `the last value of the benchmark is of ${iso(1)}`,
    });
  });
});
