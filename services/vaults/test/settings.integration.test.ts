import { GetVaultSettings, ListMyVaults, ListYieldSources, type VaultSettings } from '@castellan/contracts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getAddress } from 'viem';
import { createVault, creation, deposit, one, price, who } from '../../../packages/protocol/test/test-chain.ts';
import { callerOf, chain_id, type Trio, trioOf, VaultsSystem } from './harness.ts';

/** Settings and yield sources of a vault on which everything waits that can wait. */

const DAY_MS = 86_400_000;
let system: VaultsSystem;
let second: Trio;

const vaultOf = (vault: string = system.protocol.vault.address) => ({ chain_id, vault_address: vault });
const settings = (wallet?: string): Promise<VaultSettings> => system.call(GetVaultSettings, vaultOf(), wallet);
const act = (name: string, args: unknown[], on: 'strategy' | 'aggregator' = 'strategy') =>
  system.chain.send(who.main, system.protocol[on], name, args);

beforeAll(async () => {
  system = await VaultsSystem.start(async (chain, { aggregator, asset }) => {
    second = trioOf(await createVault(chain, aggregator, creation(asset.address)));
  });
  const { chain, protocol } = system;
  const { strategy, sources, sourceOracle, upkeepToken, aggregator } = protocol;
  await deposit(chain, protocol, who.alice, 1_000n * one);
  await price(chain, protocol, one);
  await act('manageYieldSource', [sources[0].address, sourceOracle.address, 0]);
  await act('manageYieldSource', [sources[1].address, who.bob, 0]);
  await act('managePPSExpiration', [0, 7_200n]);
  await act('proposeMinUpdateIntervalChange', [strategy.address, 0n], 'aggregator');
  await act('proposeWithdrawUpkeep', [strategy.address], 'aggregator');
  await chain.send(who.secondary, aggregator, 'proposeChangePrimaryManager', [strategy.address, who.bob, who.bob]);
  await chain.send(who.stranger, upkeepToken, 'mint', [who.main, 70n]);
  await chain.send(who.main, upkeepToken, 'approve', [aggregator.address, 30n]);
  await system.indexed();
});
afterAll(async () => system?.stop());

describe('settings', () => {
  test('default: what is set, what waits and what is allowed', async () => {
    await act('proposeVaultFeeConfigUpdate', [2_000n, 50n, who.alice]);
    const proposedAt = Number(await system.chain.now()) * 1_000;
    await system.indexed();
    const { fees, pps, upkeep, pending_primary_change, ...at } = await settings();
    const head = await system.chain.client.getBlock();
    expect(at).toEqual({
      ...vaultOf(),
      block_number: Number(head.number),
      chain_time: new Date(Number(head.timestamp) * 1_000).toISOString(),
    });
    expect(fees).toEqual({
      current: { performance_fee_bps: 1_000, management_fee_bps: 0, recipient: who.main },
      pending: {
        performance_fee_bps: 2_000,
        management_fee_bps: 50,
        recipient: who.alice,
        effective_at: new Date(proposedAt + 7 * DAY_MS).toISOString(),
        can_execute: false,
      },
      limits: { max_performance_fee_bps: 5_100, max_management_fee_bps: 10_000, timelock_seconds: 604_800 },
    });
    expect(pps).toMatchObject({
      deviation_threshold_bps: 5_000,
      expiration_seconds: 86_400,
      pending_expiration: { expiration_seconds: 7_200, can_execute: false },
      min_update_interval_seconds: 60,
      pending_min_update_interval: { min_update_interval_seconds: 0, can_execute: false },
      max_staleness_seconds: 3_600,
    });
    const [paid, ...more] = (await system.log()).filter(({ name }) => name === 'UpkeepSpent');
    const spent = BigInt(String(paid?.args.amount));
    const left = `${10n ** 18n - spent}`;
    const age = BigInt(
      (Date.parse(at.chain_time) - Date.parse((await system.detail(system.protocol.vault.address)).created_at)) / 1_000,
    );
    expect(more).toEqual([]);
    expect(upkeep).toMatchObject({
      info: { balance: left, symbol: 'UP', decimals: 18 },
      pending_withdrawal: { amount: left, can_execute: false },
      cost_per_day: `${(spent * 86_400n + age - 1n) / age}`,
      withdrawal_timelock_seconds: 86_400,
      wallet: null,
    });
    expect(pending_primary_change).toMatchObject({ proposed_manager: who.bob, can_execute: false });
  });

  test('behavior: a wallet sees what it has and what the aggregator may take', async () => {
    expect((await settings(who.main)).upkeep.wallet).toEqual({ balance: '70', allowance: '30' });
    expect((await settings(who.bob)).upkeep.wallet).toEqual({ balance: '0', allowance: '0' });
    expect((await settings()).upkeep.wallet).toBeNull();
    await system.chain.send(who.main, system.protocol.upkeepToken, 'approve', [
      system.protocol.aggregator.address,
      40n,
    ]);
    expect((await settings(who.main)).upkeep.wallet).toEqual({ balance: '70', allowance: '40' });
  });

  test('behavior: the next block is answered at once, before it is indexed', async () => {
    await act('proposeVaultFeeConfigUpdate', [100n, 0n, who.bob]);
    const { fees } = await settings();
    expect(fees.pending).toMatchObject({ performance_fee_bps: 100, recipient: who.bob });
    await system.indexed();
    expect((await settings()).fees).toEqual(fees);
  });
});

