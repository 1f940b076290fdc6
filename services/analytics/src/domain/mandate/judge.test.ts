import { MandateDocument, type PromiseBreach } from '@castellan/contracts';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { START, wallet } from '../chain-log.fixture.ts';
import { momentOf } from '../moment.fixture.ts';
import type { Observation } from '../observation.ts';
import { played, steps } from '../random-vault.fixture.ts';
import { VaultLog } from '../vault-log.fixture.ts';
import { emptyTallies, judgeOf, nextBreaches, nextTallies, pageOfObservations } from './judge.ts';

const first = wallet(0x51);
const second = wallet(0x52);
const other = wallet(0x53);

const documentOf = (...promises: object[]): MandateDocument =>
  MandateDocument.parse({ format: 1, title: 'Test', promises: promises.map((each, n) => ({ id: `p${n}`, ...each })) });

const allocation = (...assets: readonly (readonly [string, string | null])[]) =>
  assets.map(([source_address, amount]) => ({
    source_address,
    assets: amount,
    available: amount,
    price_per_share: null,
  }));

/** The state of each promise at the last observation. */
function judged(vault: VaultLog, ...promises: object[]) {
  const { history } = momentOf(vault);
  const statuses = judgeOf(documentOf(...promises))(history, history.observations.at(-1) as Observation);
  return statuses.map(({ state, value, headroom, subject }) => ({ state, value, headroom, subject }));
}

const seen = (state: Record<string, unknown>): VaultLog => new VaultLog().observe(state);
const invested = (idle: string, ...sources: [string, string | null][]) =>
  seen({ idle, allocation: allocation(...sources) });

test('default: a share is of all assets, rounded so that nothing beyond a limit is rounded to it', () => {
  // 60.0001 % and 39.9999 %: one unit beyond each limit.
  const vault = invested('0', [first, '600001'], [second, '399999']);
  expect(
    judged(
      vault,
      { kind: 'source_share', at_most_bps: 6_000 },
      { kind: 'source_share', source: second, at_most_bps: 4_000 },
      { kind: 'layer_share', layer: 'protocol', name: 'Both', sources: [first, second], at_most_bps: 10_000 },
      { kind: 'idle_share', at_least_bps: 1 },
    ),
  ).toEqual([
    { state: 'broken', value: 6_001, headroom: -1, subject: first },
    { state: 'warned', value: 4_000, headroom: 0, subject: second },
    { state: 'warned', value: 10_000, headroom: 0, subject: null },
    { state: 'broken', value: 0, headroom: -1, subject: null },
  ]);
});

test('default: from 90 % of a limit on a promise is warned, below a least value up to a ninth more', () => {
  const vault = invested('1000', [first, '9000']);
  const states = (promise: object) => judged(vault, promise).map(({ state }) => state);
  expect(states({ kind: 'source_share', at_most_bps: 10_000 })).toEqual(['held']);
  expect(states({ kind: 'source_share', at_most_bps: 9_999 })).toEqual(['warned']);
  expect(states({ kind: 'idle_share', at_least_bps: 900 })).toEqual(['held']);
  expect(states({ kind: 'idle_share', at_least_bps: 901 })).toEqual(['warned']);
});

test('edge: what could not be read is unknown, and neither held nor broken', () => {
  const unread = { state: 'unknown', value: null, headroom: null, subject: null };
  expect(judged(invested('5', [first, null]), { kind: 'idle_share', at_least_bps: 1 })).toEqual([unread]);
  expect(judged(invested('0'), { kind: 'source_share', at_most_bps: 1 })).toEqual([unread]);
  expect(judged(new VaultLog().observe(), { kind: 'largest_holder', at_most_bps: 1 })).toEqual([unread]);
  const cadence = { kind: 'price_updates', at_least: 1, in_seconds: 3_600 };
  expect(judged(new VaultLog().observe(), cadence)).toEqual([unread]);
});

