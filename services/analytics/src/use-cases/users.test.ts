import { expect, test } from '@jest/globals';
import { momentOf } from '../domain/moment.fixture.ts';
import { CHAIN, DAY, HOUR, START, VaultLog, wallet } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

const week = 7 * DAY;

test('behavior: retention by age counts only periods that have ended', async () => {
  const vault = new VaultLog().observe();
  vault.at(START + HOUR).deposit(wallet(1), 3_000_000n);
  vault.at(START + 2 * DAY).deposit(wallet(2), 1_000_000n);
  vault.at(START + week + DAY).deposit(wallet(3), 500_000n);
  vault.at(START + 2 * week + DAY).request(wallet(2), 1_000_000n);
  vault.at(START + 2 * week + 2 * DAY).fulfil(wallet(2));
  const histories = historiesAt(momentOf(vault, { time: START + 2 * week + 3 * DAY }));
  expect(await reads.retention?.read({ histories }, { chain_id: CHAIN, vault_address: vault.vault })).toMatchObject({
    kind: 'on_or_after_by_holding',
    by_count: [
      { age: 0, cohorts: 2, base: 3, retained: 1 },
      { age: 1, cohorts: 1, base: 2, retained: 1 },
    ],
  });
});
