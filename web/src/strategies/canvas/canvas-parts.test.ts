import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anAddress } from '../../../test/builders.ts';
import { aStrategy, source } from '../../../test/strategies.ts';
import { isLocked } from './board.ts';
import { dropped, moved, wholeOrder } from './order.ts';
import { fitted, held, lifeSize, MAX_ZOOM, MIN_ZOOM, pinched, revealed, viewAfterKey, zoomedAt } from './pan-zoom.ts';

const ids = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { maxLength: 12 });
const sorted = (list: readonly string[]) => [...list].sort();

describe('order', () => {
  test('behavior: whatever is moved or dropped, a permutation stays one', () => {
    fc.assert(
      fc.property(ids, fc.nat(14), fc.nat(14), fc.boolean(), (all, from, to, isAfter) => {
        expect(sorted(moved(all, from, to))).toEqual(sorted(all));
        const keys = new Set(all.filter((_id, index) => index % 3 === from % 3));
        const id = all[to % Math.max(1, all.length)] ?? 'nowhere';
        if (all.includes(id)) expect(sorted(dropped(all, keys, { id, isAfter }))).toEqual(sorted(all));
      }),
      { seed: 8 },
    );
  });

  test('behavior: the order of a part leaves the others where they were', () => {
    fc.assert(
      fc.property(ids, fc.nat(), (all, seed) => {
        const part = all.filter((_id, index) => (index + seed) % 2 === 0);
        const next = wholeOrder(all, part.toReversed());
        expect(sorted(next)).toEqual(sorted(all));
        for (const [index, id] of all.entries()) if (!part.includes(id)) expect(next[index]).toBe(id);
      }),
      { seed: 8 },
    );
  });

  test('default: before and after', () => {
    expect(dropped(['a', 'b', 'c'], new Set(['a']), { id: 'c', isAfter: true })).toEqual(['b', 'c', 'a']);
    expect(dropped(['a', 'b', 'c'], new Set(['c']), { id: 'a', isAfter: false })).toEqual(['c', 'a', 'b']);
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
  });
});

describe('pan and zoom', () => {
  const frame = { width: 600, height: 400 };
  const plane = { width: 1_140, height: 800 };

  test('default: the whole width is in sight, never larger than life', () => {
    expect(fitted(frame, plane)).toEqual({ x: 0, y: 0, zoom: 600 / 1_140 });
    expect(fitted(frame, plane, true).zoom).toBe(0.5);
    expect(fitted({ width: 360, height: 400 }, plane)).toEqual({ x: (360 - 1_140 * 0.8) / 2, y: 0, zoom: 0.8 });
    expect(fitted({ width: 1_340, height: 400 }, plane)).toEqual({ x: 100, y: 0, zoom: 1 });
    expect(lifeSize(frame, plane)).toEqual({ x: 0, y: 0, zoom: 1 });
    expect(lifeSize({ width: 1_340, height: 400 }, plane)).toEqual({ x: 100, y: 0, zoom: 1 });
  });

  test('behavior: zooming keeps what lies under the pointer, within its bounds', () => {
    const view = zoomedAt({ x: 10, y: 20, zoom: 1 }, 1.5, { x: 110, y: 220 });
    expect([(110 - view.x) / view.zoom, (220 - view.y) / view.zoom]).toEqual([100, 200]);
    expect(zoomedAt(view, 100, { x: 0, y: 0 }).zoom).toBe(MAX_ZOOM);
    expect(zoomedAt(view, 0.001, { x: 0, y: 0 }).zoom).toBe(MIN_ZOOM);
  });

  test('behavior: it cannot be moved out of sight', () => {
    expect(held({ x: 9_999, y: -9_999, zoom: 1 }, frame, plane)).toEqual({ x: 520, y: -720, zoom: 1 });
  });

  test('behavior: what gets the focus comes into sight, moved as little as that takes', () => {
    const view = { x: 5, y: 5, zoom: 1 };
    const box = (left: number, top: number, width = 100) => ({ left, top, right: left + width, bottom: top + 50 });
    expect(revealed(view, box(300, 100), frame)).toEqual(view);
    expect(revealed(view, box(-30, 380), frame)).toEqual({ x: 51, y: -41, zoom: 1 });
    expect(revealed(view, box(590, -60), frame)).toEqual({ x: -101, y: 81, zoom: 1 });
    // Wider than the window: from its beginning.
    expect(revealed(view, box(100, 100, 900), frame)).toEqual({ x: -79, y: 5, zoom: 1 });
  });

  test('behavior: two fingers move and zoom it', () => {
    const before = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
    ] as const;
    expect(pinched({ x: 0, y: 0, zoom: 1 }, before, [before[0], { x: 110, y: 0 }]).zoom).toBeCloseTo(1.1);
    const slid = pinched({ x: 0, y: 0, zoom: 1 }, before, [
      { x: 5, y: 7 },
      { x: 105, y: 7 },
    ]);
    expect(slid).toEqual({ x: 5, y: 7, zoom: 1 });
  });

  test('behavior: keys that mean nothing are left to the page', () => {
    expect(viewAfterKey('Tab', { x: 0, y: 0, zoom: 1 }, frame, plane)).toBeUndefined();
    expect(viewAfterKey('ArrowLeft', { x: 0, y: 0, zoom: 1 }, frame, plane)).toEqual({ x: 60, y: 0, zoom: 1 });
  });
});

test('behavior: an armed exit locks a rebalance out of its source, and into it', () => {
  const other = anAddress(0x31);
  const rebalance = aStrategy({ action_config: { action: 'REBALANCE', target_address: other, from_address: source } });
  for (const [locked, is] of [
    [source, true],
    [other, true],
    [anAddress(0x32), false],
  ] as const)
    expect(isLocked(rebalance, new Set([locked.toLowerCase()]))).toBe(is);
});