/** Each with its oracle and the transaction that added it; what does not answer says so. */
async function sourcesAreListed(): Promise<void> {
  const { protocol } = system;
  const [first, other] = protocol.sources.map(({ address }) => address);
  const answer = await system.call(ListYieldSources, vaultOf());
  expect(answer.yield_sources).toMatchObject([
    {
      source_address: first,
      name: 'Source A',
      source_type: 'erc4626',
      oracle_address: protocol.sourceOracle.address,
      oracle_ok: true,
      assets: '0',
      // One source without a value leaves every share unknown.
      share: null,
      usd: null,
    },
    { source_address: other, source_type: 'erc4626', oracle_address: who.bob, oracle_ok: false, assets: null },
  ]);
  const added = (await system.log()).filter(({ name }) => name === 'YieldSourceAdded');
  expect(answer.yield_sources.map(({ added_at, added_tx }) => [added_at, added_tx])).toEqual(
    added.map(({ block_time, tx_hash }) => [block_time, tx_hash]),
  );
  expect(answer.oracles).toEqual(
    [who.bob, protocol.sourceOracle.address]
      .map((address) => ({ oracle_address: getAddress(address), used_by: 1 }))
      .sort((a, b) => a.oracle_address.localeCompare(b.oracle_address)),
  );
}

/** A source that was removed and added again is as old as its last addition. */
async function sourceAddedAgainIsYoung(): Promise<void> {
  const { sources, sourceOracle } = system.protocol;
  await act('manageYieldSource', [sources[1].address, sourceOracle.address, 2]);
  await system.indexed();
  expect((await system.call(ListYieldSources, vaultOf())).yield_sources).toHaveLength(1);
  await act('manageYieldSource', [sources[1].address, sourceOracle.address, 0]);
  await system.indexed();
  const answer = await system.call(ListYieldSources, vaultOf());
  const lastAddition = (await system.log()).findLast(({ name }) => name === 'YieldSourceAdded');
  expect(answer.yield_sources[1]?.added_tx).toBe(lastAddition?.tx_hash);
  expect(answer.oracles).toEqual([{ oracle_address: sourceOracle.address, used_by: 1 }]);
}

/** A vault without sources has none, and the oracles of the chain all the same. */
async function vaultWithoutSourcesHasNone(): Promise<void> {
  const answer = await system.call(ListYieldSources, vaultOf(second.vault));
  expect([answer.yield_sources, answer.oracles.length]).toEqual([[], 1]);
}

test('default: yield sources with their oracles, after a change and of a vault that has none', async () => {
  await sourcesAreListed();
  await sourceAddedAgainIsYoung();
  await vaultWithoutSourcesHasNone();
});

test('behavior: the full list has the age of the price and what is proposed', async () => {
  const { vaults } = await system.callAs(callerOf(who.main), ListMyVaults, { detail: 'full', limit: 500 });
  const line = vaults.find(({ vault_address }) => vault_address === system.protocol.vault.address);
  const { chain_time, last_oracle_update_timestamp, remaining_staleness_time } = await system.detail(
    system.protocol.vault.address,
  );
  expect(line).toMatchObject({ chain_time, last_oracle_update_timestamp, remaining_staleness_time });
  expect(line?.proposals?.map(({ kind }) => kind)).toContain('primary_manager');
});

describe('a token bound to one vault', () => {
  const bound = (vault: string) => ({ ...callerOf(who.main), vault: vaultOf(vault) }) as ReturnType<typeof callerOf>;

  test('behavior: its list and its role are of that vault only', async () => {
    const listed = async (caller?: ReturnType<typeof callerOf>) => {
      const { vaults, total } = await system.callAs(caller, ListMyVaults, { detail: 'minimal', limit: 500 });
      return [total, vaults.map(({ vault_address }) => vault_address).sort()];
    };
    const both = [system.protocol.vault.address, second.vault];
    expect(await listed(callerOf(who.main))).toEqual([2, [...both].sort()]);
    expect(await listed(bound(second.vault))).toEqual([1, [second.vault]]);
    expect((await system.detail(second.vault, bound(second.vault))).my_role).toBe('primary_manager');
    expect((await system.detail(both[0] as string, bound(second.vault))).my_role).toBeNull();
  });
});
