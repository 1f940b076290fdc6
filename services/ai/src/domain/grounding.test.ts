import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ContextFigure } from './figure.ts';
import { groundingOf } from './grounding.ts';

const figure = (path: string, over: Partial<ContextFigure>): ContextFigure => ({
  path,
  label: path,
  unit: 'fraction',
  value: 0,
  direction: 'signed',
  symbol: null,
  decimals: null,
  ...over,
});

const context = [
  figure('overview.apy.d7', { value: 0.0847 }),
  figure('overview.tvl_change.d7', { value: -0.0312 }),
  figure('risk.max_drawdown_30d', { value: 0.020588, direction: 'magnitude' }),
  figure('overview.tvl_usd', { unit: 'usd', value: 1_234_567.89 }),
  figure('vault.total_assets', { unit: 'token', value: '1500000250000', symbol: 'USDC', decimals: 6 }),
  figure('vault.fee_config.performance_fee_bps', { unit: 'bps', value: 1_000 }),
  figure('users.total', { unit: 'count', value: 42 }),
  figure('vault.upkeep_info.runway_seconds', { unit: 'seconds', value: 1_209_600 }),
  figure('vault.last_oracle_update_timestamp', { unit: 'time', value: '2026-11-21T12:04:09.000Z' }),
  figure('vault.block_number', { unit: 'block', value: 4_821 }),
];
const known = new Set(['0xb208524df384cc907146a996186e15b629cf87ba']);
const ungrounded = (text: string) => groundingOf(text, context, known).ungrounded;

describe('what may stand', () => {
  test.each([
    'The APY over 7 days is 8.47 %.',
    'APY 8.5%',
    'It yields 8 percent, 847 bps.',
    'TVL fell by 3.12 % in the last 7 days.',
    'TVL changed by -3.1 % over 7 days.',
    'The deepest fall within 30 days was 2.06 %.',
    'Total value is $1.23M, exactly $1,234,567.89.',
    'It is worth US$1.2 million.',
    'The vault holds 1,500,000.25 USDC.',
    'The fee is 10 % of growth, 1000 bps.',
    'There are 42 holders.',
    'There are forty-two holders.',
    'Upkeep lasts for 14 days, two weeks.',
    'Priced at 2026-11-21 12:04 UTC.',
    'Last priced at 12:04 UTC, block 4821.',
    'The vault 0xB208524df384cc907146A996186E15B629cf87BA (0xB208…87BA) follows ERC-4626.',
    'One of the sources is idle.',
    '- $1.23M in all\n- 42 holders',
    'The 10 largest holders, the top 3 and the p95 are names of figures, and Aave v3 is a name.',
  ])('default: %s', (text) => {
    expect(ungrounded(text)).toEqual([]);
  });

  test('behavior: an id that is known may stand as it is, and only that one', () => {
    const text = 'Review it at /operate/review/5f1c-77aa-0042.';
    expect(groundingOf(text, [], new Set(['5f1c-77aa-0042'])).ungrounded).toEqual([]);
    expect(groundingOf(text, [], new Set(['5f1c-77aa-0043'])).ungrounded).not.toEqual([]);
  });

  test('behavior: what is quoted is cited, once', () => {
    const { cited } = groundingOf('APY of 8.47 %, that is 8.5 %, with 42 holders.', context, known);
    expect(cited.map(({ path }) => path)).toEqual(['overview.apy.d7', 'users.total']);
  });
});

describe('what is flagged', () => {
  test.each([
    ['an invented figure', 'The APY is 12 %.', 'unknown'],
    ['a wrong rounding', 'The APY is 8.4 %.', 'unknown'],
    ['a figure cut instead of rounded', 'It holds $1.23456M.', 'unknown'],
    ['percent for basis points', 'The APY is 847 %.', 'unit'],
    ['basis points for percent', 'The APY is 8.47 bps.', 'unit'],
    ['dollars for tokens', 'It holds $1,500,000.25.', 'unit'],
    ['a gain for a loss', 'TVL rose by 3.12 % over 7 days.', 'sign'],
    ['a loss without its sign', 'The change of TVL is 3.12 %.', 'sign'],
    ['a loss for a gain', 'The APY fell to -8.47 %.', 'sign'],
    ['a number in words', 'It pays ninety percent.', 'unknown'],
    ['a fraction in words', 'Half of the holders left.', 'unknown'],
    ['a multiple in words', 'Deposits doubled.', 'unit'],
    ['digits of another script', 'The APY is ९९ %.', 'unknown'],
    ['full-width digits', 'The APY is ９９ %.', 'unknown'],
    ['a dash that is no hyphen', 'The APY is −8.47 %.', 'sign'],
    ['an unknown time', 'Priced at 2026-11-20 09:00 UTC.', 'unknown'],
    ['an unknown address', 'Send it to 0x1111111111111111111111111111111111111111.', 'unknown'],
    ['a magnitude that is off', 'TVL is $1.23B.', 'unknown'],
    ['a stale price of days', 'Stale for 5 days.', 'unknown'],
  ])('behavior: %s', (_what, text, reason) => {
    expect(ungrounded(text).map((each) => each.reason)).toContain(reason);
  });
});

test('property: a percentage is grounded at any number of places it is rounded to', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999_999 }), fc.integer({ min: 0, max: 4 }), (millionths, places) => {
      const value = millionths / 1e8;
      const said = (value * 100).toFixed(places);
      fc.pre(Number(said) !== 0);
      const { ungrounded: left } = groundingOf(`APY is ${said} %.`, [figure('apy', { value })]);
      expect(left).toEqual([]);
    }),
    runs(500),
  );
});

test('property: a percentage that is off by one of its last digit is flagged', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 9_999 }), fc.constantFrom(-1, 1), (hundredths, off) => {
      const said = ((hundredths + off) / 100).toFixed(2);
      const { ungrounded: left } = groundingOf(`APY is ${said} %.`, [figure('apy', { value: hundredths / 10_000 })]);
      expect(left).toHaveLength(1);
    }),
    runs(500),
  );
});
