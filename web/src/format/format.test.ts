import { describe, expect, jest, test } from '@jest/globals';
import { nameOf, sameAddress } from './address.ts';
import {
  compareDecimals,
  cutDecimals,
  formatAmount,
  formatBaseUnits,
  formatExact,
  formatPps,
  formatSignedAmount,
  formatTokens,
  ppsPlaces,
  toDecimal,
} from './amount.ts';
import {
  formatBps,
  formatBpsShare,
  formatCounted,
  formatDecimals,
  formatHhi,
  formatNumber,
  formatPoints,
  formatRate,
  formatRatio,
  formatShare,
  formatSignedBps,
  formatSignedCount,
  formatSignedPoints,
  formatTimes,
  formatUsd,
  formatUsdFull,
  formatWholeShare,
} from './figures.ts';
import {
  formatAgo,
  formatClock,
  formatDay,
  formatDays,
  formatDuration,
  formatLongDay,
  formatMilliseconds,
  formatMonth,
  formatShortDay,
  formatUtc,
} from './time.ts';
import { typedBpsPercent, typedDecimals, typedNumber, typedPercent } from './typed.ts';
import { typeset } from './typeset.ts';
import { formatInUnit } from './units.ts';

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

  test('behavior: six again when even nine decimals do not distinguish them', () => {
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

  test('behavior: basis points have two decimals at most, and what is less is not zero', () => {
    expect(formatSignedBps(0.0098)).toBe('+0.01 bps');
    expect(formatSignedBps(0.003)).toBe('≈ 0 bps');
    expect(formatBps(-0.003)).toBe('≈ 0 bps');
  });

  test('behavior: what is set in basis points is read as a percentage', () => {
    expect(formatBpsShare(5000)).toBe('50.00%');
    expect(formatBpsShare(25)).toBe('0.25%');
  });

  test('behavior: ratios, times, rates, points and whole percents each have one form', () => {
    expect([formatRatio(3.297), formatRatio(-1.5), formatRatio(-0.001)]).toEqual(['3.30', '−1.50', '0.00']);
    expect(formatTimes(1234.5)).toBe('1,234.50×');
    expect(formatRate(38.44)).toBe('38.4');
    expect(formatHhi(0.8123)).toBe('8,123');
    expect(formatWholeShare(0.405)).toBe('41%');
    expect([5, -1_200, 0].map(formatSignedCount)).toEqual(['+5', '−1,200', '0']);
    expect([formatPoints(0.0025), formatSignedPoints(0.0009)]).toEqual(['0.25\u00a0pp', '+0.09\u00a0pp']);
    expect([formatCounted(1, 'deposit'), formatCounted(1_200, 'leaf', 'leaves')]).toEqual([
      '1 deposit',
      '1,200 leaves',
    ]);
  });

  test('behavior: a number of no known kind is cut to what can be read, without an exponent', () => {
    expect(formatNumber(1121135.4018763783)).toBe('1,121,135.4');
    expect(formatNumber(-0.000012345)).toBe('−0.00001235');
    expect(formatDecimals(-0.001, 2)).toBe('0.00');
    expect(formatTokens(-1234567.891)).toBe('−1,234,567.9');
    expect([formatSignedAmount('1500000', 6), formatSignedAmount('-1500000', 6), formatSignedAmount('0', 6)]).toEqual([
      '+1.5',
      '−1.5',
      '0',
    ]);
  });

  test('behavior: a number with a unit of the API looks as its kind does elsewhere', () => {
    expect(formatInUnit(3.297, 'ratio')).toBe('3.30×');
    expect(formatInUnit(0.0535, 'fraction')).toBe('5.35%');
    expect(formatInUnit(0.01, 'fraction per day')).toBe('1.00% a day');
    expect(formatInUnit(1121135.4018763783, 'USD')).toBe('$1,121,135.40');
    expect(formatInUnit(12, 'days')).toBe('12 days');
    expect(formatInUnit(1.5, 'days')).toBe('1 d 12 h');
    expect(formatInUnit(1_234.5, 'updates per day')).toBe('1,234.5 updates per day');
  });
});

test('behavior: figures and dates in a written text look as on the rest of the pages; lists and links stay', () => {
  expect(typeset('TVL fell by -$49.40 (-3.72 %) since 2026-11-09.\n- 5 new')).toBe(
    'TVL fell by −$49.40 (−3.72%) since 9 Nov 2026.\n- 5 new',
  );
  expect(typeset('At 2026-11-09T12:04:30.000Z, see /runs/2026-11-09/a')).toBe(
    'At 9 Nov 2026, 12:04 UTC, see /runs/2026-11-09/a',
  );
  expect(typeset('Paused since 2026-11-09 12:04 UTC.')).toBe('Paused since 9 Nov 2026, 12:04 UTC.');
  expect(typeset('2026-11-09 99:99 UTC')).toBe('9 Nov 2026 99:99 UTC');
  expect(typeset('2026-99-99 is no date')).toBe('2026-99-99 is no date');
  expect(typeset('227 s since the last price; 60 s at least, 1.5 s')).toBe(
    '3 m 47 s since the last price; 1 m at least, 1.5 s',
  );
});

test('behavior: numbers to type have no grouping, unit or exponent', () => {
  expect([typedNumber(1234567.5), typedNumber(1e-7), typedNumber(1e21)]).toEqual([
    '1234567.5',
    '0.0000001',
    '1000000000000000000000',
  ]);
  expect([typedPercent(0.07), typedBpsPercent(1500), typedBpsPercent(25)]).toEqual(['7', '15', '0.25']);
  expect(typedDecimals(4.20001, 2)).toBe('4.2');
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
    expect(formatUtc(Date.UTC(2026, 0, 2, 3, 4))).toBe('2 Jan 2026, 03:04 UTC');
    expect(formatMilliseconds(850.4)).toBe('850 ms');
    expect(formatMilliseconds(1_240)).toBe('1.2 s');
    expect([formatDays(1), formatDays(1_200)]).toEqual(['1 day', '1,200 days']);
  });

  test('behavior: days, months and times of a day are of UTC', () => {
    const late = '2026-01-02T23:59:00Z';
    expect([formatDay(late), formatShortDay(late), formatMonth(late), formatClock(late), formatLongDay(late)]).toEqual([
      '2 Jan 2026',
      '2 Jan',
      'Jan 2026',
      '23:59',
      'Friday, 2 January 2026',
    ]);
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

test('behavior: a formatter is made once for each number of decimals', () => {
  const made = jest.spyOn(Intl, 'NumberFormat');
  const texts = [1.25, 2.5, 3].map((value) => formatDecimals(value, 11));
  expect(texts).toEqual(['1.25000000000', '2.50000000000', '3.00000000000']);
  expect(made).toHaveBeenCalledTimes(1);
  made.mockRestore();
});
