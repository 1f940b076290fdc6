import { describe, expect, test } from '@jest/globals';
import { CHAIN, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt, historiesOf } from './histories.fixture.ts';
import { type AnyAnswer, reads } from './reads.fixture.ts';

const ada = wallet(1);
const bob = wallet(2);
const ask = async (name: string, vault: VaultLog, params: object = {}): Promise<AnyAnswer> => {
  const bound = reads[name];
  if (!bound) throw new Error(`There is no read ${name}.`);
  return bound.read(
    { histories: historiesAt(momentOf(vault)) },
    { chain_id: CHAIN, vault_address: vault.vault, ...params },
  );
};

describe('operations', () => {
  test('default: slippage of 100 at 20 bps and 900 at 5 bps is 6.5 weighted, 12.5 simple', async () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).deposit(ada, 100_000_000n, { shares: 99_800_000n });
    vault.at(START + 2 * HOUR).deposit(bob, 900_000_000n, { shares: 899_550_000n });
    const { slippage } = (await ask('operations', vault)) as { slippage?: object };
    expect(slippage).toMatchObject({ average_bps: 6.5, simple_average_bps: 12.5, max_bps: 20, sample_size: 2 });
    const first = vault.entries.find(({ name }) => name === 'Deposit');
    expect(slippage).toMatchObject({ max_tx_hash: first?.tx_hash });
  });

  test('behavior: receipts of one figure, or of all below one, are given alone', async () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).deposit(ada, 100_000_000n, { shares: 99_800_000n });
    const all = Object.keys((await ask('operations', vault, { receipt: true })).receipts ?? {});
    const of = async (receipt: string) => Object.keys((await ask('operations', vault, { receipt })).receipts ?? {});
    expect(await of('gas.total')).toEqual(['gas.total']);
    const gas = all.filter((name) => name.startsWith('gas.'));
    expect(gas.length).toBeGreaterThan(1);
    expect(await of('gas')).toEqual(gas);
    expect(await of('gas.tot')).toEqual([]);
  });

  test('behavior: what is expected is the price one block before, net of the entry fee; a gain is negative', async () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).report(2_000_000n);
    vault.at(START + 2 * HOUR).deposit(ada, 1_001_000n, { entryFee: 1_000n });
    vault
      .at(START + 3 * HOUR)
      .report(2_200_000n)
      .deposit(bob, 2_200_000n);
    vault.at(START + 4 * HOUR).request(ada, 500_000n);
    vault.at(START + 5 * HOUR).fulfil(ada, 1_111_000n);
    const { transactions } = (await ask('transactions', vault)) as unknown as {
      transactions: { slippage_bps: number | null }[];
    };
    const known = transactions.flatMap(({ slippage_bps }) => (slippage_bps === null ? [] : [Math.round(slippage_bps)]));
    // Newest first: ada got 1 % more than 2.2 promises; bob paid a price that the block before did not have.
    expect(known).toEqual([-100, 909, 0]);
  });

  test('default: requests, cancels, fulfilments and claims are counted apart; deposits are gross', async () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).deposit(ada, 1_001_000n, { entryFee: 1_000n });
    vault.at(START + 2 * HOUR).request(ada, 400_000n);
    vault
      .at(START + 3 * HOUR)
      .cancel(ada)
      .fulfilCancel(ada)
      .claimCancel(ada);
    vault.at(START + 4 * HOUR).request(ada, 300_000n);
    vault.at(START + 6 * HOUR).fulfil(ada);
    vault.at(START + 7 * HOUR).claim(ada);
    expect(await ask('operations', vault)).toMatchObject({
      transactions: 9,
      deposits: { count: 1, assets: '1001000', usd: null },
      withdrawals: { count: 1, assets: '300000', usd: null },
      requests: 2,
      cancels: 1,
      claims: 2,
      net_flow: '700000',
      net_flow_usd: null,
      redemptions: { pending: 0, fulfilled: 1, p50_seconds: 2 * HOUR, max_seconds: 2 * HOUR, blocked: 0 },
    });
  });

  test('behavior: a request made at a price that is out of reach is blocked', async () => {
    const vault = new VaultLog().observe();
    vault
      .at(START + HOUR)
      .deposit(ada, 1_000_000n)
      .request(ada, 1_000_000n);
    vault.at(START + 2 * HOUR).report(994_000n);
    expect(await ask('operations', vault)).toMatchObject({
      redemptions: { pending: 1, blocked: 1, oldest_seconds: HOUR },
    });
    vault.at(START + 3 * HOUR).report(996_000n);
    expect(await ask('operations', vault)).toMatchObject({ redemptions: { blocked: 0 } });
  });

  test('behavior: a day without anything has no averages', async () => {
    const vault = new VaultLog().observe();
    vault.at(START + 3 * DAY).observe();
    expect(await ask('operations', vault, { period: '24h' })).toMatchObject({
      transactions: 0,
      gas: { average: null, total: '0', p95: null },
      slippage: { average_bps: null, max_bps: null, sample_size: 0 },
      redemptions: { p50_seconds: null },
    });
  });
});

