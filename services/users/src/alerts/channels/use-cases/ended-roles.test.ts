import { AppError } from '@castellan/contracts';
import type { CallAction } from '@castellan/service-kit';
import { expect, test } from '@jest/globals';
import type { AuditLog } from '../../../audit/adapters/audit-log.mongo.ts';
import type { ChannelStore } from '../adapters/channel-store.mongo.ts';
import type { StoredBinding } from '../models/collections.ts';
import { endBindingsOf } from './ended-roles.ts';

const vault = { chain_id: 1, vault_address: '0x00000000000000000000000000000000000000A1' };
const at = new Date('2026-01-01T00:00:00Z');

const bindingOf = (channel_id: string, bound_by: string) =>
  ({ ...vault, vault: vault.vault_address.toLowerCase(), channel_id, bound_by, bound_at: at }) as StoredBinding;

const ending = (bindings: StoredBinding[], managers: () => string[]) => {
  const done: string[] = [];
  const store = {
    onVault: async () => bindings,
    get: async (id: string) => (id === 'deleted' ? null : { name: `Name of ${id}` }),
    drop: async ({ channel_id }: StoredBinding) => void done.push(`drop ${channel_id}`),
  } as unknown as ChannelStore;
  const auditLog = {
    append: async ({ action_type, details }: { action_type: string; details: Record<string, unknown> }) =>
      void done.push(`${action_type} ${details.name} ${details.reason}`),
  } as unknown as AuditLog;
  const callAction = (async () => {
    const [primary, ...secondary] = managers().map((wallet_address) => ({ wallet_address }));
    return { primary, secondary };
  }) as unknown as CallAction;
  return { done, end: () => endBindingsOf({ store, auditLog, callAction, now: () => at }, vault) };
};

test('default: channels of those who do not manage the vault come off it, the audit row first', async () => {
  const bindings = [bindingOf('a', '0xaa'), bindingOf('b', '0xbb'), bindingOf('deleted', '0xcc')];
  const { done, end } = ending(bindings, () => ['0xDD', '0xAA']);
  await end();
  expect(done).toEqual([
    'notification_channel_unbound Name of b role_ended',
    'drop b',
    'notification_channel_unbound deleted role_ended',
    'drop deleted',
  ]);
});

test('error: while nobody can say who manages the vault, every channel stays', async () => {
  const away = new AppError('SERVICE_UNAVAILABLE', 'away');
  const { done, end } = ending([bindingOf('a', '0xaa')], () => {
    throw away;
  });
  await expect(end()).rejects.toBe(away);
  expect(done).toEqual([]);
});
