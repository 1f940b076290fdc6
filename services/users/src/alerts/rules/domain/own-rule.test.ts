import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type MetricValue, OwnRuleDefinition, type OwnRuleId } from '@castellan/contracts';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anObservation, START } from '../../journal/domain/journal.fixture.ts';
import type { FactEvent, JournalItem, OwnRuleSet } from '../../journal/domain/journal.ts';
import { type Episode, episodesOf } from './backtest.ts';
import { judge, newEngine, type Transition } from './engine.ts';
import { Fold } from './facts.ts';
import { backtestOwnRule, measuredHistory } from './own-backtest.ts';
import { ownRule } from './own-rule.ts';
import { readingKey, readingsOf } from './readings.ts';
import { runThrough } from './run-through.ts';

const rule_id: OwnRuleId = 'own_0123456789abcdef01234567';
const MINUTE = 60;

/** A rule as a manager may have made it. */
const aRule = (parts: Record<string, unknown> = {}): OwnRuleSet => ({
  ...OwnRuleDefinition.parse({
    title: 'Few depositors',
    metric: 'depositors',
    comparison: 'below',
    threshold: 10,
    severity: 'warning',
    clear_seconds: 0,
    ...parts,
  }),
  asset: { symbol: 'USDC', decimals: 6 },
});
const made = (rule: OwnRuleSet | null): FactEvent => ({ type: 'own_rule', rule_id, rule });
const measured = (after: number, values: Record<string, MetricValue | null>, block = after): FactEvent => ({
  type: 'measured',
  block,
  at: START + after,
  values,
});
/** Items at seconds after the start; those of figures are of a block. */
const items = (...entries: [number, FactEvent, number?][]): JournalItem[] =>
  entries.map(([after, event, block], at) => ({
    n: at + 1,
    time: START + after,
    block: event.type === 'measured' ? event.block : (block ?? null),
    events: [event],
  }));
const run = async (all: readonly JournalItem[], until: number): Promise<Transition[]> =>
  (await runThrough(new Fold(), newEngine(START), all, START + until, { yieldToEventLoop })).transitions;
const changes = (transitions: readonly Transition[]) =>
  transitions.filter((each) => each.rule_id === rule_id).map(({ kind, time }) => `${kind} ${time - START}`);

/** What a rule finds of the values of an observation. */
const found = (rule: OwnRuleSet, ...values: (MetricValue | null)[]) => {
  const keys = readingsOf(rule).map(readingKey);
  const event = measured(0, Object.fromEntries(keys.map((key, at) => [key, values[at] ?? null])));
  const fold = new Fold();
  fold.add({ n: 1, time: START, block: 0, events: [event] });
  const input = { time: START, facts: fold.facts, thresholds: {}, isOpen: () => false };
  return ownRule(rule)
    .find(input)
    .map(({ message }) => message);
};

describe('a comparison', () => {
  test('default: above and below leave the threshold itself out, and say the figure with its unit', () => {
    const above = aRule({ metric: 'tvl_usd', comparison: 'above', threshold: 1_000.5 });
    expect(found(above, 1_000.5)).toEqual([]);
    expect(found(above, 1_000.51)).toEqual(['Value of the vault in US dollars: $1,000.51, above $1,000.50.']);
    expect(found(aRule({ text: 'Call them.' }), 9)).toEqual(['Depositors: 9, below 10. Call them.']);
    expect(found(aRule(), 10)).toEqual([]);
  });

  test('behavior: amounts are compared to the last base unit, however large', () => {
    const huge = `${10n ** 40n}`;
    const rule = aRule({ metric: 'tvl_asset', comparison: 'below', threshold: huge });
    expect(found(rule, huge)).toEqual([]);
    expect(found(rule, `${10n ** 40n - 1n}`)).toHaveLength(1);
    expect(found(aRule({ metric: 'net_flow_24h', comparison: 'below', threshold: '-1000000' }), '-1234567')).toEqual([
      'Net flow over 24 hours: -1.234567 USDC, below -1 USDC.',
    ]);
  });

  test('behavior: a change counts in either direction, and not while the value of before is unknown', () => {
    const rule = aRule({ metric: 'apy_7d', comparison: 'changes', threshold: 0.02, within_seconds: 3_600 });
    expect(found(rule, 0.05, 0.031)).toEqual([]);
    const message = 'APY over 7 days: from 8% to 5% within 1 h, by more than 2%.';
    expect(found(rule, 0.05, 0.08)).toEqual([message]);
    expect(found(rule, 0.08, 0.05)).toHaveLength(1);
    expect(found(rule, 0.08, null)).toEqual([]);
  });

  test.each([
    ['asset_price_age', 7_200, 'Age of the price of the asset: 2 h, above 1 h.', 3_600],
    ['idle_share', 120, 'Idle share of the assets: 1.2%, above 1%.', 100],
    ['risk_score', 70, 'Risk score: 70 of 100, above 60 of 100.', 60],
    ['coverage_3', 1.5, 'Liquidity over the three largest holders: 1.5, above 1.', 1],
  ])('default: %s is said as people read it', (metric, value, message, threshold) => {
    expect(found(aRule({ metric, comparison: 'above', threshold }), value)).toEqual([message]);
  });
});