describe('lists', () => {
  const vault = new VaultLog().observe();
  for (let hour = 1; hour <= 30; hour += 1) vault.at(START + hour * HOUR).deposit(hour % 2 ? ada : bob, 1_000_000n);

  test('behavior: by type and wallet, newest first', async () => {
    const { transactions, total } = (await ask('transactions', vault, {
      wallet: ada,
      type: 'deposit',
      limit: 2,
    })) as never as {
      transactions: { t: string }[];
      total: number;
    };
    expect(total).toBe(15);
    expect(transactions.map(({ t }) => Date.parse(t) / 1000)).toEqual([START + 29 * HOUR, START + 27 * HOUR]);
  });

  test('behavior: of one transaction, whatever else is asked of the list', async () => {
    const hash = vault.entries.filter(({ name }) => name === 'Deposit')[9]?.tx_hash;
    const of = async (params: object) =>
      (await ask('transactions', vault, { tx_hash: hash, ...params })) as never as {
        transactions: { t: string; tx_hash: string }[];
        total: number;
      };
    const { transactions, total } = await of({});
    expect([total, transactions.map(({ t, tx_hash }) => [Date.parse(t) / 1000, tx_hash])]).toEqual([
      1,
      [[START + 10 * HOUR, hash]],
    ]);
    expect([(await of({ wallet: bob })).total, (await of({ wallet: ada })).total]).toEqual([1, 0]);
  });

  test('behavior: pages of a time between two blocks are pages of one list', async () => {
    const at = new Date((START + 20 * HOUR + 1_800) * 1000).toISOString();
    const asked = { chain_id: CHAIN, vault_address: vault.vault, at, period: '24h', limit: 8 };
    const read = async (cursor?: string) =>
      (await reads.transactions?.read(
        { histories: historiesOf(vault) },
        { ...asked, ...(cursor ? { cursor } : {}) },
      )) as never as {
        as_of: string;
        total: number;
        next_cursor: string;
      };
    const first = await read();
    const second = await read(first.next_cursor);
    expect([second.as_of, second.total]).toEqual([first.as_of, first.total]);
  });

  test('error: a cursor no list gave', async () => {
    await expect(ask('transactions', vault, { cursor: 'bm9ib2R5' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(ask('fees', vault, { cursor: 'x' })).rejects.toMatchObject({ code: 'CURSOR_INVALID' });
    await expect(ask('top', vault, { cursor: 'MS4y.' })).resolves.toBeDefined();
  });
});

describe('fees', () => {
  test('default: each fee with its split, and the moves of the mark', async () => {
    const vault = new VaultLog().observe();
    vault.at(START + HOUR).deposit(ada, 10_010_000n, { entryFee: 10_000n });
    vault.at(START + DAY).report(1_100_000n);
    vault.at(START + 2 * DAY).skim();
    vault.at(START + 3 * DAY).resetMark();
    const answer = (await ask('fees', vault)) as unknown as { fees: object[] };
    expect(answer).toMatchObject({
      totals: { performance: '100000', performance_protocol: '50000', performance_recipient: '50000', entry: '10000' },
      pending: { profit: '0', total: '0' },
      hwm_pps: '1090000',
      fees: [
        { kind: 'hwm_reset', total: null, hwm_before: '1090000', hwm_after: '1090000' },
        { kind: 'performance', total: '100000', recipient_share: '50000', hwm_before: '1000000', hwm_after: '1090000' },
        { kind: 'entry', total: '10000', protocol_share: null, recipient_share: '10000' },
      ],
    });
  });

  test('behavior: the fee due is known before the first observation, at the fee of that moment', async () => {
    const vault = new VaultLog({ performanceFeeBps: 1_500n });
    vault.at(START + HOUR).deposit(ada, 1_000_000n);
    vault.at(START + DAY).report(1_100_000n);
    const early = { block: vault.chain.block };
    expect(await ask('fees', vault)).toMatchObject({ pending: null, quality: { pending: { status: 'insufficient' } } });
    vault.at(START + 2 * DAY).observe();
    vault.at(START + 3 * DAY).changeFee(2_000n);
    vault.at(START + 4 * DAY).report(1_200_000n);
    const asked = { chain_id: CHAIN, vault_address: vault.vault, receipt: true };
    const fees = (more: object) => reads.fees?.read({ histories: historiesOf(vault) }, { ...asked, ...more });
    expect(await fees(early)).toMatchObject({
      pending: { profit: '100000', total: '15000' },
      receipts: { 'pending.total': { rests_on: 'logs' } },
      quality: {},
    });
    expect(await fees({})).toMatchObject({ pending: { profit: '100000', total: '20000' } });
  });

  test('default: profit 10 000 and fee 1 500 at p 1.05, mark 1.04, supply 1 000 000, fee 15 %', async () => {
    const vault = new VaultLog({ performanceFeeBps: 1_500n }).observe();
    vault.at(START + HOUR).deposit(ada, 1_000_000n);
    vault
      .at(START + DAY)
      .report(1_040_000n)
      .resetMark();
    vault.at(START + 2 * DAY).report(1_050_000n);
    expect(await ask('fees', vault)).toMatchObject({ pending: { profit: '10000', total: '1500' }, share_below_hwm: 1 });
    vault.observe({ calculated_pps: '1060000', deviation_threshold: '5000000000000000' });
    expect(await ask('what-if', vault)).toMatchObject({
      next_pps: '1060000',
      fee: { profit: '20000', total: '3000' },
      next_net_pps: '1057000',
      next_net_pps_exact: { numerator: '10570000000', denominator: '10000' },
      accepted: false,
    });
    expect(await ask('what-if', vault, { pps: '1050001' })).toMatchObject({ next_pps: '1050001' });
  });
});
