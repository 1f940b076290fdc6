import { AppError, SummarizeVaults } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { CHAIN, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import type { Histories } from './ports.ts';
import { reads } from './reads.fixture.ts';
import { summarizeVaults } from './summaries.ts';

/** Forty days with prices, in the last of which somebody left, asked to leave and changed the fee. */
function aLog() {
  const log = new VaultLog({ performanceFeeBps: 0n }).observe();
  for (const n of [1, 2, 3, 4]) log.at(START + n * HOUR).deposit(wallet(n), BigInt(n) * 1_000_000n);
  for (let day = 1; day <= 40; day += 1) log.at(START + day * DAY).report(1_000_000n + BigInt(day) * 100n);
  log.transfer(wallet(1), wallet(2), 1_000_000n);
  return log
    .request(wallet(4), 2_000_000n)
    .changeFee(100n)
    .observe()
    .at(START + 40 * DAY + HOUR)
    .report(1_004_100n);
}

describe('summaries', () => {
  const log = aLog();
  const vault = { chain_id: CHAIN, vault_address: log.vault };
  const moment = momentOf(log);
  const histories: Histories = {
    momentOf: async ({ vault_address }) => {
      if (vault_address === log.vault) return moment;
      throw vault_address === wallet(0x66) ? new TypeError('a bug') : new AppError('VAULT_NOT_FOUND', 'No such vault.');
    },
  };
  const ask = async (...vaults: (typeof vault)[]) =>
    SummarizeVaults.result.parse(await summarizeVaults({ histories })(SummarizeVaults.params.parse({ vaults })));
  const read = (name: string, params: object = {}) => reads[name]?.read({ histories }, { ...vault, ...params });

  test('default: each figure is the one of its own page', async () => {
    const [summary] = (await ask(vault)).vaults;
    const run = await read('run', { top_holders: 3, hours: 24, venue_shock: 0 });
    const operations = await read('operations', { period: '24h' });
    const overview = await read('overview');
    const of = (answer: object | undefined, names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, (answer as Record<string, unknown>)[name]]));
    expect(summary?.run).toEqual(of(run, ['demand', 'paid_now', 'shortfall']));
    expect(summary?.redemptions).toEqual(
      of(operations?.redemptions as object, ['pending', 'pending_assets', 'oldest_seconds']),
    );
    expect(summary?.redemptions.pending).toBe(1);
    expect(overview?.tvl_change).toMatchObject({ h24: summary?.day.tvl_change });
    expect(summary).toMatchObject({ as_of: overview?.as_of, block_number: overview?.block_number });
  });

  test('behavior: holders, roles and settings are compared with a day ago', async () => {
    const [summary] = (await ask(vault)).vaults;
    expect(summary?.day).toMatchObject({ holders: -1, role_changes: 0, setting_changes: 1 });
  });

  test('behavior: thirty days of returns, to six digits, that end with the price of now', async () => {
    const [summary] = (await ask(vault)).vaults;
    const returns = summary?.returns_30d ?? [];
    expect([returns.length, returns[0]]).toEqual([31, 0]);
    expect(returns.every((each) => each !== null && Number.isInteger(Math.round(each * 1e6)))).toBe(true);
    expect(returns.at(-1)).toBeGreaterThan(0.002);
  });

  test('error: a vault that cannot be read is named with its code, and takes no other with it', async () => {
    const unknown = { chain_id: CHAIN, vault_address: wallet(0x77) };
    const { vaults, unread } = await ask(unknown, vault);
    expect(vaults).toHaveLength(1);
    expect(unread).toEqual([{ ...unknown, code: 'VAULT_NOT_FOUND' }]);
  });

  test('error: a bug is no vault that cannot be read', async () => {
    await expect(ask({ chain_id: CHAIN, vault_address: wallet(0x66) })).rejects.toThrow('a bug');
  });
});
