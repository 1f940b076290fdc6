import { Registry } from '@castellan/service-kit';
import { anAddress, aVault } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { vaultsMetrics } from './telemetry.ts';

const labels = { chain_id: '31337', strategy: anAddress(0xa2) };

async function gauges(registry: Registry) {
  const names = ['castellan_vault_paused', 'castellan_vault_upkeep_empty', 'castellan_vault_pps_expiration_seconds'];
  return Promise.all(names.map(async (name) => (await registry.getSingleMetric(name)?.get())?.values));
}

const upkeep = (balance: string, shortfall: string) => ({
  upkeep_info: { ...aVault().upkeep_info, balance, threshold: { required_balance: '1000', shortfall } },
});

test('behavior: tells of each strategy whether it is paused, out of upkeep, and when its price expires', async () => {
  const registry = new Registry();
  const { observeVault } = vaultsMetrics(registry);
  observeVault(aVault({ strategy_address: anAddress(0xa2), is_paused: true, ...upkeep('999', '1') }));
  expect(await gauges(registry)).toEqual([
    [{ labels, value: 1 }],
    [{ labels, value: 1 }],
    [{ labels, value: 172_800 }],
  ]);
  observeVault(aVault({ strategy_address: anAddress(0xa2), is_paused: false, ...upkeep('1000', '0') }));
  expect(await gauges(registry)).toMatchObject([[{ value: 0 }], [{ value: 0 }], [{ value: 172_800 }]]);
});

test('behavior: labels strategies as the validators do, in EIP-55', async () => {
  const registry = new Registry();
  const strategy = '0x52908400098527886E0F7030069857D2E4169EE7';
  vaultsMetrics(registry).observeVault({ ...aVault(), strategy_address: strategy.toLowerCase() });
  expect(await gauges(registry)).toMatchObject(Array(3).fill([{ labels: { strategy } }]));
});
