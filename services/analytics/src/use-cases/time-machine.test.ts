import { runs } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHAIN, DAY, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { played, steps } from '../domain/random-vault.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

const ask = async (name: string, vault: VaultLog, block: number, entries = vault.entries) => {
  const { vault: vault_address, asset } = vault;
  const moment = momentOf({ vault: vault_address, asset, entries }, { block });
  return reads[name]?.read({ histories: historiesAt(moment) }, { chain_id: CHAIN, vault_address, receipt: true });
};

test.each(Object.keys(reads))(
  'property: %s of an earlier block is what it was before anything else happened',
  async (name) => {
    await fc.assert(
      fc.asyncProperty(steps(40), fc.double({ min: 0, max: 1, noNaN: true }), async (list, part) => {
        const vault = played(list);
        const block = 1 + Math.floor(part * (vault.chain.block - 1));
        const then = vault.entries.filter(({ block_number }) => block_number <= block);
        expect(JSON.stringify(await ask(name, vault, block))).toBe(JSON.stringify(await ask(name, vault, block, then)));
      }),
      runs(60),
    );
  },
);

test('behavior: a redemption that was open then is open in the answer, whatever became of it', async () => {
  const vault = new VaultLog().observe();
  vault.at(START + 60).deposit(wallet(1), 1_000_000n);
  vault.at(START + DAY).request(wallet(1), 400_000n);
  const { block } = vault.chain;
  vault.at(START + 2 * DAY).fulfil(wallet(1));
  const redemptions = { pending: 1, pending_shares: '400000', oldest_seconds: 0, fulfilled: 0, p50_seconds: null };
  expect(await ask('operations', vault, block)).toMatchObject({ redemptions });
  expect(await ask('operations', vault, vault.chain.block)).toMatchObject({
    redemptions: { pending: 0, pending_shares: '0', oldest_seconds: null, fulfilled: 1, p50_seconds: DAY },
  });
});
