import { expect, test } from '@jest/globals';
import { seededRandom } from './random.ts';

test('behavior: the same seed gives the same numbers, another one gives others', () => {
  const drawn = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 50 }, () => random.next());
  };
  expect(drawn(7)).toEqual(drawn(7));
  expect(drawn(7)).not.toEqual(drawn(8));
  expect(drawn(7).every((value) => value >= 0 && value < 1)).toBe(true);
});

test('default: whole numbers from the least to the most, both among them; a pick is one of the list', () => {
  const random = seededRandom(1);
  const drawn = new Set(Array.from({ length: 200 }, () => random.int(3, 5)));
  expect([...drawn].sort()).toEqual([3, 4, 5]);
  expect(['a', 'b']).toContain(random.pick(['a', 'b']));
  expect([random.chance(0), random.chance(1)]).toEqual([false, true]);
});

test('error: there is nothing to pick from an empty list', () => {
  expect(() => seededRandom(1).pick([])).toThrow('Nothing to pick from.');
});
