import { intentStates } from '@castellan/contracts';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type IntentEvent,
  type IntentEventType,
  isTerminal,
  noProgress,
  payloadOf,
  progressAfter,
  stateAfter,
} from './machine.ts';

const events: IntentEventType[] = [
  'ACK',
  'STAGE',
  'PLAN',
  'EXECUTE',
  'FILL',
  'COMPLETE',
  'ABORT',
  'EXPIRE',
  'FAIL',
  'CANCEL',
];
const at = '2026-11-21T00:00:00.000Z';
const transaction = { hash: '0x01', nonce: 1, raw: '0x02', from: '0x03' };
const fill = {
  fill_id: 'tx:0',
  tx_hash: '0x01',
  amount_in: '5',
  amount_out: '4',
  token_in: '0xa',
  token_out: '0xb',
  gas_used: '21000',
  fill_time: at,
  venue: 'hook',
};

describe('an intent', () => {
  test('default: goes its way', () => {
    const states: ReturnType<typeof stateAfter>[] = ['RECEIVED'];
    for (const event of ['ACK', 'STAGE', 'PLAN', 'EXECUTE', 'FILL', 'COMPLETE'] as const)
      states.push(stateAfter(states.at(-1) ?? 'RECEIVED', event));
    expect(states).toEqual(['RECEIVED', 'ACKED', 'STAGED', 'PLANNED', 'EXECUTING', 'EXECUTING', 'COMPLETED']);
  });

  test('behavior: ends once, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...events), { maxLength: 40 }), (history) => {
        let state: (typeof intentStates)[number] = 'RECEIVED';
        let ended = 0;
        let sent = 0;
        for (const event of history) {
          const next = stateAfter(state, event);
          if (next === undefined) continue;
          expect(isTerminal(state)).toBe(false);
          if (event === 'EXECUTE') sent += 1;
          if (isTerminal(next)) ended += 1;
          state = next;
        }
        expect(ended).toBeLessThanOrEqual(1);
        expect(sent).toBeLessThanOrEqual(1);
      }),
      runs(500),
    );
  });

  test('behavior: what is signed can only complete or fail', () => {
    const possible = events.filter((event) => stateAfter('EXECUTING', event) !== undefined);
    expect(possible).toEqual(['FILL', 'COMPLETE', 'FAIL']);
    for (const state of intentStates.filter(isTerminal))
      expect(events.filter((event) => stateAfter(state, event) !== undefined)).toEqual([]);
  });

  const tokens = { token_in: '0xa', token_out: '0xb' };

  test('behavior: the same fill twice counts once', () => {
    const event: IntentEvent = { type: 'FILL', fill };
    const once = progressAfter(noProgress, event, at, tokens);
    expect(progressAfter(once, event, at, tokens)).toEqual(once);
    const twice = progressAfter(once, { type: 'FILL', fill: { ...fill, fill_id: 'tx:1' } }, at, tokens);
    expect(twice).toMatchObject({ total_amount_in: '10', total_amount_out: '8', gas_used_total: '42000' });
    // Of an intent whose tokens are not known everything counts.
    const unknown = progressAfter(noProgress, event, at, { token_in: null, token_out: null });
    expect(unknown).toMatchObject({ total_amount_in: '5', total_amount_out: '4' });
  });

  test('behavior: what only passes through is in no total', () => {
    const leg = (fill_id: string, more: object): IntentEvent => ({ type: 'FILL', fill: { ...fill, fill_id, ...more } });
    const out = progressAfter(noProgress, leg('tx:0', { token_out: '0xc', amount_out: '100' }), at, tokens);
    const into = leg('tx:1', { token_in: '0xc', amount_in: '100', gas_used: '0' });
    expect(progressAfter(out, into, at, tokens)).toMatchObject({
      total_amount_in: '5',
      total_amount_out: '4',
      gas_used_total: '21000',
      fills: [{ fill_id: 'tx:0' }, { fill_id: 'tx:1' }],
    });
  });

  test('behavior: its history never shows signed bytes', () => {
    expect(payloadOf({ type: 'EXECUTE', transaction })).toEqual({
      transaction: { hash: '0x01', nonce: 1, from: '0x03' },
    });
    expect(progressAfter(noProgress, { type: 'EXECUTE', transaction }, at, tokens)).toMatchObject({
      transaction,
      executing_at: at,
    });
  });
});
