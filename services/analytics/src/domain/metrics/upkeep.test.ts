import { describe, expect, test } from '@jest/globals';
import { runwaySeconds } from '../formulas.ts';
import { momentOf } from '../moment.fixture.ts';
import { DAY, HOUR, START, VaultLog } from '../vault-log.fixture.ts';
import { runway, updatesPerDay, upkeepMoved } from './upkeep.ts';

describe('runway', () => {
  test('default: 1 110 units at 0.5 an update and 24 updates a day last 92.5 days', () => {
    expect(runwaySeconds(11_100n, 5n, 24)).toBe(92.5 * DAY);
    const vault = new VaultLog().observe({ upkeep_balance: '11100', upkeep_cost_per_update: '5' });
    for (let hour = 1; hour <= 10 * 24; hour += 1) vault.at(START + hour * HOUR).report(1_000_000n);
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
          .observe(seen)
          .at(START + seconds)
          .report(1_000_000n),
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
