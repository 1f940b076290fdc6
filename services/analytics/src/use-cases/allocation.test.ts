import { expect, test } from '@jest/globals';
import { CHAIN, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { sourcePeak } from './allocation.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

test.each(['overview', 'concentration'])('behavior: %s counts sources by what they hold', async (read) => {
  const allocation = ['50', '0', '30'].map((assets, n) => ({
    source_address: wallet(0x5000 + n),
    assets,
    available: null,
    price_per_share: null,
  }));
  const vault = new VaultLog().observe({ idle: '5', allocation });
  const histories = historiesAt(momentOf(vault));
  const answer = await reads[read]?.read({ histories }, { chain_id: CHAIN, vault_address: vault.vault });
  expect(answer).toMatchObject({ strategies: 2, empty_sources: 1 });
});

test('behavior: the peak of a source is its highest price of seven days, with the one that stood when they began', () => {
  const source = wallet(0x5000);
  const vault = new VaultLog();
  const at = (time: number, price_per_share: string | null) =>
    vault
      .at(START + time)
      .observe({ allocation: [{ source_address: source, assets: '1', available: null, price_per_share }] });
  const peak = () => sourcePeak(momentOf(vault), source.toLowerCase());
  at(HOUR, '1200000');
  expect(peak()).toBeNull();
  at(DAY, '1000000');
  // Less than a day of prices.
  expect(peak()).toBeNull();
  at(2 * DAY, '1100000');
  expect(peak()).toBe(1_200_000n);
  // The first price stood until the second came, seven days before.
  at(8 * DAY - 1, '1050000');
  expect(peak()).toBe(1_200_000n);
  at(8 * DAY, null);
  expect(peak()).toBe(1_100_000n);
  at(9 * DAY, '1060000');
  expect(peak()).toBe(1_100_000n);
  at(20 * DAY, '1040000');
  expect(peak()).toBe(1_060_000n);
  expect(sourcePeak(momentOf(vault), wallet(0x5001))).toBeNull();
});
