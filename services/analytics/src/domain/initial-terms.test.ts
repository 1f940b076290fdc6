import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, START, wallet } from './chain-log.fixture.ts';
import { factOf } from './facts.ts';
import { initialTerms } from './initial-terms.ts';
import { roundedNet } from './ledgers/price-ledger.ts';
import { momentOf } from './moment.fixture.ts';
import { VaultLog } from './vault-log.fixture.ts';

const ada = wallet(1);
const bob = wallet(2);
const eve = wallet(3);
const lower = (...addresses: string[]) => addresses.map((address) => address.toLowerCase());
const termsOf = ({ entries }: VaultLog) => initialTerms(entries.flatMap((entry) => factOf(entry)?.fact ?? []));

describe('what a vault began with', () => {
  test('default: nothing is known before the first observation', () => {
    expect(termsOf(new VaultLog())).toBeUndefined();
  });

  test('default: what was observed, less what events changed before', () => {
    const log = new VaultLog({ performanceFeeBps: 1_234n });
    const { strategy, manager } = log;
    const changed = (name: string, who: string) =>
      log.transaction(manager, [[`aggregator.${name}`, { strategy, manager: who }]]);
    changed('SecondaryManagerAdded', ada);
    changed('SecondaryManagerRemoved', bob);
    log.observe({ secondary_managers: [ada, eve] });
    changed('SecondaryManagerAdded', bob);
    const terms = termsOf(log);
    expect(terms).toMatchObject({ performanceFeeBps: 1_234n, primaryManager: manager.toLowerCase() });
    expect([...(terms?.secondaryManagers ?? [])].sort()).toEqual(lower(bob, eve).sort());
  });

  test('behavior: a takeover is undone; it hides who the secondary managers were', () => {
    const log = new VaultLog();
    const { strategy, manager } = log;
    log.transaction(ada, [['aggregator.PrimaryManagerChanged', { strategy, oldManager: manager, newManager: ada }]]);
    log.observe({ primary_manager: ada, secondary_managers: [bob] });
    expect(termsOf(log)).toMatchObject({ primaryManager: manager.toLowerCase(), secondaryManagers: [] });
    // Ada managed nothing while the old manager did.
    expect(momentOf(log).history.managers.has(ada.toLowerCase())).toBe(true);
  });

  test('behavior: a fee that changed before the first observation is not guessed', () => {
    const log = new VaultLog({ performanceFeeBps: 500n });
    log.at(START + HOUR).deposit(ada, 1_000_000n);
    log.at(START + DAY).report(1_100_000n);
    log.at(START + 2 * DAY).changeFee(2_000n);
    log
      .at(START + 3 * DAY)
      .report(1_200_000n)
      .observe();
    expect(termsOf(log)).toMatchObject({ performanceFeeBps: null, feeRecipient: null });
    expect(momentOf(log).history.prices.points.map(roundedNet)).toEqual([null, null, 1_180_000n]);
  });

  test('behavior: a changed recipient leaves the fee known', () => {
    const log = new VaultLog();
    log
      .at(START + HOUR)
      .changeRecipient(eve)
      .observe();
    expect(termsOf(log)).toMatchObject({ performanceFeeBps: 1_000n, feeRecipient: null });
  });
});
