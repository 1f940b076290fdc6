import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import { Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { compare as mingoCompare } from 'mingo/util';
import { descending } from '../bounds.ts';
import { compareValues } from './compare.ts';
import { encodeKey, encodeKeys, inverted, successor } from './key.ts';

const order = (left: unknown, right: unknown) => Math.sign(Buffer.compare(encodeKey(left), encodeKey(right)));

// Below the surrogates UTF-16 and UTF-8 order agree, so mingo can be the judge.
const text = fc.string({
  unit: fc.integer({ min: 0, max: 0xd7ff }).map((code) => String.fromCharCode(code)),
  maxLength: 6,
});
const scalar = fc.oneof(
  fc.double({ noNaN: true }),
  fc.integer(),
  text,
  fc.boolean(),
  fc.constant(null),
  fc.date({ noInvalidDate: true }),
);

describe('order-preserving keys', () => {
  test('scalars sort as mingo sorts them', () => {
    fc.assert(
      fc.property(scalar, scalar, (left, right) => {
        expect(order(left, right)).toBe(Math.sign(mingoCompare(left === 0 ? 0 : left, right === 0 ? 0 : right)));
        expect(Math.sign(compareValues(left, right))).toBe(order(left, right));
      }),
      runs(10000),
    );
  });

  test('numbers of every width sort by value, exactly', () => {
    const whole = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const near = fc
      .tuple(fc.integer({ min: 52, max: 62 }), fc.integer({ min: -3, max: 3 }))
      .map(([bits, off]) => 2n ** BigInt(bits) + BigInt(off));
    const as = (value: bigint, width: number): unknown => {
      if (width === 0) return Long.fromBigInt(value);
      if (width === 1) return Decimal128.fromString(value.toString());
      const double = Number(value);
      return BigInt(double) === value ? new Double(double) : Long.fromBigInt(value);
    };
    fc.assert(
      fc.property(fc.oneof(whole, near), fc.oneof(whole, near), fc.nat(2), fc.nat(2), (left, right, one, other) => {
        const expected = left < right ? -1 : left > right ? 1 : 0;
        expect(order(as(left, one), as(right, other))).toBe(expected);
      }),
      runs(15000),
    );
  });

  test('fractions of Decimal128 sort between doubles, extremes at the ends', () => {
    const rising = [
      Number.NaN,
      Number.NEGATIVE_INFINITY,
      Decimal128.fromString('-1E+6000'),
      -Number.MAX_VALUE,
      Decimal128.fromString('-0.1'),
      Decimal128.fromString('-1E-6000'),
      0,
      Decimal128.fromString('1E-6000'),
      Number.MIN_VALUE,
      Decimal128.fromString('0.1'),
      0.1,
      Decimal128.fromString('0.1000000000000000055511151231257828'),
      1,
      Decimal128.fromString('1.000000000000000000000000000000001'),
      Number.MAX_VALUE,
      Decimal128.fromString('1E+400'),
      Decimal128.fromString('1E+401'),
      Number.POSITIVE_INFINITY,
    ];
    for (let i = 1; i < rising.length; i += 1) expect([i, order(rising[i - 1], rising[i])]).toEqual([i, -1]);
    expect(order(Decimal128.fromString('NaN'), Number.NaN)).toBe(0);
    expect(order(Decimal128.fromString('2.50'), new Double(2.5))).toBe(0);
    expect(order(new Int32(0), -0)).toBe(0);
  });

  test('compound keys compare part by part, downwards where asked', () => {
    fc.assert(
      fc.property(
        fc.tuple(scalar, scalar),
        fc.tuple(scalar, scalar),
        fc.constantFrom(1, -1),
        fc.constantFrom(1, -1),
        (left, right, first, second) => {
          const expected = compareValues(left[0], right[0]) * first || compareValues(left[1], right[1]) * second;
          const got = Buffer.compare(encodeKeys(left, [first, second]), encodeKeys(right, [first, second]));
          expect(Math.sign(got) === Math.sign(expected)).toBe(true);
        },
      ),
      runs(5000),
    );
  });

  test('a range turned downwards holds the same values', () => {
    fc.assert(
      fc.property(scalar, scalar, scalar, fc.boolean(), fc.boolean(), (low, high, value, openLow, openHigh) => {
        const range = {
          start: openLow ? successor(encodeKey(low)) : encodeKey(low),
          end: openHigh ? encodeKey(high) : successor(encodeKey(high)),
        };
        const holds = (key: Buffer, { start, end }: typeof range) =>
          Buffer.compare(key, start) >= 0 && Buffer.compare(key, end) < 0;
        const suffix = Buffer.from([0x23, 1]);
        const up = Buffer.concat([encodeKey(value), suffix]);
        const down = Buffer.concat([inverted(encodeKey(value)), suffix]);
        if (Buffer.compare(range.start, range.end) < 0) expect(holds(down, descending(range))).toBe(holds(up, range));
      }),
      runs(10000),
    );
  });

  test('documents, arrays and ids sort as MongoDB documents it', () => {
    const rising = [
      'z',
      {},
      { a: 1 },
      { a: 2 },
      { a: 2, b: 0 },
      { b: 1 },
      { a: 'x' },
      [],
      [1],
      [1, 0],
      [2],
      new ObjectId('0'.repeat(24)),
      false,
    ];
    for (let i = 1; i < rising.length; i += 1) expect([i, order(rising[i - 1], rising[i])]).toEqual([i, -1]);
  });
});
