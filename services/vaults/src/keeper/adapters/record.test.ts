import { expect, test } from '@jest/globals';
import { runwayOf, totalsOf } from '../../strategies/use-cases/read-keeper.ts';
import { sumsOf } from './record.mongo.ts';

test('default: runs are counted by kind and result, and what they cost is added up exactly', () => {
  const fee = '9007199254740993';
  const sums = sumsOf([
    { kind: 'intent', result: 'done', gas_used: '5', fee },
    { kind: 'intent', result: 'done', gas_used: '6', fee },
    { kind: 'intent', result: 'failed' },
    { kind: 'fulfil', result: 'stopped' },
  ]);
  expect(totalsOf(sums)).toEqual([
    { kind: 'intent', done: 2, failed: 1, stopped: 0, with_receipt: 2, gas_used: '11', fee: '18014398509481986' },
    { kind: 'fulfil', done: 0, failed: 0, stopped: 1, with_receipt: 0, gas_used: '0', fee: '0' },
  ]);
  expect(totalsOf([])).toEqual([]);
});

test('behavior: a balance lasts as long as at the pace of the window, and no number is said where nothing was paid', () => {
  expect(runwayOf(10n ** 18n, 10n ** 17n, 7 * 86_400_000)).toBe(70);
  expect(runwayOf(0n, 1n, 86_400_000)).toBe(0);
  expect([runwayOf(1n, 0n, 1), runwayOf(1n, 1n, 0)]).toEqual([null, null]);
});
