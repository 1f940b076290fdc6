import { describe, expect, test } from '@jest/globals';
import { frameOf, xToPixel } from './frame.ts';
import { m4 } from './m4.ts';
import { extentOf, nearest, pointAt, valueRange } from './model.ts';
import { csvOf } from './rows.ts';
import { niceScale, timeLabel, timeTicks } from './scale.ts';
import type { Point, Series } from './types.ts';
import { amount, compactTick, partOfWhole, percent, price, usd } from './units.ts';
import { zoomed } from './zoom.ts';

const DAY = 86_400_000;
const line = (points: Point[], parts: Partial<Series> = {}): Series => ({
  id: 'a',
  name: 'A',
  kind: 'line',
  points,
  ...parts,
});

describe('ticks', () => {
  test.each([
    ['a price that hardly moves', [1.00093, 1.00107] as const, price('USDC', 6)],
    ['a price that does not move', [1.001, 1.001] as const, price('USDC', 6)],
    ['small percentages', [0.04861, 0.04869] as const, percent],
    ['dollars around ten thousand', [9_200, 15_300] as const, usd],
    ['dollars of one kind', [12_345_000, 12_391_000] as const, usd],
    ['both signs', [-1_250_000, 800_000] as const, amount('USDC')],
    ['nothing but zero', [0, 0] as const, usd],
  ])('behavior: no two read alike: %s', (_, range, unit) => {
    const { ticks, step, min, max } = niceScale(range, 4);
    const most = Math.max(Math.abs(min), Math.abs(max));
    const words = ticks.map((tick) => unit.tick(tick, step, most));
    expect(new Set(words).size).toBe(words.length);
    expect(ticks.length).toBeGreaterThan(1);
    expect(min).toBeLessThanOrEqual(range[0]);
    expect(max).toBeGreaterThanOrEqual(range[1]);
  });

  test.each([
    ['all of it', [1, 1], 1],
    ['nearly all of it', [0.82, 1], 1],
    ['a sum that rounding carried over', [0, 1.000_000_2], 1],
    ['half of it', [0.5, 0.5], 0.505],
  ] as const)('behavior: an axis of parts of a whole ends at the whole: %s', (_, range, most) => {
    const { ticks, max } = niceScale(range, 4, partOfWhole);
    expect(max).toBeCloseTo(most, 9);
    expect(ticks.length).toBeGreaterThan(1);
    expect(niceScale([0, 0], 4, partOfWhole).min).toBe(0);
  });

  test('behavior: what can only be counted has ticks on whole numbers', () => {
    expect(niceScale([0, 1], 4, { isWhole: true }).ticks).toEqual([0, 1]);
    expect(niceScale([0, 10], 4, { isWhole: true }).ticks).toEqual([0, 3, 6, 9, 12]);
  });

  test('default: one scale for the whole axis, a real minus', () => {
    expect([0, 2_500, 5_000, 12_500].map((tick) => compactTick(tick, 2_500, 12_500))).toEqual([
      '0',
      '2.5K',
      '5.0K',
      '12.5K',
    ]);
    expect(usd.tick(-1_250_000, 250_000, 2_000_000)).toBe('−$1.25M');
  });

  test.each([3 * 3_600_000, DAY, 3 * DAY, 30 * DAY, 400 * DAY, 4_000 * DAY])(
    'behavior: times over %d ms are few, inside, and read differently',
    (length) => {
      const from = Date.UTC(2025, 10, 3, 7, 13);
      const { ticks, step } = timeTicks([from, from + length], 8);
      const words = ticks.map((tick) => timeLabel(tick, step, [from, from + length]));
      expect(new Set(words).size).toBe(words.length);
      expect(ticks.length).toBeGreaterThan(1);
      expect(ticks.length).toBeLessThanOrEqual(9);
      expect(ticks.every((tick) => tick >= from && tick <= from + length)).toBe(true);
    },
  );
});

describe('m4', () => {
  test('default: keeps peaks, ends and gaps of 100 000 points, and draws a few thousand', () => {
    const points = Array.from({ length: 100_000 }, (_, index): Point => [index, index === 50_001 ? null : index % 7]);
    points[70_003] = [70_003, 99];
    points[30_003] = [30_003, -99];
    const kept = m4(points, [0, 99_999], 800);
    expect(kept.length).toBeLessThanOrEqual(800 * 5);
    expect(kept).toEqual(expect.arrayContaining([0, 30_003, 50_001, 70_003, 99_999]));
    expect(kept).toEqual([...kept].sort((left, right) => left - right));
  });

  test('behavior: few points stay as they are, with a neighbour on each side of the range', () => {
    const points = Array.from({ length: 10 }, (_, index): Point => [index, index]);
    expect(m4(points, [3, 5], 100)).toEqual([2, 3, 4, 5]);
  });
});

