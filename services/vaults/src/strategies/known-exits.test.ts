import { expect, test } from '@jest/globals';
import type { Snapshot } from '../vault/adapters/snapshot-store.mongo.ts';
import { KnownExits } from './known-exits.ts';

const vaultWith = (...sources: string[]) =>
  ({
    chain_id: 1,
    vault: '0xa',
    detail: { allocation: sources.map((source_address) => ({ kind: 'source', source_address })) },
  }) as unknown as Snapshot;

function aClock() {
  const clock = { ms: 0 };
  return { clock, exits: new KnownExits(() => clock.ms) };
}

test('default: a chain is swept now and then, and exits that are there are not looked up again for a minute', () => {
  const { clock, exits } = aClock();
  expect([exits.isSweepDue(1), exits.has(vaultWith('0x1'))]).toEqual([true, false]);
  exits.note(vaultWith('0x1'));
  exits.swept(1);
  expect([exits.isSweepDue(1), exits.has(vaultWith('0x1'))]).toEqual([false, true]);
  clock.ms = 15_000;
  expect([exits.isSweepDue(1), exits.has(vaultWith('0x1'))]).toEqual([true, true]);
  clock.ms = 60_000;
  expect(exits.has(vaultWith('0x1'))).toBe(false);
});

test('behavior: a vault that was read with another source is looked at with the next pass', () => {
  const { exits } = aClock();
  exits.note(vaultWith('0x1'));
  exits.swept(1);
  exits.seen(vaultWith('0x1'));
  expect(exits.isSweepDue(1)).toBe(false);
  exits.seen(vaultWith('0x1', '0x2'));
  expect([exits.isSweepDue(1), exits.has(vaultWith('0x1', '0x2'))]).toEqual([true, false]);
});
