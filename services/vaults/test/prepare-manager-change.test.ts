import { AppError } from '@castellan/contracts';
import { anAddress, aVault } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import { type Address, zeroAddress } from 'viem';
import type { ManagerCalls } from '../src/adapters/manager-calls.rpc.ts';
import type { Snapshot } from '../src/adapters/snapshot-store.mongo.ts';
import type { ManagerState } from '../src/domain/manager-change.ts';
import { type PreparePorts, prepareManagerChange } from '../src/use-cases/prepare-manager-change.ts';

/**
 * Both guards one by one: on a chain they agree, so the loss of either would be hidden by the other. The prediction counts
 * when the simulation finds nothing, and the other way round.
 */

const vault = aVault();
const primary = vault.managers.primary.wallet_address.toLowerCase();
const others = [1, 2, 3, 4, 5].map((n) => anAddress(n).toLowerCase());
const state: ManagerState = { primary, secondary: others.slice(0, 2), maxSecondary: 5 };
const snapshot = {
  chain_id: vault.chain_id,
  vault: vault.vault_address.toLowerCase(),
  strategy: vault.strategy_address.toLowerCase(),
  managers: { primary: { wallet: primary }, secondary: [] },
  detail: vault,
} as unknown as Snapshot;

type Revert = Awaited<ReturnType<ManagerCalls['simulate']>>['revert'];

const prepare = (
  kind: 'add' | 'remove',
  manager: string,
  { read = state, revert = null, force = false }: { read?: ManagerState; revert?: Revert; force?: boolean } = {},
) => {
  const ports = {
    chains: { get: () => ({}) },
    status: { get: async () => ({ backfilled: true }) },
    snapshots: { get: async () => snapshot },
    directory: { viewers: async () => new Set() },
    calls: {
      readManagers: async () => read,
      simulate: async () => ({ to: anAddress(0xf0) as Address, data: '0x', revert }),
    },
  } as unknown as PreparePorts;
  const { chain_id, vault_address } = vault;
  const caller = { wallet_address: primary, sid: 's', issuer: 'test' };
  return prepareManagerChange(kind, ports)({ chain_id, vault_address, manager_address: manager, force }, caller);
};

test.each<['add' | 'remove', string, string, ManagerState]>([
  ['add', 'UNAUTHORIZED_UPDATE_AUTHORITY', anAddress(9), { ...state, primary: others[0] as string }],
  ['remove', 'UNAUTHORIZED_UPDATE_AUTHORITY', anAddress(1), { ...state, primary: others[4] as string }],
  ['add', 'ZERO_ADDRESS', zeroAddress, state],
  ['add', 'SECONDARY_MANAGER_CANNOT_BE_PRIMARY', primary, state],
  ['add', 'MANAGER_ALREADY_EXISTS', anAddress(2), state],
  ['add', 'MANAGER_ALREADY_EXISTS', anAddress(2), { ...state, secondary: others }],
  ['add', 'TOO_MANY_SECONDARY_MANAGERS', anAddress(9), { ...state, secondary: others }],
  ['remove', 'MANAGER_NOT_FOUND', anAddress(9), state],
])('error: to %s: %s is predicted without the simulation', async (kind, code, manager, read) => {
  await expect(prepare(kind, manager, { read })).rejects.toMatchObject({ code, data: { revert_reason: code } });
  const forced = await prepare(kind, manager, { read, force: true });
  expect(forced.simulation).toEqual({ ok: false, revert_reason: code });
});

test.each<[string, NonNullable<Revert>]>([
  ['WOULD_REVERT', { name: 'SOMETHING_NEW', args: { limit: '3' }, code: 'WOULD_REVERT' }],
  ['WOULD_REVERT', { name: 'unknown', args: {}, code: 'WOULD_REVERT' }],
  ['MANAGER_ALREADY_EXISTS', { name: 'MANAGER_ALREADY_EXISTS', args: {}, code: 'MANAGER_ALREADY_EXISTS' }],
])('error: %s when only the simulation sees it: %j', async (code, revert) => {
  const { name, args } = revert;
  const refused = prepare('add', anAddress(9), { revert });
  await expect(refused).rejects.toMatchObject({ code, data: { revert_reason: name, args } });
  const forced = await prepare('add', anAddress(9), { revert, force: true });
  expect(forced.simulation).toEqual({ ok: false, revert_reason: name });
});

test('behavior: a change that neither guard refuses is prepared; one more is allowed below the most there may be', async () => {
  const four = { ...state, secondary: others.slice(0, 4) };
  expect((await prepare('add', anAddress(9), { read: four })).simulation).toEqual({ ok: true, revert_reason: null });
  expect((await prepare('remove', anAddress(2))).simulation).toEqual({ ok: true, revert_reason: null });
});

test('error: RPC_UNAVAILABLE is told as it is, also when forced: nothing was checked', async () => {
  const away = () => Promise.reject(new AppError('RPC_UNAVAILABLE', 'No node answers.'));
  for (const force of [false, true]) {
    const ports = {
      chains: { get: () => ({}) },
      status: { get: async () => ({ backfilled: true }) },
      snapshots: { get: async () => snapshot },
      directory: { viewers: async () => new Set() },
      calls: { readManagers: away, simulate: away },
    } as unknown as PreparePorts;
    const params = { chain_id: 31_337, vault_address: vault.vault_address, manager_address: anAddress(9), force };
    const caller = { wallet_address: primary, sid: 's', issuer: 'test' };
    await expect(prepareManagerChange('add', ports)(params, caller)).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' });
  }
});
