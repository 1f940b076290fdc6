import '../../test/browser.ts';
import { expect, test } from '@jest/globals';
import { ruleWords } from './rule-words.ts';

const of = (thresholds: Record<string, number>, for_seconds = 0) => ({
  settings: { enabled: true, thresholds, for_seconds, clear_seconds: 0, owner: 'Desk' },
});

test.each([
  ['50% or less of the time until expiry is left', { remaining_share: 0.5 }, 0],
  ['No price for 1 h', { waiting_seconds: 3_600 }, 0],
  ['Beyond 100% of the guard, for 1 m', { guard_share: 1 }, 60],
  ['More than 10 requests waiting, or one for longer than 3 d', { pending_requests: 10, oldest_seconds: 259_200 }, 0],
  ['More than 1 request waiting', { pending_requests: 1 }, 0],
  ['Less than 0.05 POL, for 1 m', { balance_wei: 5e16 }, 60],
  ['Less than 7 d of upkeep', { runway_seconds: 604_800 }, 0],
  ['Less than 95% accepted of 5 attempts or more', { success_rate: 0.95, min_attempts: 5 }, 0],
  ['Something_new 0.25', { something_new: 0.25 }, 0],
  ['At once', {}, 0],
  ['After 5 m', {}, 300],
])('default: "%s"', (said, thresholds, after) => {
  expect(ruleWords(of(thresholds, after), 'POL')).toBe(said);
});
