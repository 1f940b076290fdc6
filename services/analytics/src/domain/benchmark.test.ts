import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Benchmark, growthBetween, growthOfDay, wholeGrowth } from './benchmark.ts';
import { benchmarkOfFile } from './benchmark-file.ts';
import { DAY, START } from './chain-log.fixture.ts';
import { momentOf } from './moment.fixture.ts';
import { VaultLog } from './vault-log.fixture.ts';

const csv = (rows: string, measure: Benchmark['measure'] = 'level') =>
  benchmarkOfFile({ file: 'cash.csv', name: 'Cash', measure }, `time,value\n${rows}`);

describe('what feeds answer', () => {
  test('default: the answers up to a block, and another version begins another series', () => {
    const vault = new VaultLog().observe();
    vault.chain.benchmark(vault.asset, 4_000_000n);
    vault.at(START + DAY).chain.benchmark(vault.asset, 5_000_000n);
    const before = vault.chain.block;
    vault.at(START + 2 * DAY).chain.benchmark(vault.asset, 6_000_000n, { version: '2' });
    const { history } = momentOf(vault);
    expect(history.benchmarkAt(before)).toMatchObject({
      name: 'Overnight rate',
      version: '1',
      source: 'feed',
      values: [{ value: 4_000_000n }, { value: 5_000_000n, decimals: 8, at: { time: START + DAY } }],
    });
    expect(history.benchmarkAt(vault.chain.block)).toMatchObject({ version: '2', values: [{ value: 6_000_000n }] });
  });

  test('behavior: the feed of a benchmark is no price, and one of another asset is no benchmark', () => {
    const vault = new VaultLog().observe();
    vault.chain.benchmark(vault.asset, 4_000_000n);
    vault.at(START + DAY).chain.benchmark('0x00000000000000000000000000000000000000Ff', 9n);
    const { history } = momentOf(vault);
    expect(history.assetPrices.answers).toEqual([]);
    expect(history.benchmarkAt(vault.chain.block)?.values).toHaveLength(1);
  });

  test('error: a level of 0 and a rate that leaves nothing are no values', () => {
    const vault = new VaultLog().observe();
    vault.chain.benchmark(vault.asset, 0n, { measure: 'level' });
    vault.at(START + DAY).chain.benchmark(vault.asset, -100_000_000n);
    expect(momentOf(vault).history.benchmarkAt(vault.chain.block)).toBeNull();
  });
});

describe('growth', () => {
  const grown = (benchmark: Benchmark, from: number, to: number) => {
    const { numerator, denominator } = wholeGrowth(growthBetween(benchmark, from, to) ?? []);
    return Number(numerator) / Number(denominator) - 1;
  };

  test('default: of a level its change; a rate accrues evenly and is compounded when it changes', () => {
    const level = csv('1970-01-01,100\n1970-01-11,101');
    expect(grown(level, 0, 20 * DAY)).toBeCloseTo(0.01, 12);
    const rate = csv('1970-01-01,0.0365\n1970-01-11,0.073', 'yearly_rate');
    expect(grown(rate, 0, 20 * DAY)).toBeCloseTo(1.001 * 1.002 - 1, 12);
    expect(growthOfDay(rate, 10)).toMatchObject({ kind: 'rate', rate: { value: 73n * 10n ** 15n } });
  });

  test('behavior: without a value at the beginning there is none', () => {
    expect(growthBetween(csv('1970-01-02,1'), 0, 2 * DAY)).toBeNull();
    expect(growthOfDay(csv('1970-01-02,1'), 1)).toBeNull();
  });

  test('property: growth up to a change and from it on is the growth of the whole', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 2, maxLength: 12 }),
        fc.constantFrom('level' as const, 'yearly_rate' as const),
        fc.nat(),
        (thousandths, measure, at) => {
          const rows = thousandths.map((value, day) => `${new Date(day * DAY * 1000).toISOString()},0.${value + 99}`);
          const series = csv(rows.join('\n'), measure);
          const middle = (at % thousandths.length) * DAY;
          const end = (thousandths.length + 1) * DAY;
          const parts = [growthBetween(series, 0, middle), growthBetween(series, middle, end)].map((steps) =>
            wholeGrowth(steps ?? []),
          );
          const whole = wholeGrowth(growthBetween(series, 0, end) ?? []);
          const product = (key: 'numerator' | 'denominator') => parts.reduce((total, part) => total * part[key], 1n);
          expect(product('numerator') * whole.denominator).toBe(whole.numerator * product('denominator'));
        },
      ),
      runs(60),
    );
  });
});

describe('files', () => {
  test('default: CSV and JSON of the same values, each with the version of its bytes', () => {
    const { version, values } = csv('2026-06-01,1.5\n2026-06-02T12:00:00Z,1.51\n');
    const json = benchmarkOfFile(
      { file: 'cash.json', name: 'Cash', measure: 'level' },
      '[{"time":"2026-06-01","value":"1.5"},{"time":"2026-06-02T12:00:00Z","value":1.51}]',
    );
    expect(values.map(({ time, value }) => [time, value])).toEqual(json.values.map(({ time, value }) => [time, value]));
    expect(values[1]).toMatchObject({ value: 151n * 10n ** 16n, source: 'cash.csv, line 3, 2026-06-02T12:00:00Z' });
    expect(version).toMatch(/^[0-9a-f]{12}$/);
    expect(version).not.toBe(json.version);
    expect(csv('2026-06-01,1.5\n2026-06-02T12:00:00Z,1.52\n').version).not.toBe(version);
  });

  test.each([
    ['2026-06-01', 'cash.csv, line 2: "2026-06-01" must be a time, a comma and a value'],
    ['2026-02-30,1', 'cash.csv, line 2: "2026-02-30" must be a UTC time such as'],
    ['1.6.2026,1', 'cash.csv, line 2: "1.6.2026" must be a UTC time such as'],
    ['2026-06-02,1\n2026-06-01,1', 'cash.csv, line 3: "2026-06-01" must be later than the time before it'],
    ['2026-06-01,0', 'cash.csv, line 2: "0" must be a number above 0'],
    ['2026-06-01,1e3', 'cash.csv, line 2: "1e3" must be a number above 0'],
    ['', 'cash.csv has 0 values; a series has 1 to 100000'],
  ])('error: %j is refused with its line, what is there and what is allowed', (rows, message) => {
    expect(() => csv(rows)).toThrow(message);
  });

  test('error: percent where a fraction is meant, another header, and JSON that is none', () => {
    expect(() => csv('2026-06-01,4.5', 'yearly_rate')).toThrow('line 2: "4.5" must be a rate of a year from -0.5 to 2');
    const json = { file: 'cash.json', name: 'Cash', measure: 'level' } as const;
    expect(() => benchmarkOfFile({ ...json, file: 'a.csv' }, 'date,rate\n')).toThrow('the header time,value');
    expect(() => benchmarkOfFile(json, '{')).toThrow('cash.json is not JSON');
    expect(() => benchmarkOfFile(json, '[{"time":"2026-06-01"}]')).toThrow('cash.json, entry 1');
  });
});
