import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import type { Moment } from '../moment.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { type Cohort, cohortsOf, nextPeriod, periodStart, sharesRetained, stayed } from './cohorts.ts';
import { standings } from './holders.ts';

const week = 7 * DAY;
const [ada, bob, eve] = [1, 2, 3].map(wallet) as [string, string, string];

/** Ada and bob come in the first week, eve in the second; bob leaves in the third. */
function vault(): VaultLog {
  const log = new VaultLog().observe();
  log.at(START + HOUR).deposit(ada, 3_000_000n);
  log.at(START + 2 * DAY).deposit(bob, 1_000_000n);
  log.at(START + week + DAY).deposit(eve, 500_000n);
  log.at(START + 2 * week + DAY).request(bob, 1_000_000n);
  log.at(START + 2 * week + 2 * DAY).fulfil(bob);
  return log;
}

/** What the cohort bought in its first period, then what is left of it. */
function kept(moment: Moment, cohort: Cohort): bigint[] {
  const { bought, kept: left } = sharesRetained(moment, cohort);
  return [bought, ...left];
}

describe('cohorts', () => {
  test('default: by the ISO week of the first deposit, at the end of each week so far', () => {
    const moment = momentOf(vault(), { time: START + 2 * week + 3 * DAY });
    const [first, second, ...none] = cohortsOf(moment, standings(moment, 1n), 'week');
    if (!first || !second) throw new Error('Two weeks had a first deposit.');
    expect(none).toEqual([]);
    expect([first.start, second.start]).toEqual([START, START + week]);
    expect(first.ends).toEqual([START + week, START + 2 * week, START + 3 * week]);
    expect(stayed(moment, first, 1n)).toEqual([2, 2, 1]);
    expect(kept(moment, first)).toEqual([4_000_000n, 4_000_000n, 4_000_000n, 3_000_000n]);
    expect(stayed(moment, second, 1n)).toEqual([1, 1]);
  });

  test('behavior: the week that runs is marked incomplete, and complete when it has ended', () => {
    const at = (time: number) => {
      const moment = momentOf(vault(), { time });
      return cohortsOf(moment, standings(moment, 1n), 'week').map(({ isComplete, ends }) => [isComplete, ends.length]);
    };
    expect(at(START + 3 * week - 1)).toEqual([
      [false, 3],
      [false, 2],
    ]);
    expect(at(START + 3 * week)).toEqual([
      [true, 3],
      [true, 2],
    ]);
  });

  test('behavior: nobody counts for more shares than they bought in the first period', () => {
    const log = vault();
    log.at(START + 2 * week + 4 * DAY).deposit(ada, 9_000_000n);
    const moment = momentOf(log);
    const [first] = cohortsOf(moment, standings(moment, 1n), 'week');
    expect(first && kept(moment, first).at(-1)).toBe(3_000_000n);
  });

  test('behavior: who left within the first period lowers its own first cell', () => {
    const log = new VaultLog().observe();
    log
      .at(START + HOUR)
      .deposit(ada, 1_000_000n)
      .deposit(bob, 1_000_000n);
    log.at(START + DAY).request(bob, 1_000_000n);
    log.at(START + 2 * DAY).fulfil(bob);
    const moment = momentOf(log, { time: START + week });
    const [first] = cohortsOf(moment, standings(moment, 1n), 'week');
    expect(first && stayed(moment, first, 1n)).toEqual([1]);
  });

  test('default: months begin on the first', () => {
    const may = Date.UTC(2026, 4, 1) / 1000;
    expect(periodStart(START - 1, 'month')).toBe(may);
    expect(nextPeriod(may, 'month')).toBe(START);
    expect(periodStart(START - 1, 'week')).toBe(START - week);
    expect(nextPeriod(Date.UTC(2026, 11, 1) / 1000, 'month')).toBe(Date.UTC(2027, 0, 1) / 1000);
  });
});
