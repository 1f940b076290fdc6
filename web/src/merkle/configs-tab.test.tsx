import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown, refusal } from '../../test/shown.ts';
import { ConfigsTab } from './configs-tab.tsx';
import type { Config, Hook } from './types.ts';

const at = '2026-01-01T00:00:00.000Z';
const hook: Hook = {
  id: 'hook-1',
  version: 1,
  name: 'Deposit',
  hook_type: 'DEPOSIT',
  addresses: [{ chain_id: 31337, address: anAddress(0x50) }],
  inspect_params: [{ name: 'token', solidity_type: 'address', ref_type: 'token', param_order: 0 }],
  calldata: [],
  is_active: true,
  created_at: at,
  updated_at: at,
};
const { rows, ...newest }: Config = {
  chain_id: 31337,
  vault_address: anAddress(1),
  id: 'config-2',
  version: 2,
  is_active: true,
  note: null,
  row_count: 1,
  config_hash: 'ab',
  tree_id: null,
  created_by: anAddress(0x10),
  created_at: at,
  rows: [
    {
      hook_id: 'hook-1',
      params: { token: anAddress(0x31) },
      hook_name: 'Deposit',
      hook_type: 'DEPOSIT',
      hook_address: anAddress(0x50),
    },
  ],
};
const pageOf = (items: object) => ({ ...items, total: 1, has_more: false, next_cursor: null });

/** The way of #new-version. */
async function open(answers: Parameters<typeof fakeApi>[0]) {
  const shown = aShown({ my_role: 'primary_manager' });
  const api = fakeApi({
    merkleConfigVersions: async () => pageOf({ versions: [newest] }),
    merkleConfig: async () => ({ ...newest, rows }),
    registryHooks: async () => pageOf({ hooks: [hook] }),
    merkleSync: async () => null,
    merkleTrees: async () => pageOf({ trees: [] }),
    merkleProofs: async () => pageOf({ proofs: [] }),
    yieldSources: async () => ({ yield_sources: [], oracles: [] }),
    ...answers,
  });
  await renderPage(<ConfigsTab shown={shown} onChanged={() => undefined} onGenerate={() => undefined} />, {
    api,
    address: anAddress(0x10),
    url: '/#new-version',
  });
}

test('error: who is led to make a version reads that the registry cannot be read, and gets the form once it can', async () => {
  let isAway = true;
  await open({
    registryHooks: async () => {
      if (isAway) throw refusal('RPC_UNAVAILABLE', 503);
      return pageOf({ hooks: [hook] });
    },
  });
  expect(await screen.findByText('The registry of hooks could not be read')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'New version' }).hasAttribute('disabled')).toBe(true);
  isAway = false;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('form', { name: 'New hook configuration' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'New version' })).toBeNull();
});