describe('the engine', () => {
  test('default: it opens once the value was beyond for long enough, and resolves once it was back for long enough', async () => {
    const rule = aRule({ for_seconds: 5 * MINUTE, clear_seconds: 2 * MINUTE });
    const all = items(
      [0, made(rule)],
      [0, measured(0, { depositors: 12 })],
      [60, measured(60, { depositors: 9 })],
      [600, measured(600, { depositors: 11 })],
    );
    expect(changes(await run(all, 3_600))).toEqual(['opened 360', 'resolved 720']);
  });

  test('behavior: what could not be read stays as it was', async () => {
    const all = items(
      [0, made(aRule())],
      [60, measured(60, { depositors: 9 })],
      [120, measured(120, { depositors: null })],
      [180, measured(180, { depositors: 10 })],
    );
    expect(changes(await run(all, 600))).toEqual(['opened 60', 'resolved 180']);
  });

  test.each([
    ['deleted', made(null)],
    ['switched off', made(aRule({ enabled: false }))],
    ['set to what holds', made(aRule({ threshold: 5 }))],
  ])('behavior: what a rule has open ends when it is %s', async (_what, event) => {
    const all = items([0, made(aRule())], [60, measured(60, { depositors: 9 })], [120, event]);
    expect(changes(await run(all, 600))).toEqual(['opened 60', 'resolved 120']);
  });

  test.each([
    ['deleted', made(null), false],
    ['switched off', made(aRule({ enabled: false })), false],
    // Read before the evaluator knew that nobody needs it any more.
    ['switched off', made(aRule({ enabled: false })), true],
  ])(
    'behavior: what was read before the last rule about it was %s is no value of the next one',
    async (_what, event, isReadLate) => {
      const all = items(
        [0, made(aRule())],
        [60, measured(60, { depositors: 9 })],
        [120, event],
        ...(isReadLate ? [[120, measured(110, { depositors: 9 })] satisfies [number, FactEvent]] : []),
        [5_000, made(aRule())],
      );
      expect(changes(await run(all, 6_000))).toEqual(['opened 60', 'resolved 120']);
      const fold = new Fold();
      for (const item of all) fold.add(item);
      expect(fold.facts.measured?.keys.size).toBe(0);
    },
  );

  test('behavior: a rule that is changed is judged by its new words, under the same alert', async () => {
    const again = made(aRule({ title: 'Very few', threshold: 20 }));
    const all = items([0, made(aRule())], [60, measured(60, { depositors: 9 })], [120, again]);
    const { state } = await runThrough(new Fold(), newEngine(START), all, START + 600, { yieldToEventLoop });
    expect(state.opened).toBe(1);
    expect(state.watches[`${rule_id}|vault`]).toMatchObject({
      title: 'Very few',
      finding: { facts: { threshold: 20 } },
    });
  });

  test('behavior: figures of blocks that are gone are gone, and say nothing of how far the log is', async () => {
    const fold = new Fold();
    const before: JournalItem = { n: 1, time: START, block: 90, events: [anObservation()] };
    for (const item of [before, ...items([0, made(aRule())], [60, measured(60, { depositors: 12 }, 80)])])
      fold.add(item);
    expect(fold.facts).toMatchObject({ block: 90, measured: { block: 80 } });
    fold.add({ n: 4, time: START + 90, block: 95, events: [measured(90, { depositors: 9 }, 95)] });
    const engine = newEngine(START);
    expect(judge(engine, fold.facts, START + 90).transitions).toHaveLength(1);
    fold.add({ n: 5, time: START + 90, block: null, events: [{ type: 'rollback', from_block: 95 }] });
    expect(fold.facts).toMatchObject({ block: 90, measured: { block: 80 } });
    expect(judge(engine, fold.facts, START + 90).transitions).toEqual([]);
  });

  test('behavior: a figure that is not read any more has no value', async () => {
    const all = items([0, made(aRule())], [60, measured(60, { depositors: 9 })], [120, measured(120, { sources: 3 })]);
    expect(changes(await run(all, 600))).toEqual(['opened 60', 'resolved 120']);
  });
});

/** A vault whose figure moves: observations some time apart, read a little later, a part of them taken back and made again. */
const movements = fc.array(
  fc.record({
    gap: fc.integer({ min: 1, max: 900 }),
    late: fc.integer({ min: 0, max: 120 }),
    value: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 8 }),
    before: fc.integer({ min: 0, max: 20 }),
    takenBack: fc.integer({ min: 0, max: 12 }),
  }),
  { minLength: 1, maxLength: 40 },
);
const anyRule = fc
  .record({
    comparison: fc.constantFrom('above', 'below', 'changes'),
    threshold: fc.integer({ min: 0, max: 20 }),
    for_seconds: fc.integer({ min: 0, max: 1_200 }),
    clear_seconds: fc.integer({ min: 0, max: 1_200 }),
  })
  .map((parts) => aRule({ ...parts, within_seconds: parts.comparison === 'changes' ? 3_600 : null }));

