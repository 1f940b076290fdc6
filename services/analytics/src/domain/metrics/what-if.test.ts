import { describe, expect, test } from '@jest/globals';
import { DAY, HOUR, START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { whatIf } from './what-if.ts';

/** A vault at 1.0 whose guard lets 5 % through; seen an hour after its last price. */
function asked(pps: bigint | undefined, seen: object = {}, after = HOUR) {
  const vault = new VaultLog();
  vault.at(START + 60).deposit(wallet(1), 1_000_000n);
  vault
    .at(START + DAY)
    .report(1_000_000n)
    .observe(seen);
  return whatIf(momentOf(vault, { time: START + DAY + after }), pps);
}
const tripped = (found: ReturnType<typeof whatIf>) =>
  found?.guards.filter((guard) => guard.tripped).map(({ name }) => name);

describe('if this price were reported now', () => {
  test('default: it is accepted, what it costs and what fee it brings', () => {
    const found = asked(1_010_000n);
    expect(found).toMatchObject({
      accepted: true,
      wouldPause: false,
      nextNetNumerator: 10_090_000_000n,
      upkeepAfter: 1_105n,
    });
    expect(found?.changeBps).toBeCloseTo(100, 9);
    expect(found?.fee).toEqual({ profit: 10_000n, total: 1_000n });
  });

  test.each([
    ['deviation', 1_060_000n, {}, HOUR, true, 1_105n],
    ['upkeep', 1_010_000n, { upkeep_balance: '4' }, HOUR, true, 4n],
    ['paused', 1_010_000n, { is_paused: true }, HOUR, false, 1_110n],
    ['min_update_interval', 1_010_000n, {}, 30, false, 1_110n],
  ])('behavior: the guard %s refuses', (name, pps, seen, after, wouldPause, upkeepAfter) => {
    const found = asked(pps, seen, after);
    expect(tripped(found)).toEqual([name]);
    expect(found).toMatchObject({ accepted: false, wouldPause, upkeepAfter });
  });

  test('behavior: a price of zero is refused, the calculated one is the default, unobserved there is none', () => {
    expect(asked(0n)).toMatchObject({ accepted: false });
    expect(asked(undefined, { calculated_pps: '1002000' })).toMatchObject({ nextPps: 1_002_000n });
    expect(asked(undefined, { calculated_pps: null })).toBeNull();
    expect(whatIf(momentOf(new VaultLog()), 1_000_000n)).toBeNull();
  });
});
