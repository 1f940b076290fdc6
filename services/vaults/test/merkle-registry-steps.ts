import {
  ActivateHookConfig,
  CreateHook,
  CreateHookConfig,
  DeleteHook,
  GenerateTree,
  GetActiveHookConfig,
  GetHookConfig,
  GetHookConfigVersion,
  GetMerkleSync,
  ListHookConfigs,
  ListHooks,
  PublishTree,
  UpdateHook,
} from '@castellan/contracts';
import { expect } from '@jest/globals';
import type { Address } from 'viem';
import { who } from '../../../packages/protocol/test/test-chain.ts';
import { chain_id } from './harness.ts';
import { hookIds, protocol, rowsFor, sourcesOf, sync, system, vault, viewer } from './merkle-scene.ts';

/** The registry of hooks and the configurations of a vault: the first steps of the way of a hooks root, in this order. */

const draft = () => ({
  name: 'Swap',
  hook_type: 'REBALANCE' as const,
  addresses: [{ chain_id, address: protocol.depositHook.address }],
  inspect_params: [{ name: 'token', solidity_type: 'address', ref_type: 'token' as const, param_order: 0 }],
  calldata: [{ name: 'token', solidity_type: 'address' }],
});

/** Begins with the hooks of the chain's configuration. */
export async function registryBegins(): Promise<void> {
  const { hooks, total } = await system.call(ListHooks, { chain_id, is_active: true }, viewer);
  expect(total).toBe(2);
  for (const { hook_type, id } of hooks) hookIds.set(hook_type, id);
  expect(hooks.map(({ addresses }) => addresses[0]?.address)).toEqual([
    protocol.depositHook.address,
    protocol.redeemHook.address,
  ]);
}

/** Is written by its maintainers, each version once. */
export async function registryIsWritten(): Promise<void> {
  const created = await system.call(CreateHook, draft(), who.bob);
  const change = { ...draft(), id: created.id, version: 1, name: 'Swapper' };
  expect(await system.call(UpdateHook, change, who.bob)).toMatchObject({ version: 2, name: 'Swapper' });
  await expect(system.call(UpdateHook, change, who.bob)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  await system.call(DeleteHook, { id: created.id }, who.bob);
  await expect(system.call(DeleteHook, { id: created.id }, who.bob)).rejects.toMatchObject({
    code: 'HOOK_NOT_FOUND',
  });
  expect((await system.call(ListHooks, {}, viewer)).total).toBe(2);
}

/** Anybody else, the primary manager of a vault too. */
export async function registryIsClosedToOthers(): Promise<void> {
  const refusal = { code: 'ROLE_REQUIRED', data: { required_role: 'registry_maintainer' } };
  await expect(system.call(CreateHook, draft(), who.main)).rejects.toMatchObject(refusal);
  await expect(system.call(DeleteHook, { id: 'any' }, who.main)).rejects.toMatchObject(refusal);
  await expect(system.call(CreateHook, draft())).rejects.toMatchObject({ code: 'TOKEN_MISSING' });
  // What a maintainer's token for one vault could change here would concern all of them.
  const bound = { wallet_address: who.bob, sid: 'test', issuer: 'test', vault };
  await expect(system.callAs(bound, CreateHook, draft())).rejects.toMatchObject(refusal);
  const contract = { wallet_address: who.bob, sid: 'test', issuer: 'test', chain_id };
  await expect(system.callAs(contract, CreateHook, draft())).rejects.toMatchObject(refusal);
}

/** A parameter without its field. */
export async function fieldlessIsRefused(): Promise<void> {
  const fieldless = { ...draft(), calldata: [{ name: 'other', solidity_type: 'address' }] };
  await expect(system.call(CreateHook, fieldless, who.bob)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
}

/** Rows that cannot be used are named by their place. */
export async function unusableRowsAreNamed(): Promise<void> {
  const rows = [...rowsFor(sourcesOf()), { hook_id: 'nothing', params: {} }];
  const error = await system.call(CreateHookConfig, { ...vault, rows }, who.main).catch((failure: unknown) => failure);
  expect(error).toMatchObject({
    code: 'HOOK_ROW_REFUSED',
    data: { errors: [{ path: 'body.rows.4.hook_id', message: 'is no hook of the registry' }] },
  });
  const malformed = [{ hook_id: hookIds.get('DEPOSIT') ?? '', params: { yield_source: '0x12' } }];
  await expect(system.call(CreateHookConfig, { ...vault, rows: malformed }, who.main)).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
    data: { errors: [{ path: 'body.rows.0.params.yield_source' }, { path: 'body.rows.0.params.token' }] },
  });
}

