import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { LogEntry } from '@castellan/contracts';
import { describe, expect, test } from '@jest/globals';
import { factEventOf } from '../../journal/domain/from-log.ts';
import { anObservation, journalOf, START } from '../../journal/domain/journal.fixture.ts';
import type { FactEvent, JournalItem, Observed } from '../../journal/domain/journal.ts';
import { backtest } from './backtest.ts';
import { newEngine } from './engine.ts';
import { Fold } from './facts.ts';
import { runThrough } from './run-through.ts';
import { nextRunway, upkeepRunway } from './upkeep-runway.ts';

const HOUR = 3_600;
const DAY = 86_400;
type Entry = [number, ...FactEvent[]];

const report = (after: number): Entry => [after, { type: 'reported', timestamp: START + after }];
const created: Entry = [0, { type: 'deployed', name: 'USDC Core' }, { type: 'reported', timestamp: START }];
const hourly = (from: number, to: number): Entry[] =>
  Array.from({ length: to - from }, (_, n) => report((from + 1 + n) * HOUR));
const seen = (after: number, state: Partial<Observed>): Entry => [after, anObservation(state)];
const factsOf = (...entries: Entry[]) => {
  const fold = new Fold();
  for (const item of journalOf(...entries)) fold.add(item);
  return fold.facts;
};

describe('the runway', () => {
  test('default: is at the pace of the updates that became known', () => {
    const before = [created, seen(0, { upkeep_balance: '3600' }), ...hourly(0, 48)];
    expect(upkeepRunway(factsOf(...before), START + 48 * HOUR)).toEqual({ seconds: 30 * DAY, basis: 'last_24h' });
    const changed: Entry[] = [...before, [48 * HOUR, { type: 'interval_changed' }]];
    const again = factsOf(...changed, report(48 * HOUR + 600), report(48 * HOUR + 1_200));
    expect(upkeepRunway(again, START + 48 * HOUR + 1_200)).toEqual({
      seconds: 5 * DAY,
      basis: 'since_interval_change',
    });
    expect(upkeepRunway(again, START + 5 * DAY)).toBeNull();
  });

  test('behavior: free updates have no runway', () => {
    const free = (state: Partial<Observed>) => factsOf(created, ...hourly(0, 30), seen(30 * HOUR, state));
    expect(upkeepRunway(free({ upkeep_enabled: false }), START + 30 * HOUR)).toBeNull();
    expect(upkeepRunway(free({ upkeep_cost: '0' }), START + 30 * HOUR)).toBeNull();
    expect(upkeepRunway(free({ upkeep_balance: '0' }), START + 30 * HOUR)?.seconds).toBe(0);
  });

  test('behavior: time alone is waited for only while it may end the alert', () => {
    const facts = factsOf(created, ...hourly(0, 30), seen(30 * HOUR, { upkeep_balance: '120' }));
    const now = START + 30 * HOUR;
    expect(nextRunway(facts, now, 2 * DAY)).toBe(START + 7 * HOUR + DAY);
    expect(nextRunway(facts, now, DAY)).toBeUndefined();
  });

  test('behavior: while the time that is counted grows, the alert ends in the second in which the limit is reached', () => {
    const young = factsOf(created, ...hourly(0, 2), seen(2 * HOUR, {}));
    const next = nextRunway(young, START + 2 * HOUR, 30 * DAY) as number;
    expect(next).toBeLessThan(START + DAY);
    expect(upkeepRunway(young, next)?.seconds).toBeGreaterThanOrEqual(30 * DAY);
    expect(upkeepRunway(young, next - 1)?.seconds).toBeLessThan(30 * DAY);
    const empty = factsOf(created, ...hourly(0, 2), seen(2 * HOUR, { upkeep_balance: '0' }));
    expect(nextRunway(empty, START + 2 * HOUR, 30 * DAY)).toBe(START + DAY);
  });
});

describe('the balance', () => {
  const balanceOf = (...entries: Entry[]) => factsOf(...entries).state?.upkeep_balance;

  test('default: a payment’s event has the balance before it, from which the amount is taken', () => {
    const args = { strategy: '0x01', amount: '50', balance: '1000', claimableUpkeep: '50' };
    const entry = { kind: 'log', contract: 'aggregator', name: 'UpkeepSpent', vault_address: '0x02', args };
    const spent = factEventOf(entry as unknown as LogEntry);
    expect(spent).toEqual({ type: 'spent', amount: '50', balance: '1000' });
    expect(balanceOf(seen(0, {}), [HOUR, spent as FactEvent])).toBe('950');
  });

  test('behavior: what is paid in and withdrawn counts at once, and what an observation has seen counts once', () => {
    const deposited: FactEvent = { type: 'deposited', amount: '70' };
    const withdrawn: FactEvent = { type: 'withdrawn', amount: '30' };
    expect(balanceOf(seen(0, {}), [HOUR, deposited], [2 * HOUR, withdrawn])).toBe('1040');
    expect(balanceOf([0, anObservation(), deposited])).toBe('1000');
  });
});

describe('the alert', () => {
  /** Hourly updates; at hour 72 the balance pays for 167, and a top-up comes ten hours later. */
  const items: JournalItem[] = journalOf(
    created,
    ...hourly(0, 71),
    [72 * HOUR, { type: 'reported', timestamp: START + 72 * HOUR }, anObservation({ upkeep_balance: '835' })],
    ...hourly(72, 82),
    [82 * HOUR + 60, { type: 'deposited', amount: '5000' }],
  );

  test('default: opens below seven days of the last 24 hours and says so; a top-up ends it; a back-test finds the same', async () => {
    const until = START + 90 * HOUR;
    const { transitions } = await runThrough(new Fold(), newEngine(START), items, until, { yieldToEventLoop });
    const did = transitions.filter(({ rule_id }) => rule_id === 'low_upkeep');
    expect(did.map(({ kind, time }) => [kind, time - START])).toEqual([
      ['opened', 72 * HOUR],
      ['resolved', 82 * HOUR + 360],
    ]);
    expect(did[0]?.watch.finding).toMatchObject({
      message: 'At the pace of the last 24 hours the upkeep balance lasts 6 d 23 h.',
      facts: { runway_seconds: (167 / 24) * DAY, balance: '835' },
    });
    const { episodes } = await backtest({ items, rule: 'low_upkeep', from: START, to: until }, yieldToEventLoop);
    expect(episodes).toMatchObject([{ openedAt: START + 72 * HOUR, resolvedAt: START + 82 * HOUR + 360 }]);
  });

  test('behavior: ends by the clock alone once the updates that made it are more than a day ago', async () => {
    const burst = journalOf(
      created,
      ...Array.from({ length: 40 }, (_, n) => report(DAY + n * 60)),
      seen(DAY + 2_400, { upkeep_balance: '1000' }),
    );
    const { transitions } = await runThrough(new Fold(), newEngine(START), burst, START + 3 * DAY, {
      yieldToEventLoop,
    });
    const did = transitions.filter(({ rule_id }) => rule_id === 'low_upkeep');
    // 200 updates are paid for: 7.35 days at 27.2 a day, so it ends five minutes after the 13th update of the burst has left.
    expect(did.map(({ kind, time }) => [kind, time - START])).toEqual([
      ['opened', DAY + 2_400],
      ['resolved', 2 * DAY + 12 * 60 + 300],
    ]);
  });
});
