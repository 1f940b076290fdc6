import { AlertSignalled } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { stateSignal } from './state-signal.ts';

type Before = Parameters<typeof stateSignal>[0];
const before = (state: Before['state'], parts: Partial<Before> = {}): Before => ({
  _id: 'idle-in',
  version: 4,
  state,
  chain_id: 1,
  vault_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  definition: { name: 'Idle to work' } as Before['definition'],
  ...parts,
});

describe('what is signalled to the alerts about a change of state', () => {
  test('default: that a strategy is in ERROR and why, then that it is out of it', () => {
    expect(stateSignal(before('RUNNING'), 'ERROR', 'It broke.')).toEqual([
      {
        id: 'strategy_state:idle-in:5',
        chain_id: 1,
        vault_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
        kind: 'strategy',
        subject: 'idle-in',
        state: 'failing',
        detail: 'The strategy “Idle to work” is in ERROR. It broke.',
      },
    ]);
    for (const to of ['IDLE', 'ARCHIVED'] as const)
      expect(stateSignal(before('ERROR'), to, null)).toMatchObject([{ subject: 'idle-in', state: 'ok' }]);
  });

  test('behavior: nothing of any other change', () => {
    expect(stateSignal(before('RUNNING'), 'IDLE', null)).toEqual([]);
    expect(stateSignal(before('CREATED'), 'RUNNING', null)).toEqual([]);
    expect(stateSignal(before('ERROR'), 'ERROR', 'again')).toEqual([]);
  });

  test('behavior: the longest id and reason are still a signal', () => {
    const [signal] = stateSignal(before('RUNNING', { _id: 'x'.repeat(100) }), 'ERROR', 'y'.repeat(2_000));
    expect(AlertSignalled.data.parse(signal)).toEqual(signal);
  });
});
