import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { alertRuleIds } from '@castellan/contracts';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anObservation, history, journalOf, randomJournal, START } from '../../journal/domain/journal.fixture.ts';
import type { FactEvent, JournalItem } from '../../journal/domain/journal.ts';
import { backtest, episodesOf } from './backtest.ts';
import { type EngineState, judge, newEngine, type Transition } from './engine.ts';
import { Fold, noFacts } from './facts.ts';
import { rules } from './rules.ts';
import { runThrough } from './run-through.ts';

const HOUR = 3_600;
const run = async (items: readonly JournalItem[], until: number) => {
  const { transitions } = await runThrough(new Fold(), newEngine(START), items, until, { yieldToEventLoop });
  return transitions;
};
const changesOf = (transitions: readonly Transition[]) =>
  transitions.map(({ kind, rule_id, time }) => `${kind} ${rule_id} ${(time - START) / 60}`);
const only = (transitions: readonly Transition[], ...ids: string[]) =>
  changesOf(transitions.filter(({ rule_id }) => ids.includes(rule_id)));

describe('a price that grows old', () => {
  test('default: warning, then critical which mutes it, and both end with the next price', async () => {
    const items = journalOf([0, anObservation()], [25 * HOUR, { type: 'reported', timestamp: START + 25 * HOUR }]);
    expect(changesOf(await run(items, START + 26 * HOUR))).toEqual([
      'opened pps_staleness_warning 720',
      'muted pps_staleness_warning 1152',
      'opened pps_staleness_critical 1152',
      'resolved pps_staleness_warning 1500',
      'resolved pps_staleness_critical 1500',
    ]);
  });

  test('behavior: a pause mutes it and says why; unpausing while it is old unmutes it', async () => {
    const items = journalOf([0, anObservation()], [6 * HOUR, { type: 'paused' }], [20 * HOUR, { type: 'unpaused' }]);
    const transitions = await run(items, START + 21 * HOUR);
    expect(only(transitions, 'pps_staleness_critical', 'vault_paused')).toEqual([
      'opened vault_paused 360',
      'opened pps_staleness_critical 1152',
      'resolved vault_paused 1200',
      'unmuted pps_staleness_critical 1200',
    ]);
    const opened = transitions.find(({ rule_id }) => rule_id === 'pps_staleness_critical');
    expect(opened?.watch.inhibited).toEqual({
      rule_id: 'vault_paused',
      effect: 'mute',
      reason: expect.stringContaining('paused'),
      since: START + 19.2 * HOUR,
    });
  });

  test('behavior: with an empty upkeep it is called unfunded, and is not muted', async () => {
    const items = journalOf(
      [0, anObservation()],
      [21 * HOUR, anObservation({ last_update: START, upkeep_balance: '1' })],
    );
    const transitions = await run(items, START + 22 * HOUR);
    expect(only(transitions, 'pps_staleness_critical', 'upkeep_empty')).toEqual([
      'opened pps_staleness_critical 1152',
      'renamed pps_staleness_critical 1260',
      'opened upkeep_empty 1260',
    ]);
    expect(transitions.findLast(({ kind }) => kind === 'renamed')?.watch.title).toBe('Price unfunded');
  });

  test('behavior: a node that is down mutes what it says of prices, and no other node', async () => {
    const events: FactEvent[] = [
      {
        type: 'sample',
        nodes: [
          { index: 0, silent: true },
          { index: 1, silent: false },
        ],
      },
      { type: 'node_price', index: 0, stale: true },
      { type: 'node_price', index: 1, stale: true },
    ];
    const transitions = await run(journalOf([0, ...events]), START + 300);
    const stale = transitions.filter(({ rule_id }) => rule_id === 'node_price_stale');
    expect(stale.map(({ watch }) => [watch.finding.subject, watch.inhibited?.rule_id])).toEqual([
      ['node:0', 'node_down'],
      ['node:1', undefined],
    ]);
  });
});

test('behavior: a proposal that takes the place of another, or of itself, has an alert of its own', async () => {
  const propose = (detail: string, effective_at: number): FactEvent => ({
    type: 'proposed',
    what: 'root',
    detail,
    effective_at,
  });
  const items = journalOf(
    [0, propose('0xaa', START + HOUR)],
    [60, propose('0xbb', START + HOUR)],
    [120, propose('0xbb', START + 2 * HOUR)],
    [180, { type: 'decided', what: 'root' }],
  );
  const transitions = await run(items, START + 300);
  expect(only(transitions, 'root_change_pending')).toEqual([
    'opened root_change_pending 0',
    'resolved root_change_pending 1',
    'opened root_change_pending 1',
    'resolved root_change_pending 2',
    'opened root_change_pending 2',
    'resolved root_change_pending 3',
  ]);
  const opened = transitions.filter(({ kind }) => kind === 'opened');
  expect(opened.map(({ watch }) => watch.finding.facts.proposed)).toEqual(['0xaa', '0xbb', '0xbb']);
});

