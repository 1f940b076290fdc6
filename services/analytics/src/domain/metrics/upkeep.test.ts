import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, START } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { leastInterval, runway, updateCost, updatesPerDay, upkeepBalance, upkeepMoved } from './upkeep.ts';

describe('runway', () => {
  test('default: 1 110 units at 0.5 an update and 24 updates a day last 92.5 days', () => {
    const vault = new VaultLog();
    for (let hour = 1; hour <= 10 * 24; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n);
    vault.observe({ upkeep_balance: '11100', upkeep_cost_per_update: '5' });
    const moment = momentOf(vault);
    expect(updatesPerDay(moment, 'recent')).toBe(24);
    expect(runway(moment, 'recent').value).toBe(92.5 * DAY);
    // At most one update a minute.
    expect(runway(moment, 'worst').value).toBe(2_220 * 60);
  });

  test('behavior: free or unknown upkeep and a vault of less than a day have none', () => {
    const after = (seen: object, seconds: number) =>
      momentOf(
        new VaultLog()
          .at(START + seconds)
          .report(1_000_000n)
          .observe(seen),
      );
    expect(runway(after({ upkeep_enabled: false }, 2 * DAY), 'recent')).toMatchObject({
      value: null,
      reason: 'updates cost nothing',
    });
    expect(runway(after({}, HOUR), 'recent')).toMatchObject({
      value: null,
      reason: 'fewer than two price updates so far',
    });
    expect(runway(after({ upkeep_balance: '0' }, 2 * DAY), 'recent').value).toBe(0);
  });

  test('behavior: what came in and went out within a range', () => {
    const vault = new VaultLog().observe();
    const { strategy, manager: depositor } = vault;
    vault
      .at(START + HOUR)
      .transaction(depositor, [['aggregator.UpkeepDeposited', { strategy, depositor, amount: '700' }]]);
    vault.at(START + 2 * HOUR).report(1_000_000n);
    vault.at(START + 3 * HOUR).report(1_000_000n);
    const moment = momentOf(vault);
    expect(upkeepMoved(moment, 'deposited', START, START + 2 * HOUR)).toBe(700n);
    expect(upkeepMoved(moment, 'spent', START + 2 * HOUR, START + 3 * HOUR)).toBe(50n);
  });
});

describe('the cadence that the runway is at', () => {
  /** Six days at an update each twelve hours, then a day of `last` updates. */
  function quickened(last: number): VaultLog {
    const vault = new VaultLog();
    for (let half = 1; half <= 12; half += 1) vault.at(START + half * 12 * HOUR).report(1_000_000n);
    for (let n = 1; n <= last; n += 1) vault.at(START + 6 * DAY + (n * DAY) / last).report(1_000_000n);
    return vault.observe({ upkeep_balance: '6000', upkeep_cost_per_update: '5' });
  }

  test('default: is that of the last 24 hours, however calm the week was', () => {
    const moment = momentOf(quickened(48));
    expect(updatesPerDay(moment, 'recent')).toBe(48);
    expect(updatesPerDay(moment, 'week')).toBeCloseTo(60 / 7, 12);
    expect(runway(moment, 'recent').value).toBe(25 * DAY);
    expect(runway(moment, 'week').value).toBe(140 * DAY);
    expect(runway(moment, 'worst').value).toBe(1_200 * 60);
  });

  test('behavior: counts from a change of the interval once two updates came since', () => {
    const vault = new VaultLog();
    const { strategy, manager } = vault;
    for (let hour = 1; hour <= 48; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n);
    const change = { strategy, oldMinUpdateInterval: '3600', newMinUpdateInterval: '600' };
    vault.transaction(manager, [['aggregator.MinUpdateIntervalChanged', change]]);
    vault.at(START + 48 * HOUR + 600).report(1_000_000n);
    expect(updatesPerDay(momentOf(vault), 'recent')).toBe(25);
    vault.at(START + 48 * HOUR + 1_200).report(1_000_000n);
    expect(updatesPerDay(momentOf(vault), 'recent')).toBe(144);
  });

  test('behavior: is partial in a vault of less than a day, unknown after a day without an update', () => {
    const vault = new VaultLog();
    for (const hour of [1, 2]) vault.at(START + hour * HOUR).report(1_000_000n);
    vault.observe();
    expect(runway(momentOf(vault), 'recent')).toMatchObject({
      value: (1_110 / 5 / 24) * DAY,
      status: 'partial',
      reason: 'the vault is younger than the time that is counted',
    });
    const late = momentOf(vault, { block: vault.chain.block, time: START + 3 * DAY });
    expect(runway(late, 'recent')).toMatchObject({
      value: null,
      reason: 'no price update in the time that is counted',
    });
  });
});

describe('upkeep before the first observation, and between two', () => {
  /** 10 000 paid in, an update each hour at 50 each for two days, and 100 withdrawn. */
  function unobserved(): VaultLog {
    const vault = new VaultLog();
    const { strategy, manager: depositor } = vault;
    const upkeep = (name: string, args: object) => vault.transaction(depositor, [[name, { strategy, ...args }]]);
    upkeep('aggregator.UpkeepDeposited', { depositor, amount: '10000' });
    for (let hour = 1; hour <= 48; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n);
    upkeep('aggregator.UpkeepWithdrawn', { withdrawer: depositor, amount: '100' });
    return vault;
  }

  test('default: balance, cost and runway follow from logs', () => {
    const moment = momentOf(unobserved());
    expect(upkeepBalance(moment)).toMatchObject({ value: 7_500n, observed: false, status: 'ok' });
    expect(updateCost(moment)).toMatchObject({ value: 50n, observed: false });
    expect(runway(moment, 'recent')).toMatchObject({ value: (7_500 / 50 / 24) * DAY, observed: false });
  });

  test('behavior: what moved since an observation is added to it and taken from it', () => {
    const vault = unobserved().observe({ upkeep_balance: '7500', upkeep_cost_per_update: '50' });
    vault.at(START + 49 * HOUR).report(1_000_000n);
    expect(upkeepBalance(momentOf(vault))).toMatchObject({ value: 7_450n, observed: true });
  });

  test('behavior: the least interval of before the first observation is found by undoing its changes', () => {
    const vault = unobserved();
    const { strategy, manager } = vault;
    const change = { strategy, oldMinUpdateInterval: '600', newMinUpdateInterval: '60' };
    vault.at(START + 3 * DAY).transaction(manager, [['aggregator.MinUpdateIntervalChanged', change]]);
    vault.at(START + 4 * DAY).observe();
    const at = (time: number) => momentOf(vault, { block: vault.chain.block - (time < 3 ? 2 : 1), time });
    expect(leastInterval(at(2))?.seconds).toBe(600);
    expect(leastInterval(at(3))?.seconds).toBe(60);
    expect(leastInterval(momentOf(vault))).toMatchObject({ seconds: 60, source: 'state_observed' });
    expect(leastInterval(momentOf(unobserved()))).toBeUndefined();
  });
});