type Movement = { gap: number; late: number; value: number | null; before: number; takenBack: number };

/** The journal that the live evaluator judged, and the observations of the chain as it is in the end. */
function lived(rule: OwnRuleSet, list: readonly Movement[]) {
  const [now = '', then] = readingsOf(rule).map(readingKey);
  const journal: JournalItem[] = items([0, made(rule)]);
  let observations: Extract<FactEvent, { type: 'measured' }>[] = [];
  let time = 0;
  let block = 1;
  for (const { gap, late, value, before, takenBack } of list) {
    time += gap;
    const last = journal.at(-1)?.time ?? START;
    const add = (event: FactEvent, of: number | null, at: number) =>
      journal.push({ n: journal.length + 1, time: Math.max(at, last), block: of, events: [event] });
    if (takenBack === 0 && block > 2) {
      block -= 2;
      observations = observations.filter((each) => each.block < block);
      add({ type: 'rollback', from_block: block }, null, START + time);
    }
    const event = measured(time, { [now]: value, ...(then ? { [then]: before } : {}) }, block);
    observations.push(event as Extract<FactEvent, { type: 'measured' }>);
    add(event, block, START + time + late);
    block += 1;
  }
  return { journal, observations, until: START + time + 7_200 };
}

/** As the live evaluator goes: some items, then the time that passes, then more. */
async function live(journal: readonly JournalItem[], until: number, every: number): Promise<Episode[]> {
  const fold = new Fold();
  let state = newEngine(START);
  const all: Transition[] = [];
  for (let at = 0; at < journal.length || state.time < until; at += every) {
    const part = journal.slice(at, at + every);
    const next = journal[at + every]?.time ?? until;
    const { transitions, ...ran } = await runThrough(fold, state, part, next, { yieldToEventLoop });
    state = ran.state;
    all.push(...transitions);
    if (at >= journal.length) break;
  }
  return episodesOf(all, rule_id, until);
}

describe('the back-test', () => {
  test('property: over the journal it finds what the live evaluator found, reorganisations included', async () => {
    await fc.assert(
      fc.asyncProperty(anyRule, movements, fc.integer({ min: 1, max: 9 }), async (rule, list, every) => {
        const { journal, observations, until } = lived(rule, list);
        const tried = await backtestOwnRule(
          { set: rule, items: measuredHistory(rule, journal, observations), from: START, to: until },
          yieldToEventLoop,
        );
        expect(tried).toEqual(await live(journal, until, every));
      }),
      runs(300),
    );
  });

  test('property: without a journal it finds what an evaluator that read each observation at once would have found', async () => {
    await fc.assert(
      fc.asyncProperty(anyRule, movements, async (rule, list) => {
        const { observations, until } = lived(
          rule,
          list.map((each) => ({ ...each, takenBack: 1 })),
        );
        const journal = items(
          [0, made(rule)],
          ...observations.map((each): [number, FactEvent] => [each.at - START, each]),
        );
        const tried = await backtestOwnRule(
          { set: rule, items: measuredHistory(rule, [], observations), from: START, to: until },
          yieldToEventLoop,
        );
        expect(tried).toEqual(await live(journal, until, 3));
      }),
      runs(300),
    );
  });

  test('behavior: what no rule needed before one was made is taken from the observations, the rest from the journal', () => {
    const journal = items(
      [100, made(aRule())],
      [130, measured(120, { depositors: 4 }, 3)],
      [200, measured(200, { sources: 1 }, 5)],
    );
    const seen = [1, 2, 3, 5].map(
      (block) => measured(block * 40, { depositors: block }, block) as Extract<FactEvent, { type: 'measured' }>,
    );
    expect(measuredHistory(aRule(), journal, seen)).toEqual(
      items(
        [40, measured(40, { depositors: 1 }, 1)],
        [80, measured(80, { depositors: 2 }, 2)],
        [130, measured(120, { depositors: 4 }, 3)],
        [200, measured(200, { depositors: 5 }, 5)],
      ),
    );
  });

  test('behavior: a block that was made again stands behind what took the first one away', () => {
    const journal = items([50, measured(40, { depositors: 1 }, 1)], [300, { type: 'rollback', from_block: 1 }]);
    const again = measured(60, { depositors: 7 }, 1) as Extract<FactEvent, { type: 'measured' }>;
    const history = measuredHistory(aRule(), journal, [again]);
    expect(history.map(({ events: [event] }) => event?.type)).toEqual(['measured', 'rollback', 'measured']);
    expect(history.at(-1)).toMatchObject({ n: 3, time: START + 300, block: 1 });
  });
});
