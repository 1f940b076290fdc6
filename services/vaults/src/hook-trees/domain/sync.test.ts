import { describe, expect, test } from '@jest/globals';
import { type SyncInputs, syncOf } from './sync.ts';

const [ours, old, foreign] = ['0x01', '0x02', '0x03'];
const base: SyncInputs = { root: ours, isConfigured: true, strategyRoot: old, proposed: null, chainTime: 100n };

describe('what to do next', () => {
  test.each<[string, Partial<SyncInputs>, string, string]>([
    ['no configuration', { root: null, isConfigured: false }, 'needs_generation', 'no_active_config'],
    ['no tree', { root: null }, 'needs_generation', 'not_generated'],
    ['another root in force', {}, 'propose', 'not_proposed'],
    ['no root in force', { strategyRoot: null }, 'propose', 'not_proposed'],
    ['ours in force', { strategyRoot: ours }, 'in_sync', 'root_in_force'],
    [
      'ours proposed, a second early',
      { proposed: { root: ours, effectiveTime: 101n } },
      'pending_timelock',
      'timelock_running',
    ],
    ['ours proposed, just due', { proposed: { root: ours, effectiveTime: 100n } }, 'execute', 'timelock_over'],
    ['a foreign one proposed', { proposed: { root: foreign, effectiveTime: 101n } }, 'propose', 'foreign_proposal'],
    [
      'a foreign one proposed and due',
      { proposed: { root: foreign, effectiveTime: 1n } },
      'propose',
      'foreign_proposal',
    ],
    [
      'ours in force, a foreign one proposed over it',
      { strategyRoot: ours, proposed: { root: foreign, effectiveTime: 101n } },
      'propose',
      'foreign_proposal',
    ],
    [
      'ours in force and proposed once more',
      { strategyRoot: ours, proposed: { root: ours, effectiveTime: 101n } },
      'in_sync',
      'root_in_force',
    ],
    [
      'a foreign one proposed before there is a tree',
      { root: null, proposed: { root: foreign, effectiveTime: 101n } },
      'needs_generation',
      'not_generated',
    ],
  ])('behavior: %s', (_what, inputs, action, reason) => {
    expect(syncOf({ ...base, ...inputs })).toEqual({ action, reason });
  });
});
