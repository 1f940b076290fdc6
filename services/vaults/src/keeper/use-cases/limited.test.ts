import { expect, test } from '@jest/globals';
import type { KeeperPorts } from '../ports.ts';
import { limited } from './limited.ts';

type Made = { by: string; isSent: boolean; agoMs: number };

/** The code of what keeps the strategy `own` from an intent, after these were made, and with so many unfinished. */
async function codeFor(kind: 'EMERGENCY_EXIT' | 'USER_DEFINED', made: Made[], unfinished = 0, kill_switch = false) {
  const now = 1_000_000;
  const ports = {
    strategies: { engine: async () => ({ kill_switch, max_intents_per_minute: 2, max_active_intents: 2 }) },
    intents: {
      active: async () => Array.from({ length: unfinished }),
      countSince: async (_chain: number, _vault: string, since: Date, which: 'sent' | { unsentOf: string }) =>
        made.filter(
          ({ by, isSent, agoMs }) =>
            now - agoMs >= since.getTime() && (which === 'sent' ? isSent : !isSent && by === which.unsentOf),
        ).length,
    },
    now: () => now,
  } as unknown as KeeperPorts;
  return (await limited(ports, { chain_id: 1, vault: '0x' }, { _id: 'own', kind }))?.code;
}
const times = (count: number, made: Made): Made[] => Array.from({ length: count }, () => made);
const refused = (by: string, agoMs = 20_000): Made => ({ by, isSent: false, agoMs });
const sent = (by: string, agoMs = 20_000): Made => ({ by, isSent: true, agoMs });

test('default: what is sent for the vault, and what the strategy was refused itself, is limited for a minute', async () => {
  expect(await codeFor('USER_DEFINED', [sent('other')])).toBeUndefined();
  expect(await codeFor('USER_DEFINED', [sent('other'), refused('own')])).toBe('RATE_LIMITED');
  expect(await codeFor('USER_DEFINED', [sent('other', 60_001), refused('own')])).toBeUndefined();
  expect(await codeFor('USER_DEFINED', [], 2)).toBe('MAX_ACTIVE_INTENTS');
});

test('security: what others were refused takes nothing from a strategy', async () => {
  expect(await codeFor('USER_DEFINED', times(9, refused('other')))).toBeUndefined();
});

test('security: an exit is kept by the kill switch only, and for a moment after it was refused', async () => {
  const busy = [...times(9, sent('other')), ...times(9, sent('own', 0)), ...times(9, refused('own'))];
  expect(await codeFor('EMERGENCY_EXIT', busy, 9)).toBeUndefined();
  expect(await codeFor('EMERGENCY_EXIT', [], 0, true)).toBe('KILL_SWITCH');
  expect(await codeFor('EMERGENCY_EXIT', [refused('own', 9_000)])).toBe('RATE_LIMITED');
  expect(await codeFor('EMERGENCY_EXIT', [refused('other', 0)])).toBeUndefined();
});
