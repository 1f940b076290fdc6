import { describe, expect, test } from '@jest/globals';
import { runwaySeconds } from '../formulas.ts';
import { momentOf } from '../moment.fixture.ts';
import { DAY, HOUR, START, VaultLog } from '../vault-log.fixture.ts';
import { leastInterval, runway, updateCost, updatesPerDay, upkeepBalance, upkeepMoved } from './upkeep.ts';

describe('runway', () => {
  test('default: 1 110 units at 0.5 an update and 24 updates a day last 92.5 days', () => {
    expect(runwaySeconds(11_100n, 5n, 24)).toBe(92.5 * DAY);
    const vault = new VaultLog();
    for (let hour = 1; hour <= 10 * 24; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n);
    vault.observe({ upkeep_balance: '11100', upkeep_cost_per_update: '5' });
    const moment = momentOf(vault);
    expect(updatesPerDay(moment)).toBe(24);
    expect(runway(moment, 'actual').value).toBe(92.5 * DAY);
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
    expect(runway(after({ upkeep_enabled: false }, 2 * DAY), 'actual')).toMatchObject({
      value: null,
      reason: 'updates cost nothing',
    });
    expect(runway(after({}, HOUR), 'actual')).toMatchObject({
      value: null,
      reason: 'there is not a whole day of updates yet',
    });
    expect(runway(after({ upkeep_balance: '0' }, 2 * DAY), 'actual').value).toBe(0);
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
    expect(runway(moment, 'actual')).toMatchObject({ value: (7_500 / 50 / 24) * DAY, observed: false });
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
