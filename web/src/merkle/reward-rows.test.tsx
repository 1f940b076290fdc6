import '../../test/browser.ts';
import { expect, jest, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress, aVault } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { allocation, reward, someFields } from '../../test/strategies.ts';
import { missingRewardRows } from './reward-presets.ts';
import { RewardRows } from './reward-rows.tsx';
import type { Hook, HookRow } from './types.ts';

const vault = aVault({ allocation });
const aHook = (hook_type: Hook['hook_type'], names: string[], id = hook_type.toLowerCase()): Hook => ({
  id,
  version: 1,
  name: id,
  hook_type,
  addresses: [{ chain_id: vault.chain_id, address: anAddress(0x50) }],
  inspect_params: names.map((name, param_order) => ({
    name,
    solidity_type: 'address',
    ref_type: 'others',
    param_order,
  })),
  calldata: [],
  is_active: true,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
});
const claim = aHook('CLAIM', ['distributor', 'token']);
const swap = aHook('SWAP', ['pool', 'token_in', 'token_out']);
const claimRow: HookRow = {
  hook_id: 'claim',
  params: { distributor: reward.distributor, token: reward.token },
};
const swapRow: HookRow = {
  hook_id: 'swap',
  params: { pool: reward.pool ?? '', token_in: reward.token, token_out: vault.asset.address },
};
const missing = (over: Partial<Parameters<typeof missingRewardRows>[0]> = {}) =>
  missingRewardRows({ vault, hooks: [claim, swap], rows: [], rewards: [reward], ...over });

test('default: a claim and a swap for each reward, and nothing twice', () => {
  expect(missing()).toEqual({ rows: [claimRow, swapRow] });
  const typed = { ...claimRow, params: { token: reward.token.toLowerCase(), distributor: reward.distributor } };
  expect(missing({ rows: [typed] })).toEqual({ rows: [swapRow] });
  expect(missing({ rows: [typed, swapRow] })).toEqual({ reason: 'Each reward that a hook fits has its rows here.' });
});

test('behavior: without a pool there is only the claim, and a hook with another parameter is passed over', () => {
  expect(missing({ rewards: [{ ...reward, pool: null }] })).toEqual({ rows: [claimRow] });
  const odd = aHook('CLAIM', ['distributor', 'token', 'proof'], 'odd');
  expect(missing({ hooks: [odd, claim] })).toEqual({ rows: [claimRow] });
  expect(missing({ hooks: [odd] })).toEqual({ reason: 'Each reward that a hook fits has its rows here.' });
});

async function show(rewards: (typeof reward)[], hooks = [claim, swap]) {
  const onAdd = jest.fn();
  const engineFields = jest.fn(async () => ({ ...someFields({}), rewards }));
  const api = fakeApi({ engineFields });
  const part = { vault, hooks, onAdd };
  await renderPage(<RewardRows {...part} rows={[]} />, { api, address: anAddress(0x10) });
  return { onAdd, engineFields };
}

test('default: one press fills them in, with the names of the rewards beside it', async () => {
  const { onAdd } = await show([reward]);
  await userEvent.click(await screen.findByRole('button', { name: 'Claim and swap all my rewards' }));
  expect(onAdd).toHaveBeenCalledWith([claimRow, swapRow]);
  expect(screen.getByText('Fills in 2 missing rows. Rewards: PRIME of Morpho Prime.')).toBeTruthy();
});

test('behavior: without hooks for rewards nobody asks for them', async () => {
  const { engineFields } = await show([reward], [aHook('DEPOSIT', ['yield_source'])]);
  expect(screen.queryByRole('button')).toBeNull();
  expect(engineFields).not.toHaveBeenCalled();
});
