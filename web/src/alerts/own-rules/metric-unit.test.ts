import '../../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { ownRules } from '../alerts.fixture.tsx';
import { thresholdFault, unitOf } from './metric-unit.ts';
import { ownRuleWords } from './own-rule-words.ts';

const asset = { symbol: 'USDC', decimals: 6 };

test.each([
  ['asset', '1000500000', '1000.5', '1,000.5 USDC', 'USDC', 1_000.5],
  ['asset', '-1', '-0.000001', '−0.000001 USDC', 'USDC', -0.000001],
  ['usd', 1_000.5, '1000.5', '$1,000.50', 'USD', 1_000.5],
  ['usd', -0.0005, '-0.0005', '−$0.0005', 'USD', -0.0005],
  ['fraction', 0.00005, '0.005', '0.005%', '%', 0.005],
  ['fraction', 0.07, '7', '7%', '%', 7],
  ['fraction', -0.07, '-7', '−7%', '%', -7],
  ['bps', 1_234, '12.34', '12.34%', '%', 12.34],
  ['seconds', 5_400, '1.5', '1 h 30 m', 'hours', 1.5],
  ['count', 12, '12', '12', undefined, 12],
  ['number', 1.5, '1.5', '1.5', undefined, 1.5],
  ['points', 70, '70', '70 of 100', 'of 100', 70],
] as const)('default: %s of %s is typed as %s, read back, and said as %s', (unit, value, text, said, name, drawn) => {
  const of = unitOf({ unit }, asset);
  expect(of.show(value)).toBe(text);
  expect(of.read(text)).toBe(value);
  expect(thresholdFault(of, ` ${text} `, false)).toBeUndefined();
  expect([of.say(value), of.name, of.draw(value)]).toEqual([said, name, drawn]);
});

test.each([
  ['soon', false, 'A number'],
  ['', true, 'A number, 0 or more'],
  ['1e6', false, 'A number'],
  ['-1', true, 'A number, 0 or more: a change counts in either direction'],
  ['0.0000001', false, 'At most 6 digits behind the point'],
])('error: "%s" is refused', (text, isChange, fault) => {
  expect(thresholdFault(unitOf({ unit: 'asset' }, asset), text, isChange)).toBe(fault);
});

test.each([
  [
    'Value of the vault below 1 USDC',
    { metric: 'tvl_asset', comparison: 'below', threshold: '1000000', within: null, after: 0 },
  ],
  [
    'APY over 7 days above 20%, for 1 h',
    { metric: 'apy_7d', comparison: 'above', threshold: 0.2, within: null, after: 3_600 },
  ],
  [
    'APY over 7 days changes by more than 2% within 1 d',
    { metric: 'apy_7d', comparison: 'changes', threshold: 0.02, within: 86_400, after: 0 },
  ],
] as const)('default: a rule says "%s"', (said, { metric, comparison, threshold, within, after }) => {
  const rule = { metric, comparison, threshold, within_seconds: within, for_seconds: after };
  expect(ownRuleWords(rule, ownRules())).toBe(said);
});
