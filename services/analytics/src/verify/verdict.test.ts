import type { Receipt } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { checkChain, checkInputs, type FromChain, needsState, observedBlock, sameValue } from './verdict.ts';

const input = (name: string, value: unknown, source = 'PPSUpdated', block: number | null = 7) => ({
  name,
  value,
  unit: 'pps',
  t: null,
  block,
  tx_hash: null,
  log_index: null,
  source,
});

const aReceipt = (more: Partial<Receipt> = {}): Receipt => ({
  value: 0.25,
  unit: 'fraction',
  method: 'ratio',
  formula: 'double(numerator / denominator)',
  status: 'ok',
  window: null,
  sample_size: 1,
  gaps: [],
  rests_on: 'logs',
  inputs: [input('numerator', '1'), input('denominator', '4')],
  verify: '',
  ...more,
});

const fromChain = (receipts: Record<string, Receipt>, more: Partial<FromChain> = {}): FromChain => ({
  receipts,
  stateMissing: null,
  termsMissing: null,
  ...more,
});

describe('sameValue', () => {
  test.each([
    ['1000000000000000000001', 1_000_000_000_000_000_000_001n, true],
    ['1000000000000000000001', 1_000_000_000_000_000_000_002n, false],
    [21_592, 21_592n, true],
    [21_592, 21_593n, false],
    [3, 3, true],
    [1e15, 1e15 + 1, false],
    [0.05, 0.05 * (1 + 1e-13), true],
    [0.05, 0.05 * (1 + 1e-11), false],
    [0, 1e-15, false],
    [0.05, null, false],
    [0.05, '0.05', false],
    ['live', 'live', true],
  ])('behavior: %p against %p is %p', (shown, found, same) => {
    expect(sameValue(shown, found)).toBe(same);
  });
});

describe('checkInputs', () => {
  test('default: the formula over the inputs gives the value', () => {
    expect(checkInputs('share', aReceipt())).toMatchObject({ outcome: 'equal', found: 0.25 });
  });

  test('behavior: another value, another input, a missing input or an unknown formula is not equal', () => {
    const altered = [
      aReceipt({ value: 0.26 }),
      aReceipt({ inputs: [input('numerator', '2'), input('denominator', '4')] }),
      aReceipt({ inputs: [input('numerator', '1')] }),
      aReceipt({ method: 'magic' }),
      // It evaluates to the value, but it is not what is published.
      aReceipt({ formula: 'double(numerator / denominator x 1)' }),
      aReceipt({ inputs: [input('numerator', '1'), input('denominator', '4'), input('more', '4')] }),
    ];
    expect(altered.map((receipt) => checkInputs('share', receipt).outcome)).toEqual(altered.map(() => 'unequal'));
  });

  test('behavior: where no value is shown there is nothing to compute', () => {
    const receipt = aReceipt({ value: null, status: 'insufficient', inputs: [] });
    expect(checkInputs('share', receipt)).toMatchObject({ outcome: 'no_value' });
  });
});

describe('checkChain', () => {
  const observed = aReceipt({
    rests_on: 'logs_and_observations',
    inputs: [input('numerator', '1', 'state_observed', 5), input('denominator', '4', 'state_observed', 5)],
  });

  test('default: compares what is shown with what the chain gives', () => {
    expect(checkChain('share', aReceipt(), fromChain({ share: aReceipt() })).outcome).toBe('equal');
    expect(checkChain('share', aReceipt(), fromChain({ share: aReceipt({ value: 0.26 }) })).outcome).toBe('unequal');
    expect(checkChain('share', aReceipt(), fromChain({})).outcome).toBe('unequal');
  });

  test('behavior: an input that is not that of the chain is named, though the figure is the same', () => {
    const chain = fromChain({ share: aReceipt() });
    const doubled = aReceipt({ inputs: [input('numerator', '2'), input('denominator', '8')] });
    expect(checkInputs('share', doubled).outcome).toBe('equal');
    expect(checkChain('share', doubled, chain)).toMatchObject({
      outcome: 'unequal',
      reason: 'its input numerator (1 of 2) is 2, the chain gives 1',
    });
    const moved = aReceipt({ inputs: [input('numerator', '1', 'PPSUpdated', 8), input('denominator', '4')] });
    expect(checkChain('share', moved, chain).reason).toBe(
      'its input numerator (1 of 2) is written at another place of the chain',
    );
    const fewer = aReceipt({ inputs: [input('numerator', '1')] });
    expect(checkChain('share', fewer, chain).reason).toBe('it lists 1 inputs, the chain gives 2');
  });

  test('behavior: without the observed state, what rests on it is not checked and the rest is', () => {
    const chain = fromChain({ share: aReceipt({ value: null }), other: aReceipt() }, { stateMissing: 'it is gone' });
    expect(checkChain('share', observed, chain)).toMatchObject({ outcome: 'unchecked', reason: 'it is gone' });
    expect(checkChain('other', aReceipt(), chain).outcome).toBe('equal');
  });

  test('behavior: receipts of transactions are no state, a node returns them for any block', () => {
    const gas = aReceipt({ rests_on: 'logs_and_observations', inputs: [input('added', '1', 'receipt: gasUsed')] });
    expect([observed, gas, aReceipt()].map(needsState)).toEqual([true, false, false]);
  });

  test('behavior: a difference proves nothing while the first fee is not to be had', () => {
    const receipts = { share: aReceipt({ value: null }) };
    expect(checkChain('share', aReceipt(), fromChain(receipts)).outcome).toBe('unequal');
    const chain = fromChain(receipts, { termsMissing: 'pruned' });
    expect(checkChain('share', aReceipt(), chain)).toMatchObject({ outcome: 'unchecked', reason: 'pruned' });
  });

  test('behavior: the block of the observation is the one its receipts name', () => {
    expect(observedBlock({ a: aReceipt(), b: observed })).toBe(5);
    expect(observedBlock({ a: aReceipt() })).toBeUndefined();
  });
});