test('default: drawdown, holders, fees, age and cadence of the price', () => {
  const vault = new VaultLog();
  vault.deposit(wallet(1), 3_000_000n).deposit(wallet(2), 1_000_000n);
  vault.at(START + 3_600).report(1_000_000n);
  vault.at(START + 7_200).report(950_000n);
  vault.at(START + 7_900).observe({
    last_update_timestamp: `${START + 7_200}`,
    performance_fee_bps: '1000',
    management_fee_bps: '10',
  });
  expect(
    judged(
      vault,
      { kind: 'drawdown', at_most_bps: 499 },
      { kind: 'largest_holder', at_most_bps: 9_000 },
      { kind: 'performance_fee', at_most_bps: 2_000 },
      { kind: 'entry_fee', at_most_bps: 9 },
      { kind: 'price_age', at_most_seconds: 720 },
      { kind: 'price_updates', at_least: 2, in_seconds: 3_600 },
    ),
  ).toEqual([
    { state: 'broken', value: 500, headroom: -1, subject: null },
    { state: 'held', value: 7_500, headroom: 1_500, subject: wallet(1) },
    { state: 'held', value: 1_000, headroom: 1_000, subject: null },
    { state: 'broken', value: 10, headroom: -1, subject: null },
    { state: 'warned', value: 700, headroom: 20, subject: null },
    { state: 'broken', value: 1, headroom: -1, subject: null },
  ]);
});

test('behavior: a drawdown is of the mark and the fee in force, not of those at the last price', () => {
  const vault = new VaultLog({ performanceFeeBps: 1_000n }).observe();
  vault.at(START + 3_600).report(1_100_000n);
  vault.at(START + 7_200).report(1_050_000n);
  const drawdown = () => judged(vault.observe(), { kind: 'drawdown', at_most_bps: 500 })[0]?.value;
  // 1.045 of 1.09, and once nothing is due of the 0.05 any more, 1.05 of 1.09.
  expect(drawdown()).toBe(413);
  vault.at(START + 7_300).resetMark();
  expect(drawdown()).toBe(367);
});

test('security: another hook within a day, and another manager, break the promise', () => {
  const vault = new VaultLog();
  const executed = {
    hook: second,
    prevHook: other,
    targetedYieldSource: first,
    usePrevHookAmount: false,
    hookCalldata: '0x',
  };
  vault.at(START + 10).transaction(vault.manager, [['strategy.HookExecuted', executed]]);
  vault.observe({ primary_manager: first, secondary_managers: [second, other] });
  const promises = [
    { kind: 'hooks', allowed: [first] },
    { kind: 'hooks', allowed: [second] },
    { kind: 'managers', role: 'primary_manager', allowed: [first] },
    { kind: 'managers', role: 'secondary_manager', allowed: [second] },
  ];
  const values = () => judged(vault, ...promises).map(({ state, value, subject }) => [state, value, subject]);
  expect(values()).toEqual([
    ['broken', 1, second],
    ['held', 0, null],
    ['held', 0, null],
    ['broken', 1, other],
  ]);
  vault.at(START + 10 + 86_400).observe({ primary_manager: first, secondary_managers: [second, other] });
  expect(values()[0]).toEqual(['held', 0, null]);
});

test('default: a breach has its start, its worst and its end; an unknown observation neither begins nor ends it', () => {
  const vault = new VaultLog();
  const shares: (string | null)[] = ['100', '700', '900', null, '800', '100'];
  for (const [n, amount] of shares.entries())
    vault.at(START + 60 * (n + 1)).observe({ idle: '300', allocation: allocation([first, amount], [second, '0']) });
  const { history } = momentOf(vault);
  const judge = judgeOf(documentOf({ kind: 'source_share', at_most_bps: 6_900 }));
  let open: PromiseBreach[] = [];
  const ended: PromiseBreach[] = [];
  for (const observation of history.observations) {
    const next = nextBreaches(open, judge(history, observation));
    open = next.open;
    ended.push(...next.ended);
  }
  expect(open).toEqual([]);
  const at = (n: number) => new Date((START + 60 * n) * 1000).toISOString();
  expect(ended).toMatchObject([
    { started: { time: at(2), value: 7_000 }, worst: { time: at(3), value: 7_500 }, ended: { time: at(6) } },
  ]);
});

