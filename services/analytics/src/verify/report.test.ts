import { expect, test } from '@jest/globals';
import { summaryLine } from './report.ts';
import type { Outcome, Verdict } from './verdict.ts';

const verdicts = (...outcomes: Outcome[]): Verdict[] =>
  outcomes.map((outcome) => ({ figure: 'apy.d7', shown: 1, found: 1, outcome, reason: null }));

test('default: the summary says which share of the figures with a value was recomputed', () => {
  expect(summaryLine(verdicts('equal', 'equal', 'no_value'))).toBe(
    '2 figures recomputed, 2 equal, 100 % of those with a value, 1 show no value',
  );
  expect(summaryLine(verdicts('equal', 'unequal', 'unchecked'))).toBe(
    '2 figures recomputed, 1 equal, 66.6 % of those with a value, 1 cannot be checked',
  );
});
