import { AlertSignalled } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { redemptions, signalOf } from './outcome.ts';
import { isFailure, Refusal } from './refusal.ts';

const vault = '0x5fbdb2315678afecb367f032d93f642f64180aa3';
const kept = (...failing: string[]) => ({ _id: `1:${vault}`, chain_id: 1, vault, revision: 7, failing });

describe('what is signalled to the alerts about an outcome', () => {
  test('default: the first failure, then the first success, under an id of the vault`s revision', () => {
    const failing = signalOf(kept(), { subject: redemptions, failure: 'The chain reverted it.' });
    expect(failing).toEqual({
      id: `keeper:1:${vault}:7`,
      chain_id: 1,
      vault_address: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
      kind: 'automation',
      subject: redemptions,
      state: 'failing',
      detail: 'The chain reverted it.',
    });
    expect(signalOf(kept(redemptions), { subject: redemptions, failure: null })).toMatchObject({ state: 'ok' });
  });

  test('behavior: nothing of the second failure, of a success without one, or of another subject', () => {
    expect(signalOf(kept('a'), { subject: 'a', failure: 'Again.' })).toBeUndefined();
    expect(signalOf(kept('a'), { subject: 'b', failure: null })).toBeUndefined();
  });

  test('behavior: a long reason is cut to what a signal takes', () => {
    const signal = signalOf(kept(), { subject: 'a', failure: 'y'.repeat(2_000) });
    expect(AlertSignalled.data.parse(signal)).toEqual(signal);
  });

  test('behavior: what a person wanted or what passes by itself is no failure', () => {
    expect(['KILL_SWITCH', 'STRATEGY_CHANGED', 'GAS_TOO_DEAR'].map((code) => isFailure(new Refusal(code, '')))).toEqual(
      [false, false, false],
    );
    expect(['PROOF_NOT_FOUND', 'LOW_GAS', 'SIMULATION_FAILED'].map((code) => isFailure(new Refusal(code, '')))).toEqual(
      [true, true, true],
    );
  });
});