/** Before there is one, nothing can be generated. */
export async function nothingIsGeneratedBefore(): Promise<void> {
  expect(await sync()).toMatchObject({ action: 'needs_generation', reason: 'no_active_config', tree_id: null });
  await expect(system.call(GenerateTree, vault, who.main)).rejects.toMatchObject({ code: 'NO_ACTIVE_HOOK_CONFIG' });
  await expect(system.call(GetActiveHookConfig, vault, who.main)).rejects.toMatchObject({
    code: 'HOOK_CONFIG_NOT_FOUND',
  });
}

/** A version is made by any manager and never changes. */
export async function versionsNeverChange(): Promise<void> {
  const [first] = sourcesOf();
  const one = await system.call(CreateHookConfig, { ...vault, rows: rowsFor([first as Address]) }, who.secondary);
  expect(one).toMatchObject({ version: 1, is_active: false, row_count: 2, tree_id: null });
  // The same rows twice are the same leaves.
  const rows = [...rowsFor(sourcesOf()), ...rowsFor([first as Address])];
  const two = await system.call(CreateHookConfig, { ...vault, rows, base_version: 1, note: 'Both' }, who.main);
  expect(two).toMatchObject({ version: 2, row_count: 6, note: 'Both' });
  await expect(system.call(CreateHookConfig, { ...vault, rows, base_version: 1 }, who.main)).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
  });
  expect(await system.call(GetHookConfigVersion, { ...vault, version: 1 }, who.main)).toEqual(one);
  expect(await system.call(GetHookConfig, { id: one.id }, who.main)).toEqual(one);
  const { versions } = await system.call(ListHookConfigs, { ...vault, limit: 1 }, who.main);
  expect(versions).toMatchObject([{ version: 2 }]);
}

/** Two at the same time get a version each. */
export async function twoGetAVersionEach(): Promise<void> {
  const rows = rowsFor(sourcesOf());
  const made = await Promise.all([1, 2, 3].map(() => system.call(CreateHookConfig, { ...vault, rows }, who.main)));
  expect(made.map(({ version }) => version).sort()).toEqual([3, 4, 5]);
}

/** Activating takes the version that is active, when it is named. */
export async function activatingTakesTheNamed(): Promise<void> {
  const activate = (version: number, active_version?: number | null) =>
    system.call(
      ActivateHookConfig,
      { ...vault, version, ...(active_version === undefined ? {} : { active_version }) },
      who.main,
    );
  await expect(activate(1, 1)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  expect(await activate(1, null)).toMatchObject({ version: 1, is_active: true });
  await expect(activate(2, null)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
  expect(await activate(2, 1)).toMatchObject({ version: 2, is_active: true });
  await expect(activate(9)).rejects.toMatchObject({ code: 'HOOK_CONFIG_NOT_FOUND' });
  expect(await system.call(GetActiveHookConfig, vault, who.main)).toMatchObject({ version: 2 });
  expect(await sync()).toMatchObject({ action: 'needs_generation', reason: 'not_generated', config_version: 2 });
}

/** Those without a role on the vault see and change nothing. */
export async function othersSeeNothing(): Promise<void> {
  const rows = rowsFor(sourcesOf());
  const code = 'ROLE_REQUIRED';
  const { versions } = await system.call(ListHookConfigs, vault, who.main);
  const id = versions[0]?.id ?? '';
  for (const asked of [
    () => system.call(CreateHookConfig, { ...vault, rows }, viewer),
    () => system.call(ListHookConfigs, vault, viewer),
    () => system.call(GetHookConfig, { id }, viewer),
    () => system.call(ActivateHookConfig, { ...vault, version: 1 }, viewer),
    () => system.call(GenerateTree, vault, viewer),
    () => system.call(GetMerkleSync, vault, viewer),
    () => system.call(PublishTree, vault, who.secondary),
  ])
    await expect(asked()).rejects.toMatchObject({ code });
}

/** A token that is bound to another vault. */
export async function otherVaultsTokenSeesNothing(): Promise<void> {
  const { versions } = await system.call(ListHookConfigs, vault, who.main);
  const bound = {
    wallet_address: who.main,
    sid: 'test',
    issuer: 'test',
    vault: { chain_id, vault_address: protocol.asset.address },
  };
  await expect(system.callAs(bound, GetHookConfig, { id: versions[0]?.id ?? '' })).rejects.toMatchObject({
    code: 'ROLE_REQUIRED',
  });
}
