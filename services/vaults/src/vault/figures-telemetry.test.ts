import { createRegistry } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import { figureMetrics } from './figures-telemetry.ts';

const aVault = (n: number, more: object = {}) =>
  ({
    chain_id: 1,
    vault_address: `0x${String(n).repeat(40)}`,
    name: 'Say "vault"\nand more',
    asset: { symbol: 'USDC', decimals: 6 },
    total_assets: '1234567890',
    tvl_usd: 1234.5,
    apy: 0.05,
    current_pps: '1050000',
    pps_precision: '1000000',
    last_pps_update_timestamp: '2026-01-01T00:00:00.000Z',
    ...more,
  }) as unknown as Awaited<ReturnType<Parameters<typeof figureMetrics>[1]>>[number];

/** The samples of vaults of one scrape. */
function scraped(list: Parameters<typeof figureMetrics>[1]): () => Promise<string[]> {
  const registry = createRegistry('test');
  figureMetrics([registry], list);
  return async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('castellan_vault_'));
}

test('default: each vault has its figures, in units that a graph can show, and is read once for a scrape', async () => {
  let reads = 0;
  const scrape = scraped(async () => {
    reads += 1;
    return [aVault(1)];
  });
  const labels = `chain_id="1",vault="0x${'1'.repeat(40)}"`;
  expect(await scrape()).toEqual([
    `castellan_vault_assets{${labels},service="test"} 1234.56789`,
    `castellan_vault_value_usd{${labels},service="test"} 1234.5`,
    `castellan_vault_apy{${labels},service="test"} 0.05`,
    `castellan_vault_price_per_share{${labels},service="test"} 1.05`,
    `castellan_vault_price_timestamp_seconds{${labels},service="test"} 1767225600`,
    `castellan_vault_info{${labels},name="Say \\"vault\\"\\nand more",asset="USDC",service="test"} 1`,
  ]);
  expect(reads).toBe(1);
});

test('behavior: a figure that a vault has not is not shown, and a vault that is gone is gone', async () => {
  let vaults = [aVault(1, { tvl_usd: null, apy: null }), aVault(2)];
  const scrape = scraped(async () => vaults);
  const valued = async () => (await scrape()).filter((line) => /_(value_usd|apy)\{/.test(line));
  expect((await valued()).map((line) => line.includes('0x2'))).toEqual([true, true]);
  vaults = [];
  expect(await scrape()).toEqual([]);
});

test('error: vaults that cannot be read leave the other metrics as they are', async () => {
  const registry = createRegistry('test');
  figureMetrics([registry], () => Promise.reject(new Error('not ready')));
  expect(await registry.metrics()).toContain('process_cpu');
});
