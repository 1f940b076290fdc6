import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compare, decimalText, nearestDouble, read } from './exact.ts';

const big = fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n });
const positive = fc.bigInt({ min: 1n, max: 10n ** 60n });

describe('the nearest double', () => {
  test('property: no other double is nearer', () => {
    fc.assert(
      fc.property(big, positive, (n, d) => {
        const found = nearestDouble(n, d);
        const distance = (value: number) => {
          const { n: top, d: bottom } = exactOf(value);
          const off = top * d - n * bottom;
          return { n: off < 0n ? -off : off, d: bottom };
        };
        for (const neighbour of [found * (1 + 2 ** -52), found * (1 - 2 ** -53)])
          expect(compare(distance(found), distance(neighbour))).toBeLessThanOrEqual(0);
      }),
      runs(500),
    );
  });

  test('behavior: what a double can say exactly, of any size', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const { n, d } = exactOf(value);
        expect(nearestDouble(n, d)).toBe(value + 0);
      }),
      runs(500),
    );
  });

  test('error: nothing is over 0', () => {
    expect(() => nearestDouble(1n, 0n)).toThrow('Division by zero.');
  });
});

/** The exact value of a double. */
function exactOf(value: number): { n: bigint; d: bigint } {
  let rest = value;
  let shift = 0;
  while (!Number.isInteger(rest)) {
    rest *= 2;
    shift += 1;
  }
  return { n: BigInt(rest), d: 1n << BigInt(shift) };
}

describe('decimals', () => {
  test.each([
    ['0', '0'],
    ['-1.50', '-1.5'],
    ['1e-7', '0.0000001'],
    ['1.25e+21', '1250000000000000000000'],
  ])('default: %s is %s', (text, expected) => {
    expect(decimalText(read(text))).toBe(expected);
  });

  test.each(['', '1.', '.5', '0x10', '1e999999', ' 1', 'NaN'])('error: %p is no number', (text) => {
    expect(() => read(text)).toThrow('is not a number.');
  });
});
