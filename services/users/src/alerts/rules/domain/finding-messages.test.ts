import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { formatBps, formatDuration, formatShare, formatTime, formatWei } from '../../journal/domain/format.ts';
import { history, START } from '../../journal/domain/journal.fixture.ts';
import { newEngine } from './engine.ts';
import { Fold } from './facts.ts';
import { waitingRedemptionsMessage } from './finding-messages.ts';
import { runThrough } from './run-through.ts';

test('default: figures as the screens write them', () => {
  expect(formatTime(START)).toBe('1 Jun 2026, 00:00 UTC');
  expect([formatShare(0.95), formatShare(0.07), formatBps(120), formatBps(5_000)]).toEqual([
    '95%',
    '7%',
    '1.20%',
    '50.00%',
  ]);
  expect([formatDuration(90_061), formatDuration(59)]).toEqual(['1 d 1 h', '59 s']);
  expect(formatWei('50000000000000000')).toBe('0.0500');
});

test('default: one redemption that waits is not the oldest of one', () => {
  expect(waitingRedemptionsMessage(1, 7_200)).toBe('One redemption has been waiting for 2 h.');
  expect(waitingRedemptionsMessage(12, 7_200)).toBe('12 redemptions have been waiting, the oldest for 2 h.');
});

test('behavior: no message has an ISO date, a hyphen for a minus, basis points, base units or a long float', async () => {
  const { transitions } = await runThrough(new Fold(), newEngine(START), history(), START + 40 * 86_400, {
    yieldToEventLoop,
  });
  const messages = new Set(transitions.map(({ watch }) => watch.finding.message));
  expect(messages.size).toBeGreaterThan(20);
  const unfit = /\d{4}-\d{2}-\d{2}|(?:^|[\s(])-\d|\d bps|base units|\d\.\d{5,}|\d %/;
  expect([...messages].filter((message) => unfit.test(message))).toEqual([]);
});
