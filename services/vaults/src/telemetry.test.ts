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

test('behavior: exports of each strategy whether it is paused, out of upkeep, and when its price expires', async () => {
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

test('behavior: exports whether each vault could be paused and how old that is, until the chain is another`s', async () => {
  const registry = new Registry();
  const { pauseProofs } = vaultsMetrics(registry);
  const vault = '0x52908400098527886E0F7030069857D2E4169EE7';
  const proof = { chain_id: 31_337, vault_address: vault.toLowerCase(), ok: false };
  pauseProofs.observe({ ...proof, checked_at: new Date(Date.now() - 60_000).toISOString() });
  const read = () =>
    Promise.all(
      ['vaults_pause_proof_ok', 'vaults_pause_proof_age_seconds'].map(
        async (name) => (await registry.getSingleMetric(name)?.get())?.values,
      ),
    );
  const [ok, age] = await read();
  expect(ok).toEqual([{ labels: { chain_id: '31337', vault }, value: 0 }]);
  expect(age).toEqual([{ labels: { chain_id: '31337', vault }, value: expect.any(Number) }]);
  expect(Math.floor(Number(age?.[0]?.value) / 60)).toBe(1);
  pauseProofs.forget(1);
  expect(await read()).toMatchObject([[{ value: 0 }], [{ labels: { vault } }]]);
  pauseProofs.forget(31_337);
  expect(await read()).toEqual([[], []]);
});
