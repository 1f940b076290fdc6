import { describe, expect, test } from '@jest/globals';
import { DAY, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

/** A vault whose mark rises by a skim and is lowered by a reset after a loss. */
function marked(): VaultLog {
  const vault = new VaultLog().observe();
  vault.at(START + DAY).deposit(wallet(0x701), 10_000_000n);
  vault.at(START + 2 * DAY).report(1_100_000n);
  vault.at(START + 3 * DAY).skim();
  vault.at(START + 4 * DAY).report(1_050_000n);
  vault.at(START + 5 * DAY).resetMark();
  vault.at(START + 9 * DAY).report(1_060_000n);
  return vault;
}

describe('the mark over time', () => {
  const vault = marked();
  const histories = historiesAt(momentOf(vault));
  const asked = { chain_id: 1, vault_address: vault.vault, points: 600 };
  const stepsOf = async (range: object) => {
    const answer = await reads.pps?.read({ histories }, { ...asked, ...range });
    const steps = (answer?.hwm_steps ?? []) as { t: string; pps: string }[];
    return steps.map(({ t, pps }) => `${t.slice(0, 10)} ${pps}`);
  };

  test('default: it begins with the first price, rises with the skim and falls with the reset', async () => {
    expect(await stepsOf({ period: 'all' })).toEqual([
      '2026-06-01 1000000',
      '2026-06-04 1090000',
      '2026-06-06 1050000',
    ]);
  });

  test('behavior: a range begins with the mark that was in force then', async () => {
    const from = '2026-06-05T00:00:00Z';
    expect(await stepsOf({ from })).toEqual(['2026-06-05 1090000', '2026-06-06 1050000']);
    expect(await stepsOf({ from: '2026-06-08T00:00:00Z' })).toEqual(['2026-06-08 1050000']);
    expect(await stepsOf({ from: '2026-06-01T12:00:00Z', to: '2026-06-02T12:00:00Z' })).toEqual(['2026-06-01 1000000']);
  });
});
