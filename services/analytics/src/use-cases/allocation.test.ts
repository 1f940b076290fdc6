import { expect, test } from '@jest/globals';
import { CHAIN, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
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
