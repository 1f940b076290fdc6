import { CompareVaults, ExportPage } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { CHAIN, DAY, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { compareVaults } from './compare.ts';
import { exportPage } from './export-page.ts';
import { historiesAt } from './histories.fixture.ts';
import { reads } from './reads.fixture.ts';

/** A vault that takes a deposit in the second of its creation, and falls by 1 % before it rises. */
function fallen(): VaultLog {
  const vault = new VaultLog({ performanceFeeBps: 0n }).observe();
  vault.deposit(wallet(0x701), 1_000_000n);
  for (const [day, pps] of [990_000n, 1_000_000n, 1_010_000n].entries()) vault.at(START + (day + 1) * DAY).report(pps);
  return vault;
}

describe('the whole life', () => {
  const vault = fallen();
  const histories = historiesAt(momentOf(vault));
  const asked = { chain_id: CHAIN, vault_address: vault.vault };
  const read = (name: string, more: object = {}) =>
    reads[name]?.read({ histories }, { ...asked, period: 'all', ...more });

  test('behavior: the first price is in the series, and falls are measured from it', async () => {
    expect(await read('pps')).toMatchObject({
      points: [{ source: 'init', t: '2026-06-01T00:00:00.000Z' }, {}, {}, {}],
    });
    expect(await read('drawdown')).toMatchObject({
      from: '2026-06-01T00:00:00.000Z',
      max_drawdown: 0.01,
      episodes: [{ start: '2026-06-01T00:00:00.000Z', depth: 0.01 }],
      points: [{ drawdown: 0 }, { drawdown: 0.01 }, { drawdown: 0 }, { drawdown: 0 }],
      quality: {},
    });
    expect(await read('performance')).toMatchObject({ twr: 0.01, carried_in: 0 });
  });

  test('behavior: what happened in the second of the creation is counted', async () => {
    expect(await read('operations')).toMatchObject({ deposits: { count: 1, assets: '1000000' }, net_flow: '1000000' });
    expect(await read('volume')).toMatchObject({
      points: expect.arrayContaining([expect.objectContaining({ net: '1000000' })]),
    });
    expect(await read('transactions', { type: 'deposit' })).toMatchObject({ total: 1 });
  });

  test('behavior: exports and comparisons begin with it too', async () => {
    const page = await exportPage({ histories })(ExportPage.params.parse({ ...asked, dataset: 'pps', period: 'all' }));
    expect(page.rows).toHaveLength(4);
    const params = CompareVaults.params.parse({ vaults: [asked, asked], period: 'all', metrics: ['max_drawdown'] });
    const { table } = await compareVaults({ histories })(params);
    expect(table[0]).toMatchObject({ metrics: { max_drawdown: 0.01 }, quality: {} });
  });
});
