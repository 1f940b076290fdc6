import { runs } from '@castellan/testkit';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PacemakerState } from '../ports.ts';
import { firstState, onWish, ownWish, plausibleEpoch, restoredState } from './pacemaker.ts';
import { quorumsOf } from './quorum.ts';

const n = 4;
const quorums = quorumsOf({ oracles: Array(n).fill({}), f: 1, quorum: 2 });
const aState = (changes: Partial<PacemakerState> = {}): PacemakerState => ({ ...firstState(n), ...changes });
const hear = (state: PacemakerState, from: number, wish: number) => onWish(state, 0, from, wish, quorums);

test('behavior: one oracle, however loud, moves nobody', () => {
  const step = hear(aState(), 1, 4_000_000_000);
  expect(step).toEqual({ state: aState({ wishes: [0, 4_000_000_000, 0, 0] }), wish: null, entered: false });
});

test('behavior: f + 1 wishes above mine make me join the largest that so many reach', () => {
  const state = aState({ wishes: [1, 4_000_000_000, 0, 0] });
  expect(hear(state, 2, 5)).toEqual({
    state: { epoch: 5, highestWish: 5, wishes: [5, 4_000_000_000, 5, 0] },
    wish: 5,
    // With mine these are three.
    entered: true,
  });
});

test('behavior: 2f + 1 wishes above my epoch make me enter it', () => {
  const state = aState({ highestWish: 2, wishes: [2, 2, 0, 0] });
  expect(hear(state, 2, 2)).toMatchObject({ state: { epoch: 2, highestWish: 2 }, wish: null, entered: true });
});

test('behavior: the latest epoch anybody honest may be in follows f + 1 wishes, and no single one', () => {
  expect(plausibleEpoch(aState(), quorums)).toBe(2);
  expect(plausibleEpoch(aState({ wishes: [1, 4_000_000_000, 0, 0] }), quorums)).toBe(2);
  expect(plausibleEpoch(aState({ wishes: [1, 4_000_000_000, 5, 0] }), quorums)).toBe(6);
  expect(plausibleEpoch(aState({ epoch: 9, highestWish: 9, wishes: [9, 9, 9, 0] }), quorums)).toBe(10);
});

test('behavior: an old wish is no news', () => {
  expect(hear(aState({ wishes: [0, 3, 0, 0] }), 1, 3)).toBeNull();
  expect(hear(aState(), 9, 3)).toBeNull();
});

test('behavior: a network of one enters what it wishes for', () => {
  const alone = quorumsOf({ oracles: Array(1).fill({}), f: 0, quorum: 1 });
  expect(ownWish(firstState(1), 0, 2, alone)).toMatchObject({ state: { epoch: 2 }, wish: 2, entered: true });
});

test.each<[string, PacemakerState | null]>([
  ['none', null],
  ['one of another network', { epoch: 1, highestWish: 1, wishes: [0] }],
  ['a wish behind its epoch', { epoch: 3, highestWish: 2, wishes: [0, 0, 0, 0] }],
  ['an epoch beyond all', { epoch: 2 ** 32, highestWish: 2 ** 32, wishes: [0, 0, 0, 0] }],
])('behavior: a record is as good as none: %s', (_what, record) => {
  expect(restoredState(record, n)).toBeNull();
});

test('property: nothing goes back, and an epoch is entered only with 2f + 1 wishes for it or beyond', () => {
  const wish = fc.record({ from: fc.nat(n - 1), epoch: fc.integer({ min: 1, max: 12 }) });
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 60 }), (wishes) => {
      let state = firstState(n);
      for (const { from, epoch } of wishes) {
        const before = state;
        const step =
          from === 0 ? ownWish(state, 0, Math.max(epoch, state.highestWish), quorums) : hear(state, from, epoch);
        state = step?.state ?? state;
        expect(state.epoch).toBeGreaterThanOrEqual(before.epoch);
        expect(state.highestWish).toBeGreaterThanOrEqual(Math.max(before.highestWish, state.epoch));
        expect(state.wishes.every((known, j) => known >= (before.wishes[j] ?? 0))).toBe(true);
        if (step?.entered)
          expect(state.wishes.filter((known) => known >= state.epoch).length).toBeGreaterThanOrEqual(3);
      }
    }),
    runs(500),
  );
});
