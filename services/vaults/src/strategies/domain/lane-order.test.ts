import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPermutation, orderOf } from './lane-order.ts';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const there = fc
  .uniqueArray(fc.record({ id, createdAt: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03') }), {
    selector: (item) => item.id,
  })
  .map((items) => items as { id: string; createdAt: string }[]);

describe('the order of a lane', () => {
  test('behavior: is a permutation of what is there, whatever order was kept', () => {
    fc.assert(
      fc.property(fc.array(id), there, (kept, items) => {
        const order = orderOf(kept, items);
        expect([...order].sort()).toEqual(items.map((item) => item.id).sort());
      }),
      runs(500),
    );
  });

  test('behavior: a wanted order that is a permutation comes out as it was wanted', () => {
    fc.assert(
      fc.property(
        there.chain((items) =>
          fc.tuple(
            fc.constant(items),
            fc.shuffledSubarray(
              items.map((item) => item.id),
              { minLength: items.length },
            ),
          ),
        ),
        ([items, wanted]) => {
          expect(
            isPermutation(
              wanted,
              items.map((item) => item.id),
            ),
          ).toBe(true);
          expect(orderOf(wanted, items)).toEqual(wanted);
        },
      ),
      runs(500),
    );
  });

  test('behavior: what was left out, doubled or is foreign makes it none', () => {
    expect(['a', 'ab', 'abb', 'abd', 'abcd'].map((wanted) => isPermutation([...wanted], ['a', 'b', 'c']))).toEqual(
      Array(5).fill(false),
    );
  });

  test('default: what no order knows yet comes last, the oldest of it first', () => {
    const items = [
      { id: 'new', createdAt: '2026-01-02' },
      { id: 'old', createdAt: '2026-01-01' },
      { id: 'first', createdAt: '2026-01-03' },
    ];
    expect(orderOf(['gone', 'first'], items)).toEqual(['first', 'old', 'new']);
  });
});
