import type { LogEntry } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import { rolesChangeOf, updateOf } from './publish.ts';

const vault_address = '0x00000000000000000000000000000000000000A1';
const entryOf = (name: string, parts: Partial<LogEntry> = {}) =>
  ({
    ...{ chain_id: 31337, seq: 1, kind: 'log', block_number: 7, block_time: '2026-01-01T00:00:00.000Z' },
    ...{ contract: 'aggregator', vault_address, name, args: {} },
    ...parts,
  }) as LogEntry;
const change = { chain_id: 31337, vault_address, block_number: 7 };

test.each(['SecondaryManagerRemoved', 'OldPrimaryManagerRemoved', 'PrimaryManagerChanged'])(
  'default: %s may have ended a role, however old it is',
  (name) => {
    const aDayLater = Date.UTC(2026, 0, 2) / 1000;
    expect(updateOf(entryOf(name), aDayLater)).toBeUndefined();
    expect(rolesChangeOf(entryOf(name))).toEqual(change);
  },
);

test('behavior: nothing else changes roles', () => {
  expect(rolesChangeOf(entryOf('Deposit', { contract: 'vault' }))).toBeUndefined();
  expect(rolesChangeOf(entryOf('SecondaryManagerRemoved', { contract: 'vault' }))).toBeUndefined();
  expect(rolesChangeOf(entryOf('SecondaryManagerRemoved', { vault_address: null }))).toBeUndefined();
  expect(rolesChangeOf(entryOf('SecondaryManagerRemoved', { kind: 'rollback' }))).toBeUndefined();
});