describe('hysteresis', () => {
  const queue = (n: number): FactEvent[] =>
    Array.from({ length: n }, (_, index) => ({ type: 'requested', controller: `0x${index}` }));

  test('behavior: a moment beyond the threshold opens nothing, and a moment within resolves nothing', async () => {
    const settle: FactEvent = { type: 'settled', controller: '0x0' };
    const again: FactEvent = { type: 'requested', controller: '0x0' };
    const items = journalOf(
      [0, ...queue(11)],
      [30, settle],
      [600, again],
      [1200, settle],
      [1260, again],
      [3000, settle],
    );
    expect(only(await run(items, START + 2 * HOUR), 'redemption_queue')).toEqual([
      'opened redemption_queue 11',
      'resolved redemption_queue 55',
    ]);
  });

  test('behavior: a deviation has hysteresis: it ends only well below the guard', async () => {
    const at = (divergence_bps: number) => anObservation({ divergence_bps, guard_bps: 100, last_update: START });
    const items = journalOf([0, at(101)], [300, at(99)], [1200, at(94)]);
    expect(only(await run(items, START + 2_000), 'pps_deviation')).toEqual([
      'opened pps_deviation 1',
      'resolved pps_deviation 25',
    ]);
  });
});

test('default: every rule can fire, and is silent when nothing is wrong', async () => {
  const transitions = await run(history(), START + 40 * 86_400);
  expect(
    [...new Set(transitions.filter(({ kind }) => kind === 'opened').map(({ rule_id }) => rule_id))].sort(),
  ).toEqual([...alertRuleIds].sort());
  expect(changesOf(await run(journalOf([0, anObservation()]), START + HOUR))).toEqual([]);
});

test('behavior: a rule that inhibits is inhibited by nothing but what is judged with it', () => {
  for (const id of alertRuleIds)
    for (const { rule_id } of rules[id].inhibitors) expect([id, rule_id]).not.toEqual([rule_id, id]);
});

describe('over random histories', () => {
  test('behavior: one open alert for each rule and subject; changes come in order', async () => {
    await fc.assert(
      fc.asyncProperty(randomJournal, async (items) => {
        const open = new Map<string, number>();
        for (const { kind, rule_id, watch, time } of await run(items, START + 3 * 86_400)) {
          const key = `${rule_id}|${watch.finding.subject}`;
          expect(open.has(key)).toBe(kind !== 'opened');
          expect(time).toBeGreaterThanOrEqual(open.get(key) ?? 0);
          if (kind === 'resolved') open.delete(key);
          else open.set(key, time);
        }
      }),
      runs(300),
    );
  });

  test('behavior: muted exactly while an inhibitor is open', async () => {
    await fc.assert(
      fc.asyncProperty(randomJournal, async (items) => {
        const fold = new Fold();
        let state: EngineState = newEngine(START);
        for (const item of items) {
          fold.add(item);
          ({ state } = judge(state, fold.facts, item.time));
          const open = Object.entries(state.watches).filter(([, { phase }]) => phase !== 'pending');
          const ids = new Set(open.map(([key]) => key.split('|')[0]));
          for (const [key, { inhibited, finding }] of open) {
            const id = key.split('|')[0] as keyof typeof rules;
            const by = rules[id].inhibitors.filter(({ rule_id, sameSubject }) =>
              sameSubject ? open.some(([other]) => other === `${rule_id}|${finding.subject}`) : ids.has(rule_id),
            );
            expect(inhibited?.rule_id).toBe(by[0]?.rule_id);
          }
        }
      }),
      runs(300),
    );
  });

  test('behavior: judging at every tick finds what judging when something can change does', async () => {
    await fc.assert(
      fc.asyncProperty(randomJournal, async (items) => {
        const fold = new Fold();
        let state = newEngine(START);
        const transitions: Transition[] = [];
        const judgeAt = (time: number) => {
          const judged = judge(state, fold.facts, time);
          state = judged.state;
          transitions.push(...judged.transitions);
        };
        const end = START + 3 * 86_400;
        let tick = START + 60;
        for (const item of items) {
          for (; tick < item.time; tick += 60) judgeAt(tick);
          fold.add(item);
          judgeAt(item.time);
        }
        for (; tick < end; tick += 60) if (tick > state.time) judgeAt(tick);
        expect(changesOf(transitions)).toEqual(changesOf(await run(items, end)));
      }),
      runs(40),
    );
  });

  test('behavior: stopped anywhere and gone on, the same comes about', async () => {
    await fc.assert(
      fc.asyncProperty(randomJournal, fc.array(fc.nat(200_000), { maxLength: 5 }), async (items, stops) => {
        const end = START + 3 * 86_400;
        const fold = new Fold();
        let state = newEngine(START);
        const transitions: Transition[] = [];
        let done = 0;
        for (const stop of [...stops]
          .sort((a, b) => a - b)
          .map((by) => START + by)
          .concat(end)) {
          const upTo = items.filter(({ time }) => time < stop).length;
          const part = await runThrough(fold, structuredClone(state), items.slice(done, Math.max(done, upTo)), stop, {
            yieldToEventLoop,
          });
          done = Math.max(done, upTo);
          state = JSON.parse(JSON.stringify(part.state)) as EngineState;
          transitions.push(...part.transitions);
        }
        const rest = await runThrough(fold, state, items.slice(done), end, { yieldToEventLoop });
        transitions.push(...rest.transitions);
        expect(changesOf(transitions)).toEqual(changesOf(await run(items, end)));
      }),
      runs(300),
    );
  });

  test('behavior: a back-test of each rule is what the evaluator did over the same history', async () => {
    await fc.assert(
      fc.asyncProperty(randomJournal, async (items) => {
        const end = START + 3 * 86_400;
        const live = await run(items, end);
        for (const rule of alertRuleIds) {
          const { episodes } = await backtest({ items, rule, from: START, to: end }, yieldToEventLoop);
          expect(episodes).toEqual(episodesOf(live, rule, end));
        }
      }),
      runs(50),
    );
  });
});

