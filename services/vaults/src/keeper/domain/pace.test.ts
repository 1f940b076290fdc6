import { expect, test } from '@jest/globals';
import { type Pace, paceAfter, queueFrom, turnsAfter } from './pace.ts';

test('behavior: after a failure one is paid, then twice as many with each that goes through', () => {
  let pace: Pace | null = paceAfter(null, false, 20);
  const seen: (number | undefined)[] = [pace?.at_once];
  while (pace) {
    pace = paceAfter(pace, true, 20);
    seen.push(pace?.at_once);
  }
  expect(seen).toEqual([1, 2, 4, 8, 16, undefined]);
  expect(paceAfter({ at_once: 8, after: '0xb' }, false, 20)).toEqual({ at_once: 1, after: '0xb' });
  expect(paceAfter(null, true, 20)).toBeNull();
});

test('behavior: the queue goes on behind the last that was tried, and round', () => {
  expect(queueFrom(['0xa', '0xb', '0xc'], { at_once: 1, after: '0xb' })).toEqual(['0xc', '0xa', '0xb']);
  expect(queueFrom(['0xa', '0xb', '0xc'], { at_once: 1, after: '0xd' })).toEqual(['0xa', '0xb', '0xc']);
});

test('behavior: each kind has its turn after the others', () => {
  expect(turnsAfter(null)).toEqual(['fulfil_cancels', 'fulfil', 'intent']);
  expect(turnsAfter('fulfil_cancels')).toEqual(['fulfil', 'intent', 'fulfil_cancels']);
  expect(turnsAfter('fulfil')).toEqual(['intent', 'fulfil_cancels', 'fulfil']);
  expect(turnsAfter('intent')).toEqual(['fulfil_cancels', 'fulfil', 'intent']);
});
