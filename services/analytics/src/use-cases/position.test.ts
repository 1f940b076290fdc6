import { describe, expect, test } from '@jest/globals';
import { CHAIN, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

const ada = wallet(1);
const bob = wallet(2);
const ask = (vault: VaultLog, who: string, block?: number) =>
  reads.position?.read(
    { histories: historiesAt(momentOf(vault, block === undefined ? {} : { block })) },
    { chain_id: CHAIN, vault_address: vault.vault, wallet: who },
  );

/** Ada put in 1,000,000, which are worth a tenth more; a quarter of her shares was paid, another waits behind bob. */
function scene(): VaultLog {
  const vault = new VaultLog().observe();
  vault
    .at(START + HOUR)
    .deposit(ada, 1_000_000n)
    .deposit(bob, 1_000_000n);
  vault.at(START + 2 * HOUR).report(1_100_000n);
  vault.at(START + 3 * HOUR).request(ada, 250_000n);
  vault.at(START + 4 * HOUR).fulfil(ada);
  vault.at(START + 5 * HOUR).request(bob, 500_000n);
  vault.at(START + 6 * HOUR).request(ada, 250_000n);
  return vault.at(START + 7 * HOUR).observe({ idle: '600000', allocation: [] });
}

describe('the position of a wallet', () => {
  test('default: shares by where they are, value, what was put in and taken out, what could be paid now', async () => {
    expect(await ask(scene(), ada)).toMatchObject({
      wallet_address: ada,
      shares: '750000',
      free_shares: '500000',
      pending_shares: '250000',
      returnable_shares: '0',
      assets: '825000',
      claimable_assets: '275000',
      put_in: '1000000',
      taken_out: '275000',
      profit_assets: '100000',
      profit_usd: null,
      // Bob waits for 550,000 of the 600,000.
      instant_assets: '50000',
      request: { rank: 2, shares: '250000', assets: '275000', state: 'short' },
      waiting: 2,
    });
  });

  test('default: its yearly rate is that of what went in and out and of the value now, by when; null below a day', async () => {
    const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
    vault.at(START + HOUR).deposit(ada, 1_000_000n);
    vault.at(START + 200 * DAY + HOUR).report(1_100_000n);
    const asked = { chain_id: CHAIN, vault_address: vault.vault, wallet: ada, receipt: true };
    const answer = await reads.position?.read({ histories: historiesAt(momentOf(vault)) }, asked);
    // Ten per cent in 200 days.
    expect(answer?.xirr).toBeCloseTo(1.1 ** (365 / 200) - 1, 9);
    expect(answer?.receipts?.xirr).toMatchObject({ method: 'internal_rate', sample_size: 1 });
    expect(answer?.receipts?.xirr?.inputs.map(({ name, value }) => [name, value])).toEqual([
      ['amount', '-1000000'],
      ['seconds', 200 * DAY],
      ['amount', '1100000'],
      ['seconds', 0],
    ]);
    expect(await ask(scene(), ada)).toMatchObject({
      xirr: null,
      quality: { xirr: { reason: 'held for less than a day' } },
    });
    expect(await ask(scene(), wallet(9))).toMatchObject({
      xirr: null,
      quality: { xirr: { reason: 'the wallet has put nothing in' } },
    });
  });

  test('behavior: what was claimed is no longer to be claimed; what was cancelled can be taken back', async () => {
    const vault = scene();
    vault.at(START + 8 * HOUR).claim(ada);
    vault.at(START + 9 * HOUR).cancel(ada);
    expect(await ask(vault, ada)).toMatchObject({ claimable_assets: '0', request: { state: 'cancelling' } });
    vault.at(START + 10 * HOUR).fulfilCancel(ada);
    expect(await ask(vault, ada)).toMatchObject({
      shares: '750000',
      pending_shares: '0',
      returnable_shares: '250000',
      request: null,
      waiting: 1,
    });
  });

  test('behavior: a cancelled request of another leaves its assets to this wallet', async () => {
    const vault = scene();
    vault.at(START + 8 * HOUR).cancel(bob);
    expect(await ask(vault, ada)).toMatchObject({ instant_assets: '600000', request: { state: 'payable' } });
  });

  test('default: zeros for a wallet that never had anything, and before its first deposit', async () => {
    const nothing = { shares: '0', assets: '0', put_in: '0', profit_assets: '0', first_seen: null, request: null };
    const vault = scene();
    const quality = {
      first_seen: { reason: 'the wallet has never held shares' },
      request: { reason: 'the wallet waits for nothing' },
    };
    expect(await ask(vault, wallet(9))).toMatchObject({ ...nothing, quality });
    expect(await ask(vault, ada, 1)).toMatchObject(nothing);
    expect(await ask(vault, ada)).toMatchObject({ first_seen: new Date((START + HOUR) * 1000).toISOString() });
  });
});
