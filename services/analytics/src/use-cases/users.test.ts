import { expect, test } from '@jest/globals';
import { CHAIN, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
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

test('behavior: receipts name the wallets, their shares and where each amount is written', async () => {
  const vault = new VaultLog().observe();
  vault.at(START + HOUR).deposit(wallet(1), 3_000_000n);
  vault.at(START + 2 * DAY).deposit(wallet(2), 1_000_000n);
  vault.at(START + 3 * DAY).request(wallet(2), 400_000n);
  vault.at(START + 4 * DAY).fulfil(wallet(2));
  vault.observe();
  const histories = historiesAt(momentOf(vault, { time: START + week + DAY }));
  const asked = { chain_id: CHAIN, vault_address: vault.vault, receipt: true };
  const inputsOf = async (read: string, figure: string) =>
    (await reads[read]?.read({ histories }, asked))?.receipts?.[figure]?.inputs.map(
      ({ name, value, block, source }) => [name, value, block, source],
    );
  const ada = wallet(1).toLowerCase();
  const bob = wallet(2).toLowerCase();
  const held = (name: string) => [
    [name, '3000000', 2, `Transfer: ${ada}`],
    [name, '600000', 5, `Transfer: ${bob}`],
  ];
  const bought = [
    ['before', '3000000', 2, `Deposit: ${ada}`],
    ['before', '1000000', 3, `Deposit: ${bob}`],
  ];
  const dust = ['dust', expect.any(String), null, 'definition'];
  expect(await inputsOf('cohorts', 'cohorts.0.retained.0')).toEqual([dust, ...held('held')]);
  expect(await inputsOf('cohorts', 'by_shares.0.retained.0')).toEqual([...bought, ...held('now')]);
  expect(await inputsOf('retention', 'by_count.0.retained')).toEqual([dust, ...held('held')]);
  expect(await inputsOf('retention', 'by_shares.0.retained')).toEqual([...bought, ...held('now')]);
  const { receipts } = (await reads.top?.read({ histories }, asked)) ?? {};
  const flow = receipts?.['holders.1.net_flow_30d'];
  expect(flow).toMatchObject({ value: '600000', inputs: [{ name: 'added', value: '1000000' }, { name: 'taken' }] });
  expect(flow?.inputs.map(({ tx_hash }) => typeof tx_hash)).toEqual(['string', 'string']);
  const run = (await reads.run?.read({ histories }, asked))?.receipts ?? {};
  expect(run['waiting.0.asked']?.inputs[0]).toMatchObject({ name: 'shares', block: 2, source: `Transfer: ${ada}` });
  expect(run.paid_now?.inputs[0]).toMatchObject({ name: 'most', block: 5, source: 'state_observed: idle' });
});

test('behavior: a net price names the mark and the fee with the events that set them', async () => {
  const vault = new VaultLog();
  vault.at(START + HOUR).deposit(wallet(1), 3_000_000n);
  vault.at(START + DAY).report(1_100_000n);
  vault.at(START + 2 * DAY).changeFee(2_000n);
  vault.at(START + 3 * DAY).report(1_200_000n);
  const histories = historiesAt(momentOf(vault));
  const asked = { chain_id: CHAIN, vault_address: vault.vault, receipt: true };
  const { receipts = {} } = (await reads.pps?.read({ histories }, asked)) ?? {};
  expect(receipts['current.net_pps']?.inputs).toMatchObject([
    { name: 'pps', block: vault.chain.block },
    { name: 'hwm', value: '1100000', block: vault.chain.block - 1, source: 'HWMPPSUpdated, HighWaterMarkReset' },
    { name: 'fee_bps', value: '2000', block: vault.chain.block - 1, source: 'VaultFeeConfigUpdated' },
  ]);
});

test('default: a holder has a cost at the price of each event, a result in dollars, and a rate of its own in the asset', async () => {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  vault.chain.answer([vault.asset], 100_000_000n);
  vault.at(START + HOUR).deposit(wallet(1), 100_000_000n);
  vault.at(START + 100 * DAY).transfer(wallet(1), wallet(2), 50_000_000n);
  vault.chain.answer([vault.asset], 200_000_000n);
  vault.at(START + 365 * DAY + HOUR).report(1_100_000n);
  const histories = historiesAt(momentOf(vault));
  const answer = await reads.top?.read({ histories }, { chain_id: CHAIN, vault_address: vault.vault });
  const { holders } = answer as unknown as { holders: Record<string, number>[] };
  const [ada, bob] = holders;
  // 100 in at 1.0, half of it out at 1.0; what is left is 55 at 2.0.
  expect(ada).toMatchObject({ pnl_assets: '5000000', cost_usd: 50, result_usd: 60 });
  expect(ada?.xirr).toBeGreaterThan(0.05);
  expect(bob).toMatchObject({ cost_usd: 50, result_usd: 60 });
  // Ten per cent in 265 days.
  expect(bob?.xirr).toBeCloseTo(1.1 ** (365 / (265 + 1 / 24)) - 1, 9);
  const early = historiesAt(momentOf(vault, { time: START + 2 * HOUR, block: 2 }));
  const asked = await reads.top?.read({ histories: early }, { chain_id: CHAIN, vault_address: vault.vault });
  expect(asked).toMatchObject({
    holders: [{ xirr: null }],
    quality: { 'holders.0.xirr': { reason: 'held for less than a day' } },
  });
});
