import { CompareVaults, ExportPage, exportDatasets } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { CHAIN, ChainLog, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { compareVaults } from './compare.ts';
import { exportPage } from './export-page.ts';
import { historiesAt } from './histories.fixture.ts';
import type { Histories } from './ports.ts';
import { reads } from './reads.fixture.ts';

/** Two vaults of one chain: the second began ten days later and lost a little. */
function pair() {
  const chain = new ChainLog();
  const old = new VaultLog({ n: 0, performanceFeeBps: 0n }, chain).observe();
  old.at(START + HOUR).deposit(wallet(1), 1_000_000n);
  for (let day = 1; day <= 10; day += 1) old.at(START + day * DAY).report(1_000_000n + BigInt(day) * 100n);
  const young = new VaultLog({ n: 1, performanceFeeBps: 0n, created: START + 10 * DAY + HOUR }, chain).observe();
  for (let day = 11; day <= 20; day += 1) {
    old.at(START + day * DAY).report(1_000_000n + BigInt(day) * 100n);
    young.report(1_000_000n - BigInt(day));
  }
  return { old, young };
}

describe('compare', () => {
  const { old, young } = pair();
  const histories: Histories = {
    momentOf: ({ vault_address }) => Promise.resolve(momentOf(vault_address === old.vault ? old : young)),
  };
  const vaults = [old, young].map(({ vault }) => ({ chain_id: CHAIN, vault_address: vault }));
  const ask = async (more: object = {}) =>
    CompareVaults.result.parse(await compareVaults({ histories })(CompareVaults.params.parse({ vaults, ...more })));

  test('default: a table in the order asked for, each figure the one of its own page', async () => {
    const { table } = await ask();
    expect(table.map(({ vault_address }) => vault_address)).toEqual([old.vault, young.vault]);
    const overview = await reads.overview?.read({ histories }, { chain_id: CHAIN, vault_address: old.vault });
    expect(overview).toMatchObject({ apy: { d7: table[0]?.metrics.apy_7d }, depositors: table[0]?.metrics.depositors });
    expect(table[1]?.metrics.apy_7d).toBeLessThan(0);
    expect(table[1]?.quality.apy_30d).toMatchObject({ status: 'insufficient' });
  });

  test('behavior: one set of times; a vault that had not begun is null, not 0', async () => {
    const { series, from, interval_seconds } = await ask({ period: 'all', points: 20, series: ['return', 'drawdown'] });
    expect([from, interval_seconds]).toEqual([new Date(START * 1000).toISOString(), DAY]);
    const points = series.return ?? [];
    expect(points.map(({ t }) => t)).toEqual((series.drawdown ?? []).map(({ t }) => t));
    const early = points.find(({ t }) => Date.parse(t) / 1000 < young.created);
    expect(early?.values[1]).toBeNull();
    expect(points.at(-1)?.values[0]).toBeCloseTo(0.002, 12);
    expect(points.at(-1)?.values[1]).toBeCloseTo(-0.000_02, 12);
  });
});

describe('export', () => {
  const { old } = pair();
  const ask = async (dataset: string) => {
    const params = ExportPage.params.parse({ chain_id: CHAIN, vault_address: old.vault, dataset });
    return ExportPage.result.parse(await exportPage({ histories: historiesAt(momentOf(old)) })(params));
  };

  test.each(exportDatasets)('default: %s has a cell for every column, of its type', async (name) => {
    const { columns, rows } = await ask(name);
    for (const row of rows) {
      expect(row).toHaveLength(columns.length);
      row.forEach((cell, at) => {
        const { type } = columns[at] as (typeof columns)[number];
        if (cell !== null && type === 'integer') expect(String(cell)).toMatch(/^-?\d+$/);
        if (cell !== null && type === 'number') expect(Number.isFinite(Number(cell))).toBe(true);
        if (cell !== null && type === 'time') expect(new Date(String(cell)).toISOString()).toBe(cell);
      });
    }
  });

  test('default: prices oldest first, in raw units and as shown', async () => {
    const { rows, next } = await ask('pps');
    expect(rows[0]?.slice(0, 6)).toEqual(['2026-06-01T00:00:00.000Z', '1000000', '1', '1000000', '1000000', 'init']);
    expect(rows[0]?.slice(-2)).toEqual(['10000000000', '10000']);
    expect([rows.length, next]).toEqual([21, null]);
  });
});