describe('values', () => {
  test('default: a step holds, a line does not, and a gap stays one', () => {
    const points: Point[] = [
      [0, 1],
      [10, null],
      [20, 3],
      [20, 4],
    ];
    expect(pointAt(line(points, { kind: 'step' }), 5)?.[1]).toBe(1);
    expect(pointAt(line(points), 5)).toBeUndefined();
    expect(pointAt(line(points), 10)?.[1]).toBeNull();
    expect(pointAt(line(points), 20)?.[1]).toBe(4);
    expect(nearest([0, 10, 20], 14)).toBe(1);
  });

  test('behavior: stacks are as high as their sums, bars of both signs apart', () => {
    const bars = [line([[0, 5]], { kind: 'bar', stack: 's' }), line([[0, -2]], { id: 'b', kind: 'bar', stack: 's' })];
    expect(valueRange(bars, [-1, 1])).toEqual([-2, 5]);
    const areas = [line([[0, 0.4]], { kind: 'stacked' }), line([[0, 0.6]], { id: 'b', kind: 'stacked' })];
    expect(valueRange(areas, [-1, 1])).toEqual([0.4, 1]);
  });

  test('behavior: without a value there is nothing to draw', () => {
    expect(extentOf([line([]), line([[0, null]])])).toBeUndefined();
  });

  test('behavior: exact texts go into the CSV, words cannot become formulas', () => {
    const series = [line([[0, 1.5, '1.500000000000000001']], { name: '=A,1' })];
    const text = csvOf(series, [{ id: 'm', x: 0, label: 'Skim "x"' }], usd, { kind: 'time' });
    expect(text).toBe(
      'time_utc,"\'=A,1 (USD)",events\r\n1970-01-01T00:00:00.000Z,1.500000000000000001,"Skim ""x"""\r\n',
    );
  });
});

test('behavior: zooming halves around the crosshair, stays inside and ends at the whole', () => {
  expect(zoomed('+', [0, 100], [0, 100], 10)).toEqual([0, 50]);
  expect(zoomed('+', [0, 100], [0, 100], null)).toEqual([25, 75]);
  expect(zoomed('-', [25, 75], [0, 100], null)).toBeUndefined();
  expect(zoomed('-', [80, 100], [0, 100], null)).toEqual([60, 100]);
});

test('default: a frame puts bars of a day inside the drawing', () => {
  const frame = frameOf({
    series: [
      line(
        [
          [0, 5],
          [DAY, 7],
        ],
        { kind: 'bar' },
      ),
    ],
    markers: [],
    unit: usd,
    axis: { kind: 'time' },
    isFromZero: false,
    window: undefined,
    intervalSeconds: 86_400,
    width: 600,
    height: 240,
  });
  expect(frame?.x.range).toEqual([-DAY / 2, 1.5 * DAY]);
  expect(frame?.y.scale.min).toBe(0);
  expect(frame?.barWidth).toBeLessThanOrEqual(48);
});

test.each([
  ['percent', percent, [0, 0.6]],
  ['usd', usd, [0, 3_000_000]],
  ['negative usd', usd, [-40_000, 80_000]],
] as const)('behavior: the labels of both axes fit, with a font wider than ours too: %s', (_, unit, [low, high]) => {
  const wide = (text: string) =>
    [...text].reduce((px, sign) => px + (/[%MWmw]/.test(sign) ? 11 : /[.,]/.test(sign) ? 3.9 : 7.5), 0);
  for (const width of [320, 900]) {
    const frame = frameOf({
      series: [
        line([
          [0, low],
          [29.99 * DAY, high],
        ]),
      ],
      markers: [],
      unit,
      axis: { kind: 'time' },
      isFromZero: false,
      window: undefined,
      intervalSeconds: undefined,
      width,
      height: 240,
    });
    if (frame === undefined) throw new Error('There is a frame.');
    for (const { label } of frame.y.ticks) expect(wide(label) + 8).toBeLessThanOrEqual(frame.box.left);
    expect(frame.x.ticks.length).toBeGreaterThan(1);
    for (const { at, label } of frame.x.ticks) {
      expect(xToPixel(frame, at) + wide(label) / 2).toBeLessThanOrEqual(width);
    }
  }
});

test('behavior: an axis of numbers keeps the label of the value it begins with', () => {
  const points = Array.from({ length: 9 }, (_, age): [number, number] => [age, 1 - age / 10]);
  const frame = frameOf({
    series: [line(points)],
    markers: [],
    unit: percent,
    axis: { kind: 'number', name: 'Weeks', format: (age) => `week ${age}`, tick: (age) => `w${age}` },
    isFromZero: true,
    window: undefined,
    intervalSeconds: undefined,
    width: 600,
    height: 240,
  });
  expect(frame?.x.ticks[0]).toEqual({ at: 0, label: 'w0' });
});
