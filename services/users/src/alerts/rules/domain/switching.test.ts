import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { anObservation, journalOf, START, switched } from '../../journal/domain/journal.fixture.ts';
import type { FactEvent, JournalItem } from '../../journal/domain/journal.ts';
import { backtest } from './backtest.ts';
import { judge, newEngine, type Transition } from './engine.ts';
import { Fold } from './facts.ts';
import { runThrough } from './run-through.ts';

/** Built-in rules that are switched off and on while what they look for holds. */

const run = async (items: readonly JournalItem[], rule: string): Promise<Transition[]> => {
  const until = START + 86_400 / 4;
  const { transitions } = await runThrough(new Fold(), newEngine(START), items, until, { yieldToEventLoop });
  return transitions.filter(({ rule_id }) => rule_id === rule);
};
const changesOf = (transitions: readonly Transition[]) =>
  transitions.map(({ kind, time, watch }) => `${kind} ${time - START} #${watch.ordinal}`);

const off = switched('vault_paused', false);
const on = switched('vault_paused', true);
const paused: FactEvent = { type: 'paused' };
const unpaused: FactEvent = { type: 'unpaused' };
const well: [number, FactEvent] = [0, anObservation()];

test('default: switched on while its condition holds it opens then, switched off it resolves, each time as another alert', async () => {
  const items = journalOf(well, [10, off], [20, paused], [30, on], [40, off], [50, on], [60, unpaused]);
  expect(changesOf(await run(items, 'vault_paused'))).toEqual([
    'opened 30 #1',
    'resolved 40 #1',
    'opened 50 #2',
    'resolved 60 #2',
  ]);
});

test('behavior: while it is off nothing is shown, and no number is taken', async () => {
  const items = journalOf(well, [10, off], [20, paused], [30, unpaused], [40, on], [50, paused]);
  expect(changesOf(await run(items, 'vault_paused'))).toEqual(['opened 50 #1']);
});

test('behavior: it is not shown that a hidden alert is muted; opened later, it opens muted', async () => {
  const hidden = switched('strategy_vetoed', false);
  const old: FactEvent = anObservation({ last_update: START - 80_000 });
  const items = journalOf(
    [0, old],
    [10, switched('pps_staleness_critical', false)],
    [20, paused],
    [30, hidden],
    [40, switched('pps_staleness_critical', true)],
    [50, unpaused],
  );
  const transitions = await run(items, 'pps_staleness_critical');
  expect(changesOf(transitions)).toEqual(['opened 0 #2', 'resolved 10 #2', 'opened 40 #4', 'unmuted 50 #4']);
  expect(transitions[2]?.watch.inhibited?.rule_id).toBe('vault_paused');
});

test('behavior: switched on while it is about to clear it opens nothing, until the condition is back', async () => {
  const slow = (enabled: boolean) => switched('vault_paused', enabled, { for_seconds: 0, clear_seconds: 600 });
  const items = journalOf(well, [10, slow(false)], [20, paused], [30, unpaused], [40, slow(true)], [50, paused]);
  expect(changesOf(await run(items, 'vault_paused'))).toEqual(['opened 50 #1']);
});

test('behavior: what is switched on within its hysteresis alone opens nothing', async () => {
  const at = (divergence_bps: number) => anObservation({ divergence_bps, guard_bps: 100 });
  const [hidden, again] = [switched('pps_deviation', false), switched('pps_deviation', true)];
  const items = journalOf([0, hidden, at(150)], [100, at(97)], [200, again], [300, at(101)]);
  expect(changesOf(await run(items, 'pps_deviation'))).toEqual(['opened 300 #1']);
});

test('behavior: a back-test over a rule that was switched off and on has an alert for each time it was on', async () => {
  const items = journalOf(well, [10, off], [20, paused], [30, on], [40, off], [50, on], [60, unpaused]);
  const tried = { items, rule: 'vault_paused' as const, from: START, to: START + 100 };
  const { episodes } = await backtest(tried, yieldToEventLoop);
  expect(episodes.map(({ openedAt, resolvedAt }) => [openedAt - START, (resolvedAt ?? 0) - START])).toEqual([
    [30, 40],
    [50, 60],
  ]);
});

test('behavior: of a state from before it was kept what is shown, an alert of a rule that is off resolves, once, and can open again', () => {
  const fold = new Fold();
  const [first, second] = journalOf([0, paused], [10, off]);
  fold.add(first as JournalItem);
  const { state } = judge(newEngine(START), fold.facts, START);
  const { shown: _shown, ...watch } = state.watches['vault_paused|vault'] ?? {};
  expect(_shown).toBe(true);
  const before = JSON.parse(JSON.stringify({ ...state, watches: { 'vault_paused|vault': watch } }));
  const kindsAt = (from: typeof state, time: number) => {
    const judged = judge(from, fold.facts, START + time);
    return { state: judged.state, changes: changesOf(judged.transitions) };
  };
  expect(kindsAt(before, 5).changes).toEqual([]);
  fold.add(second as JournalItem);
  const switchedOff = kindsAt(before, 10);
  expect(switchedOff.changes).toEqual(['resolved 10 #1']);
  expect(kindsAt(switchedOff.state, 11).changes).toEqual([]);
  fold.add({ n: 3, time: START + 20, block: null, events: [on] });
  expect(kindsAt(switchedOff.state, 20).changes).toEqual(['opened 20 #2']);
});
