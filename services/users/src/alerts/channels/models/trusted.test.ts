import { expect, test } from '@jest/globals';
import type { StoredBinding, StoredChannel, StoredDelivery } from './collections.ts';
import { isBinding, isChannel, isDelivery } from './trusted.ts';

const now = new Date(0);
const wallet = `0x${'a'.repeat(40)}`;
const vault_address = `0x${'B'.repeat(40)}`;
const channel: StoredChannel = {
  channel_id: 'ch_desk',
  owner: wallet,
  provider: 'webhook',
  name: 'Desk',
  sealed: 'sealed',
  origin: null,
  is_active: true,
  created_at: now,
  updated_at: now,
  version: 1,
};
const binding: StoredBinding = {
  channel_id: 'ch_desk',
  chain_id: 1,
  vault: vault_address.toLowerCase(),
  vault_address,
  min_severity: 'info',
  bound_by: wallet,
  bound_at: now,
  next_sequence: 1,
  failures: 0,
  due_at: now,
  last_delivered_at: null,
  revision: 1,
};

test('default: what the service wrote is taken', () => {
  expect(isChannel(channel)).toBe(true);
  expect(isBinding(binding)).toBe(true);
  expect(isDelivery({ delivery_id: 'd', t: now } as StoredDelivery)).toBe(true);
});

test.each<[string, object]>([
  ['an owner in capitals', { owner: `0x${'A'.repeat(40)}` }],
  ['an owner that is no text', { owner: { $ne: null } }],
  ['an unknown provider', { provider: 'mail' }],
  ['a time that is text', { created_at: '1970-01-01' }],
  ['a negative version', { version: -1 }],
])('error: a channel with %s is not taken', (_, change) => {
  expect(isChannel({ ...channel, ...change } as StoredChannel)).toBe(false);
});

test.each<[string, object]>([
  ['roles of one vault and events of another', { vault: wallet }],
  ['an unknown severity', { min_severity: 'loud' }],
  ['half a sequence', { next_sequence: 0.5 }],
  ['no time at which it is due', { due_at: null }],
])('error: a binding with %s is not taken', (_, change) => {
  expect(isBinding({ ...binding, ...change } as StoredBinding)).toBe(false);
});

test('error: a delivery without its time is not taken', () => {
  expect(isDelivery({ delivery_id: 'd', t: '1970-01-01' } as unknown as StoredDelivery)).toBe(false);
});
