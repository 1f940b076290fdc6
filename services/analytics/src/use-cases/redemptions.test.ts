import { describe, expect, test } from '@jest/globals';
import { CHAIN, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt, historiesOf } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

const ada = wallet(1);
const bob = wallet(2);
const cleo = wallet(3);
const of = (vault: VaultLog) => ({ chain_id: CHAIN, vault_address: vault.vault });
const ask = (vault: VaultLog, params: object = {}) =>
  reads.redemptions?.read({ histories: historiesAt(momentOf(vault)) }, { ...of(vault), ...params });

/** Ada was paid after two hours; bob and cleo wait. A quarter of the assets is idle. */
function waiting(): VaultLog {
  const vault = new VaultLog().observe();
  vault
    .at(START + HOUR)
    .deposit(ada, 1_000_000n)
    .deposit(bob, 1_000_000n)
    .deposit(cleo, 2_000_000n);
  vault.at(START + 2 * HOUR).request(ada, 100_000n);
  vault.at(START + 4 * HOUR).fulfil(ada);
  vault.at(START + 5 * HOUR).request(cleo, 2_000_000n);
  vault.at(START + 6 * HOUR).request(bob, 400_000n);
  vault.at(START + 7 * HOUR).observe({ idle: '500000', price: null });
  return vault;
}
const time = (hours: number) => new Date((START + hours * HOUR) * 1000).toISOString();

describe('redemptions that wait', () => {
  test('default: who, since when, how much, paid from what, and when by how long it took of late', async () => {
    expect(await ask(waiting())).toMatchObject({
      total: 2,
      has_more: false,
      pending_assets: '2400000',
      idle_assets: '500000',
      payable_assets: '400000',
      p50_seconds: 2 * HOUR,
      p95_seconds: 2 * HOUR,
      redemptions: [
        {
          rank: 1,
          wallet_address: cleo,
          shares: '2000000',
          assets: '2000000',
          usd: null,
          requested_at: time(5),
          waiting_seconds: 2 * HOUR,
          state: 'needs_withdrawal',
          from_idle: '100000',
          missing: '0',
          expected_at: time(7),
        },
        { rank: 2, wallet_address: bob, state: 'payable', from_idle: '400000', from_sources: [], missing: '0' },
      ],
    });
  });

  test('default: nobody waits, and nothing was ever paid', async () => {
    const answer = await ask(new VaultLog().observe());
    expect(answer).toMatchObject({ redemptions: [], total: 0, pending_assets: '0', p95_seconds: null });
    expect(answer?.quality).toMatchObject({ p95_seconds: { reason: 'nothing was fulfilled in the range' } });
  });

  test('behavior: a request that is being cancelled expects no payment, and quality says why', async () => {
    const vault = waiting();
    vault.at(START + 8 * HOUR).cancel(bob);
    const answer = await ask(vault);
    expect(answer).toMatchObject({
      payable_assets: '0',
      redemptions: [
        { from_idle: '500000' },
        { state: 'cancelling', from_idle: null, missing: null, expected_at: null },
      ],
    });
    const why = { status: 'insufficient', reason: 'its wallet wants the shares back' };
    expect(answer?.quality).toMatchObject({ 'redemptions.1.from_idle': why, 'redemptions.1.expected_at': why });
  });

  test('behavior: pages are of one block; a cursor of another list is refused', async () => {
    const vault = waiting();
    const histories = historiesOf(vault);
    const read = (params: object) => reads.redemptions?.read({ histories }, { ...of(vault), limit: 1, ...params });
    const first = await read({});
    expect(first).toMatchObject({ redemptions: [{ rank: 1 }], has_more: true });
    vault.at(START + 9 * HOUR).fulfil(cleo);
    expect(await read({ cursor: first?.next_cursor })).toMatchObject({
      block_number: first?.block_number,
      redemptions: [{ rank: 2, wallet_address: bob }],
      has_more: false,
    });
    await expect(ask(vault, { cursor: 'bm9ib2R5' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
  });
});
