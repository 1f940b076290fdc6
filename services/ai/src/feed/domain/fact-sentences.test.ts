import { describe, expect, test } from '@jest/globals';
import { hasWords } from './fact-sentences.ts';
import { isUnusual, notableEvents } from './notable.ts';

test.each(notableEvents.filter((event) => !/PPSUpdated$|StaleReset$/.test(event)))(
  'default: there are words for %s',
  (event) => expect(hasWords(event.split('.')[1] ?? '')).toBe(true),
);
test.each(['jump', 'recovered'])('default: there are words for a price that made a %s', (name) =>
  expect(hasWords(name)).toBe(true),
);

describe('an unusual move', () => {
  const bps = (value: number): bigint => BigInt(Math.round(value * 100_000));
  const swinging = Array.from({ length: 20 }, (_, index) => bps(index % 2 === 0 ? 10 : -10));

  test('default: beyond six standard deviations of those before, and not below', () => {
    expect(isUnusual(swinging, bps(61), 6n)).toBe(true);
    expect(isUnusual(swinging, bps(60), 6n)).toBe(false);
    expect(isUnusual(swinging, bps(-61), 6n)).toBe(true);
  });

  test('default: never one that is small, and never by a few moves', () => {
    const still = Array.from({ length: 20 }, () => 0n);
    expect(isUnusual(still, bps(4.9), 6n)).toBe(false);
    expect(isUnusual(still, bps(5.1), 6n)).toBe(true);
    expect(isUnusual(still.slice(0, 9), bps(50), 6n)).toBe(false);
  });
});
