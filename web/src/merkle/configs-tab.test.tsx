import '../../test/browser.ts';
import { afterEach, expect, jest, test } from '@jest/globals';
import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { anAddress } from '../../test/builders.ts';
import { fakeApi, renderPage } from '../../test/harness.tsx';
import { aShown, refusal } from '../../test/shown.ts';
import { dismissToast, Toasts } from '../design/toast.tsx';
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

afterEach(() => dismissToast(() => true));

/** The way of #new-version, on a page that can be left. */
async function open(answers: Parameters<typeof fakeApi>[0], onGenerate = async (): Promise<unknown> => undefined) {
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
  const page = await renderPage(
    <>
      <ConfigsTab shown={shown} onChanged={() => undefined} onGenerate={onGenerate} />
      <Toasts />
    </>,
    { api, address: anAddress(0x10), url: '/#new-version' },
  );
  const make = async () =>
    userEvent.click(await screen.findByRole('button', { name: 'Make, activate and generate its tree' }));
  return { ...page, make };
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

test('behavior: a version that is made is activated and has its tree generated, also when the page is left meanwhile', async () => {
  const created = Promise.withResolvers<unknown>();
  const activateMerkleConfig = jest.fn(async (_input: unknown) => ({}));
  const onGenerate = jest.fn(async () => undefined);
  const { make, unmount } = await open({ createMerkleConfig: () => created.promise, activateMerkleConfig }, onGenerate);
  await make();
  unmount();
  await act(async () => created.resolve({ ...newest, version: 3 }));
  await waitFor(() => expect(onGenerate).toHaveBeenCalledTimes(1));
  expect(activateMerkleConfig.mock.calls).toMatchObject([[{ body: { version: 3, active_version: 2 } }]]);
});

test.each([
  ['activated', refusal('VERSION_CONFLICT', 409), undefined, 'Version 3 was made, but not activated'],
  [
    'generated',
    undefined,
    refusal('RPC_UNAVAILABLE', 503),
    'Version 3 was made and activated, but its tree could not be generated',
  ],
])('error: how far it came is said where it is not %s', async (_what, activating, generating, words) => {
  const { make } = await open(
    {
      createMerkleConfig: async () => ({ ...newest, version: 3 }),
      activateMerkleConfig: () => (activating === undefined ? Promise.resolve({}) : Promise.reject(activating)),
    },
    () => (generating === undefined ? Promise.resolve() : Promise.reject(generating)),
  );
  await make();
  expect(await screen.findByText(words)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'New version' }));
  expect(screen.queryByText('The version was not made')).toBeNull();
});

test('error: a version that was not made is said once: in its form, or where one is after leaving it', async () => {
  const first = Promise.withResolvers<unknown>();
  const { make, unmount } = await open({ createMerkleConfig: () => first.promise });
  await make();
  await act(async () => first.reject(refusal('SERVICE_UNAVAILABLE', 503)));
  expect(await screen.findAllByText('The version was not made')).toHaveLength(1);
  unmount();
  const second = Promise.withResolvers<unknown>();
  const again = await open({ createMerkleConfig: () => second.promise });
  await again.make();
  again.unmount();
  await act(async () => second.reject(refusal('SERVICE_UNAVAILABLE', 503)));
  await renderPage(<Toasts />);
  expect(await screen.findByText('The version was not made')).toBeTruthy();
});
