import type { Caller } from '@castellan/contracts';
import { anAddress, aVault } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { roleOn } from './require-role.ts';
import { viewFor } from './vault-view.ts';

const [primary, secondary, viewer] = [anAddress(0xa1), anAddress(0xb2), anAddress(0xc3)];
const appointed = (wallet: string) => ({ wallet: wallet.toLowerCase(), grantedBy: null, grantedAt: '' });
const unnamed = (wallet_address: string) => ({ wallet_address, display_name: null });

const snapshot: Snapshot = {
  chain_id: 31337,
  vault: anAddress(1).toLowerCase(),
  strategy: anAddress(2).toLowerCase(),
  block_number: 7,
  block_hash: '0x07',
  computed_at: new Date(0),
  detail: aVault({
    managers: { primary: unnamed(primary), secondary: [unnamed(secondary)], view_only_count: 0 },
    my_role: null,
  }),
  managers: { primary: appointed(primary), secondary: [appointed(secondary)] },
  wallets: [primary.toLowerCase(), secondary.toLowerCase()],
};
const directory: Pick<Directory, 'viewers' | 'names'> = {
  viewers: async () => new Set([viewer.toLowerCase()]),
  names: async () => (wallet) => (wallet === secondary.toLowerCase() ? 'Mara' : null),
};
const callerOf = (wallet: string, vault?: Caller['vault']): Caller => ({
  wallet_address: wallet,
  sid: 's',
  issuer: 'test',
  ...(vault ? { vault } : {}),
});
const viewOf = (wallet?: string) => viewFor(directory as Directory, snapshot, wallet ? callerOf(wallet) : undefined);

test('default: the public sees the names and how many may view', async () => {
  const { managers, my_role } = await viewOf();
  expect(managers).toEqual({
    primary: unnamed(primary),
    secondary: [{ wallet_address: secondary, display_name: 'Mara' }],
    view_only_count: 1,
  });
  expect(my_role).toBeNull();
});

test.each([
  ['primary_manager', primary],
  ['secondary_manager', secondary],
  ['view_only', viewer],
  [null, anAddress(0xd4)],
])('behavior: with role %s the public view, which streams push, differs in the role only', async (role, wallet) => {
  expect(await viewOf(wallet)).toEqual({ ...(await viewOf()), my_role: role });
});

test('behavior: a token bound to one vault has its wallet`s role there, and none on any other vault', async () => {
  const [here, elsewhere] = [snapshot.detail.vault_address, anAddress(9)];
  const roleWith = async (vault: Caller['vault']) => {
    const caller = callerOf(primary, vault);
    const { my_role } = await viewFor(directory as Directory, snapshot, caller);
    expect(await roleOn(directory as Directory, snapshot, caller)).toBe(my_role);
    return my_role;
  };
  const own = { ...snapshot, vault: here.toLowerCase() };
  expect(await roleOn(directory as Directory, own, callerOf(primary, { chain_id: 31337, vault_address: here }))).toBe(
    'primary_manager',
  );
  expect(await roleWith({ chain_id: 31337, vault_address: snapshot.vault })).toBe('primary_manager');
  expect(await roleWith({ chain_id: 31337, vault_address: elsewhere })).toBeNull();
  expect(await roleWith({ chain_id: 1, vault_address: snapshot.vault })).toBeNull();
});

test('behavior: a contract that is proven on another chain has no role here', async () => {
  for (const [chain_id, role] of [
    [31337, 'primary_manager'],
    [8453, null],
  ] as const) {
    const caller = { ...callerOf(primary), chain_id };
    expect(await roleOn(directory as Directory, snapshot, caller)).toBe(role);
    expect((await viewFor(directory as Directory, snapshot, caller)).my_role).toBe(role);
  }
});

test('behavior: who views is read for those alone who are neither the public nor a manager', async () => {
  let reads = 0;
  const counting = {
    viewers: () => {
      reads += 1;
      return directory.viewers(31337, snapshot.vault);
    },
  } as unknown as Directory;
  const roles = [undefined, primary, secondary].map((wallet) => roleOn(counting, snapshot, wallet && callerOf(wallet)));
  expect([await Promise.all(roles), reads]).toEqual([[null, 'primary_manager', 'secondary_manager'], 0]);
  expect([await roleOn(counting, snapshot, callerOf(viewer)), reads]).toEqual(['view_only', 1]);
});
