import { AppError } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import type { AuditLog } from '../../../audit/adapters/audit-log.mongo.ts';
import type { ChannelStore } from '../adapters/channel-store.mongo.ts';
import type { StoredBinding } from '../models/collections.ts';
import { mayDeliver, noteEndedRoles } from './ended-roles.ts';

const vault = { chain_id: 1, vault_address: '0x00000000000000000000000000000000000000A1' };
const at = new Date('2026-01-01T00:00:00Z');

const bindingOf = (channel_id: string, bound_by: string, role_ended_block?: number) =>
  ({
    ...{ ...vault, vault: vault.vault_address.toLowerCase(), channel_id, bound_by, bound_at: at },
    ...(role_ended_block === undefined ? {} : { role_ended_block }),
  }) as StoredBinding;

const ending = (bindings: StoredBinding[], managers: () => string[], read: object) => {
  const done: string[] = [];
  const store = {
    onVault: async () => bindings,
    get: async (id: string) => (id === 'deleted' ? null : { name: `Name of ${id}` }),
    noteEnd: async ({ channel_id }: StoredBinding, block?: number) => void done.push(`${channel_id} ends ${block}`),
    drop: async ({ channel_id }: StoredBinding) => void done.push(`drop ${channel_id}`),
  } as unknown as ChannelStore;
  const auditLog = {
    append: async ({ action_type, details }: { action_type: string; details: Record<string, unknown> }) =>
      void done.push(`${action_type} ${details.name} ${details.reason}`),
  } as unknown as AuditLog;
  const callAction = (async () => {
    const [primary, ...secondary] = managers().map((wallet_address) => ({ wallet_address }));
    return { primary, secondary, ...read };
  }) as unknown as CallAction;
  const deps = { store, auditLog, callAction, now: () => at };
  return { done, note: () => noteEndedRoles(deps, vault), may: (one: StoredBinding) => mayDeliver(deps, one) };
};

const managers = () => ['0xDD', '0xAA'];

test('default: the end of a role is noted at the block of the roles, anew each time, and one that was undone is not', async () => {
  const bindings = [bindingOf('a', '0xaa', 3), bindingOf('b', '0xbb', 3), bindingOf('c', '0xcc')];
  const { done, note } = ending(bindings, managers, { block_number: 9, final_block: 7 });
  await note();
  expect(done).toEqual(['a ends undefined', 'b ends 9', 'c ends 9']);
});

test.each([
  ['manages', 'a', '0xaa', undefined, true, []],
  ['manages again', 'a', '0xaa', 3, true, ['a ends undefined']],
  ['was just removed', 'b', '0xbb', undefined, false, ['b ends 9']],
  ['was removed in a block that may be replaced', 'b', '0xbb', 8, false, []],
  ['was removed for good', 'b', '0xbb', 7, false, ['notification_channel_unbound Name of b role_ended', 'drop b']],
  ['has no channel', 'deleted', '0xbb', 7, false, ['notification_channel_unbound deleted role_ended', 'drop deleted']],
] as const)('behavior: who %s', async (_who, channel, wallet, block, may, expected) => {
  const ends = ending([], managers, { block_number: 9, final_block: 7 });
  expect(await ends.may(bindingOf(channel, wallet, block))).toBe(may);
  expect(ends.done).toEqual(expected);
});

test('behavior: while it is not known what is final, nothing is delivered and nothing comes off', async () => {
  const ends = ending([], managers, { block_number: 9 });
  expect(await ends.may(bindingOf('b', '0xbb', 1))).toBe(false);
  expect(ends.done).toEqual([]);
});

test('error: while nobody can say who manages the vault, every channel stays', async () => {
  const away = new AppError('SERVICE_UNAVAILABLE', 'away');
  const bindings = [bindingOf('a', '0xaa', 1)];
  const { done, note, may } = ending(
    bindings,
    () => {
      throw away;
    },
    {},
  );
  await expect(note()).rejects.toBe(away);
  await expect(may(bindings[0] as StoredBinding)).rejects.toBe(away);
  expect(done).toEqual([]);
});