describe('a back-test', () => {
  test('default: how often, when, how long, and how much of it muted', async () => {
    const items = journalOf([0, anObservation()], [6 * HOUR, { type: 'paused' }], [20 * HOUR, { type: 'unpaused' }]);
    const { episodes } = await backtest(
      { items, rule: 'pps_staleness_critical', from: START, to: START + 22 * HOUR },
      yieldToEventLoop,
    );
    expect(episodes).toEqual([
      {
        subject: 'vault',
        message: expect.stringContaining('expires in'),
        titles: ['Price stale, critical'],
        openedAt: START + 19.2 * HOUR,
        resolvedAt: null,
        mutedSeconds: 0.8 * HOUR,
      },
    ]);
  });

  test('behavior: tries other thresholds, and begins no earlier than asked', async () => {
    const items = journalOf([0, anObservation()], [30 * HOUR, { type: 'reported', timestamp: START + 30 * HOUR }]);
    const of = async (settings: object | undefined, from: number) =>
      (
        await backtest(
          { items, rule: 'pps_staleness_warning', from: START + from, to: START + 32 * HOUR, settings },
          yieldToEventLoop,
        )
      ).episodes;
    expect((await of(undefined, 0)).map(({ openedAt }) => openedAt - START)).toEqual([12 * HOUR]);
    expect((await of({ thresholds: { remaining_share: 0.25 } }, 0)).map(({ openedAt }) => openedAt - START)).toEqual([
      18 * HOUR,
    ]);
    expect(await of(undefined, 31 * HOUR)).toEqual([]);
  });

  test('behavior: ninety days take seconds', async () => {
    const items = journalOf(
      ...Array.from(
        { length: 90 * 48 },
        (_, n) => [n * 1_800, anObservation({ last_update: START + n * 1_800 })] as [number, FactEvent],
      ),
    );
    const began = Date.now();
    await backtest({ items, rule: 'low_upkeep', from: START, to: START + 90 * 86_400 }, yieldToEventLoop);
    expect(Date.now() - began).toBeLessThan(60_000);
  });
});

test('behavior: facts of a rolled back block are removed, those of others stay', () => {
  const fold = new Fold();
  const signal: FactEvent = { type: 'signal', kind: 'strategy', subject: 's', failing: true, detail: 'x' };
  for (const item of [
    { n: 1, time: START, block: 1, events: [anObservation()] },
    { n: 2, time: START + 10, block: 2, events: [{ type: 'paused' as const }] },
    { n: 3, time: START + 11, block: null, events: [signal] },
    { n: 4, time: START + 12, block: null, events: [{ type: 'rollback' as const, from_block: 2 }] },
  ])
    fold.add(item);
  expect(fold.facts.pausedSince).toBeNull();
  expect(fold.facts.failing.size).toBe(1);
  expect(noFacts.failing.size).toBe(0);
});