test('behavior: judged in any number of parts a history has the breaches that it has in one', () => {
  const document = documentOf(
    { kind: 'drawdown', at_most_bps: 20 },
    { kind: 'largest_holder', at_most_bps: 5_000 },
    { kind: 'price_age', at_most_seconds: 86_400 },
    { kind: 'performance_fee', at_most_bps: 2_000 },
    { kind: 'price_updates', at_least: 1, in_seconds: 86_400 },
  );
  fc.assert(
    fc.property(steps(60), fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 5 }), (happened, cuts) => {
      const { history, block, time } = momentOf(played(happened));
      const judge = judgeOf(document);
      const run = (limits: readonly number[]) => {
        const ended: PromiseBreach[] = [];
        let open: PromiseBreach[] = [];
        let afterBlock: number | undefined;
        for (const limit of [...limits, 1_000]) {
          const stretch = { block, since: 0, until: time, afterBlock, limit };
          const { start, stop } = pageOfObservations(history.observations, stretch);
          for (const observation of history.observations.slice(start, stop)) {
            const next = nextBreaches(open, judge(history, observation));
            open = next.open;
            ended.push(...next.ended);
            afterBlock = observation.block;
          }
        }
        return [...ended, ...open];
      };
      expect(run(cuts)).toEqual(run([]));
    }),
    { numRuns: 50 },
  );
});

test('behavior: a page begins with the last observation before the start, or behind a block, and ends with a block', () => {
  const at = (block: number): Observation => ({ block, time: block * 10 }) as Observation;
  const all = [1, 2, 3, 3, 4, 5].map(at);
  const whole = { block: 5, since: 0, until: 1_000, limit: 100 };
  expect(pageOfObservations(all, whole)).toEqual({ start: 0, stop: 6, hasMore: false });
  expect(pageOfObservations(all, { ...whole, since: 25 })).toEqual({ start: 1, stop: 6, hasMore: false });
  expect(pageOfObservations(all, { ...whole, since: 99 })).toEqual({ start: 5, stop: 6, hasMore: false });
  expect(pageOfObservations(all, { ...whole, until: 30, afterBlock: 2 })).toEqual({
    start: 2,
    stop: 4,
    hasMore: false,
  });
  expect(pageOfObservations(all, { ...whole, afterBlock: 9 })).toEqual({ start: 6, stop: 6, hasMore: false });
  expect(pageOfObservations(all, { ...whole, limit: 3 })).toEqual({ start: 0, stop: 4, hasMore: true });
});

test('default: a tally counts each state and keeps the worst value, the earliest of those that are as bad', () => {
  const document = documentOf({ kind: 'idle_share', at_least_bps: 500 });
  const status = (block: number, state: 'held' | 'broken' | 'unknown', value: number | null) => [
    {
      promise_id: 'p0',
      kind: 'idle_share' as const,
      bound: 'at_least' as const,
      limit: 500,
      unit: 'bps' as const,
      on_breach: 'warn' as const,
      state,
      value,
      headroom: value === null ? null : value - 500,
      subject: null,
      observed: { block_number: block, time: '2026-01-01T00:00:00.000Z' },
    },
  ];
  const seen = [status(1, 'held', 600), status(2, 'broken', 400), status(3, 'unknown', null), status(4, 'broken', 400)];
  expect(seen.reduce(nextTallies, emptyTallies(document))).toEqual([
    {
      promise_id: 'p0',
      kind: 'idle_share',
      bound: 'at_least',
      limit: 500,
      unit: 'bps',
      states: { held: 1, warned: 0, broken: 2, unknown: 1 },
      worst: { block_number: 2, time: '2026-01-01T00:00:00.000Z', value: 400, subject: null },
    },
  ]);
});
