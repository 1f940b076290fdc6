import { describe, expect, test } from '@jest/globals';
import { Address, ChainIdParam, DisplayName, LimitParam, TxHash, UintString } from './primitives.ts';

const checksummed = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

describe('Address', () => {
  test.each([
    ['lower case', checksummed.toLowerCase()],
    ['upper case digits', `0x${checksummed.slice(2).toUpperCase()}`],
    ['EIP-55', checksummed],
  ])('default: accepts %s and answers EIP-55', (_, value) => {
    expect(Address.parse(value)).toBe(checksummed);
  });

  test.each([
    ['a wrong checksum', checksummed.replace('C51812', 'c51812')],
    ['39 digits', checksummed.slice(0, -1)],
    ['41 digits', `${checksummed}0`],
    ['no 0x', checksummed.slice(2)],
    ['0X', `0X${checksummed.slice(2)}`],
    ['a space', ` ${checksummed}`],
    ['a name', 'vitalik.eth'],
  ])('error: refuses %s', (_, value) => {
    expect(Address.safeParse(value).success).toBe(false);
  });
});

test.each(['0', '01', '-1', '+1', '1e3', '0x1', '1.0', ' 1', '', '99999999999999999999'])(
  'error: chain id %j is refused',
  (value) => {
    expect(ChainIdParam.safeParse(value).success).toBe(false);
  },
);

test('default: a chain id is a number', () => {
  expect(ChainIdParam.parse('31337')).toBe(31337);
});

test.each(['0', '501', '1.5', '-1', 'all', '', '0100'])('error: limit %j is refused, not clamped', (value) => {
  expect(LimitParam.safeParse(value).success).toBe(false);
});

test('default: limits from 1 to 500', () => {
  expect([LimitParam.parse('1'), LimitParam.parse('500')]).toEqual([1, 500]);
});

test.each(['-1', '01', '1.5', '1e18', ''])('error: amount %j is refused', (value) => {
  expect(UintString.safeParse(value).success).toBe(false);
});

test('default: a transaction hash is lower case', () => {
  expect(TxHash.parse(`0x${'AB'.repeat(32)}`)).toBe(`0x${'ab'.repeat(32)}`);
});

describe('DisplayName', () => {
  test('default: NFC, trimmed', () => {
    expect(DisplayName.parse('  Cafe\u0301  ')).toBe('Café');
  });

  test('default: 64 characters, counted as characters', () => {
    expect(DisplayName.safeParse('🏰'.repeat(64)).success).toBe(true);
    expect(DisplayName.safeParse('🏰'.repeat(65)).success).toBe(false);
  });

  test.each([
    ['empty', ''],
    ['space only', '   '],
    ['a control character', 'a\u0007b'],
    ['a line break', 'a\nb'],
    ['a direction override', 'abc\u202Edef'],
    ['a zero-width space', 'a\u200Bb'],
    ['a byte order mark', 'a\uFEFFb'],
    ['10 000 characters', 'x'.repeat(10_000)],
  ])('error: refuses %s', (_, value) => {
    expect(DisplayName.safeParse(value).success).toBe(false);
  });
});
