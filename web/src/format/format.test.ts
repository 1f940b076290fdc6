import { describe, expect, test } from '@jest/globals';
import { nameOf, sameAddress } from './address.ts';
import {
  compareDecimals,
  cutDecimals,
  formatAmount,
  formatBaseUnits,
  formatExact,
  formatPps,
  ppsPlaces,
  toDecimal,
} from './amount.ts';
import { formatBps, formatShare, formatSignedBps, formatUsd, formatUsdFull, typeset } from './figures.ts';
import { formatAgo, formatDuration, formatUtc } from './time.ts';

describe('amounts', () => {
  test('default: every digit of an amount beyond what a double holds is kept', () => {
    expect(toDecimal('123456789012345678901234567890', 18)).toBe('123456789012.34567890123456789');
    expect(formatExact('123456789012345678901234567890', 18)).toBe('123,456,789,012.34567890123456789');
  });

  test('behavior: compact from ten thousand up, four decimals below, significant digits under one', () => {
    expect(formatAmount('9999990000', 6)).toBe('9,999.99');
    expect(formatAmount('10000000000', 6)).toBe('10.00K');
    expect(formatAmount('1234567890123', 6)).toBe('1.23M');
    expect(formatAmount('123456', 18)).toBe('0.0000000000001234');
    expect(formatAmount('0', 6)).toBe('0');
  });

  test('behavior: cut, never rounded up to more than there is', () => {
    expect(formatAmount('1999999', 6)).toBe('1.9999');
    expect(formatAmount('99999999999', 6)).toBe('99.99K');
  });

  test('behavior: base units keep every digit while they can be read, then are cut as expressions write them', () => {
    expect(formatBaseUnits('999999999999')).toBe('999,999,999,999');
    expect(formatBaseUnits('65396999999999999999')).toBe('6.5396e19');
    expect(formatBaseUnits(-(10n ** 18n))).toBe('−1e18');
  });

  test('behavior: a loss carries a real minus sign', () => {
    expect(formatAmount('-1500000', 6)).toBe('−1.5');
    expect(formatExact('-1', 0)).toBe('−1');
  });

  test('behavior: decimals are compared exactly', () => {
    expect(compareDecimals('1.000000000000000001', '1.0')).toBe(1);
    expect(compareDecimals('9', '10')).toBe(-1);
    expect(compareDecimals('2.50', '2.5')).toBe(0);
  });
});

describe('prices per share', () => {
  test('default: six decimals at least', () => {
    expect(formatPps('1000000', '1000000')).toBe('1.000000');
    expect(cutDecimals('1.5', 6)).toBe('1.500000');
    expect(cutDecimals('1234.5678999', 6)).toBe('1,234.567899');
  });

  test('behavior: more decimals when two prices differ only there', () => {
    const places = ppsPlaces(['1000000100000000000', '1000000000000000000', null], '1000000000000000000');
    expect(places).toBe(7);
    expect(formatPps('1000000100000000000', '1000000000000000000', places)).toBe('1.0000001');
  });

  test('behavior: six again when even nine decimals do not tell them apart', () => {
    expect(ppsPlaces(['1000000000000000001', '1000000000000000000'], '1000000000000000000')).toBe(6);
  });

  test('behavior: equal prices need no further decimals', () => {
    expect(ppsPlaces(['1042317', '1042317'], '1000000')).toBe(6);
  });
});

describe('figures', () => {
  test('default: dollars compact from ten thousand up, whole on demand', () => {
    expect(formatUsd(9999.5)).toBe('$9,999.50');
    expect(formatUsd(1_034_000)).toBe('$1.03M');
    expect(formatUsdFull(1_034_000.5)).toBe('$1,034,000.50');
    expect(formatUsd(-12.3)).toBe('−$12.30');
  });

  test('behavior: fractions, basis points and signs', () => {
    expect(formatShare(0.0847)).toBe('8.47%');
    expect(formatBps(1500)).toBe('1,500 bps');
    expect(formatSignedBps(0.81)).toBe('+0.81 bps');
    expect(formatSignedBps(-12.5)).toBe('−12.5 bps');
    expect(formatSignedBps(0)).toBe('0 bps');
  });
});

test('behavior: figures in a written text look as on the rest of the pages; dates and lists stay', () => {
  expect(typeset('TVL fell by -$49.40 (-3.72 %) since 2026-11-09.\n- 5 new')).toBe(
    'TVL fell by −$49.40 (−3.72%) since 2026-11-09.\n- 5 new',
  );
});

describe('time', () => {
  test('default: the two largest units', () => {
    expect(formatDuration(84_900)).toBe('23 h 35 m');
    expect(formatDuration(9)).toBe('9 s');
    expect(formatDuration(3_600)).toBe('1 h');
    expect(formatDuration(-5)).toBe('0 s');
  });

  test('behavior: ages and instants', () => {
    expect(formatAgo(1)).toBe('just now');
    expect(formatAgo(8)).toBe('8 s ago');
    expect(formatUtc('2026-01-02T03:04:05Z')).toBe('2 Jan 2026, 03:04 UTC');
  });
});

describe('people', () => {
  const wallet_address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

  test('behavior: without a name the short address stands, never a word for it', () => {
    expect(nameOf({ wallet_address, display_name: null })).toBe('0x7099…79C8');
  });

  test('behavior: wallets are compared whatever their case; none equals none of them', () => {
    expect(sameAddress(wallet_address, wallet_address.toLowerCase())).toBe(true);
    expect(sameAddress(undefined, undefined)).toBe(false);
  });
});
