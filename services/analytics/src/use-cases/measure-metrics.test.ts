import {
  type AlertMetric,
  alertMetricNames,
  alertMetrics,
  MandateDocument,
  MeasureMetrics,
  type Metric,
  type MetricValue,
  type ResultOf,
  routes,
} from '@castellan/contracts';
import { runs } from '@castellan/testkit';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CHAIN, DAY, HOUR, START, wallet } from '../domain/chain-log.fixture.ts';
import { judgeOf } from '../domain/mandate/judge.ts';
import { momentOf } from '../domain/moment.fixture.ts';
import type { Observation } from '../domain/observation.ts';
import { played, steps } from '../domain/random-vault.fixture.ts';
import { isoOf } from '../domain/timeline.ts';
import { VaultLog } from '../domain/vault-log.fixture.ts';
import { historiesAt, historiesOf } from './histories.fixture.ts';
import { measureMetrics } from './measure-metrics.ts';
import { reads } from './reads.fixture.ts';

const generationOf = async () => 3;
const asked = (vault: VaultLog, params: object, nowMs = () => 0) =>
  measureMetrics({ histories: historiesOf(vault), generationOf, nowMs })(
    MeasureMetrics.params.parse({
      chain_id: CHAIN,
      vault_address: vault.vault,
      since: isoOf(0),
      readings: alertMetricNames.map((metric) => ({ metric, ago_seconds: 0 })),
      ...params,
    }),
  ).then((page): ResultOf<typeof MeasureMetrics> => MeasureMetrics.result.parse(page));

const promises = {
  price_age: { at_most_seconds: 1 },
  idle_share: { at_least_bps: 0 },
  source_share: { at_most_bps: 0 },
} as const;

/** What a promise of the kind measures at the last observation. */
function promised(vault: VaultLog, kind: keyof typeof promises, block: number): number | null {
  const promise = { id: 'p', kind, ...promises[kind] };
  const { history } = momentOf(vault, { block });
  const seen = history.observations.findLast((each) => each.block <= block) as Observation;
  const document = MandateDocument.parse({ format: 1, title: 'Test', promises: [promise] });
  return judgeOf(document)(history, seen)[0]?.value ?? null;
}

/** The field of the answer about the block that the registry names. */
async function answered(vault: VaultLog, metric: AlertMetric, block: number): Promise<MetricValue | null> {
  const { source }: Metric = alertMetrics[metric];
  if ('promise' in source) return promised(vault, source.promise as keyof typeof promises, block);
  const { action } = routes[source.read as keyof typeof routes];
  const found = Object.values(reads).find((each) => each.action === action);
  const histories = historiesAt(momentOf(vault, { block }));
  const answer = await found?.read({ histories }, { chain_id: CHAIN, vault_address: vault.vault });
  const field = (part: unknown, name: string): unknown => (part as Record<string, unknown> | null)?.[name] ?? null;
  return source.field.split('.').reduce(field, answer as unknown) as MetricValue | null;
}

test.each(alertMetricNames)('property: %s is what the answer that it names says about the block', async (metric) => {
  let known = false;
  await fc.assert(
    fc.asyncProperty(steps(60), fc.nat(), async (happened, pick) => {
      const vault = played(happened);
      vault
        .at(vault.chain.time + HOUR)
        .deposit(wallet(1), 1_000_000n)
        .report(vault.pps);
      vault
        .at(vault.chain.time + HOUR)
        .report(vault.pps)
        .request(wallet(1), 1_000n);
      vault.at(vault.chain.time + HOUR).observe({ upkeep_balance: '1000000', upkeep_cost_per_update: '7' });
      const { observations } = await asked(vault, { readings: [{ metric, ago_seconds: 0 }] });
      const one = observations.at(-1 - (pick % 2)) ?? observations.at(-1);
      const answer = await answered(vault, metric, one?.block_number ?? 0);
      // While nobody waits the answer has no age; a rule needs one to compare with.
      expect(one?.values).toEqual([metric === 'redemptions_oldest' ? (answer ?? 0) : answer]);
      known ||= answer !== null;
    }),
    runs(40),
  );
  expect(known).toBe(true);
});

const seen = () => {
  const vault = new VaultLog();
  [10, 20, 30, 40].forEach((assets, n) => {
    vault.at(START + (n + 1) * HOUR).observe({ idle: `${assets}` });
  });
  return vault;
};

describe('pages', () => {
  test('property: pages in any sizes give what one page gives', async () => {
    await fc.assert(
      fc.asyncProperty(steps(40), fc.integer({ min: 1, max: 7 }), async (happened, limit) => {
        const vault = played(happened);
        const whole = await asked(vault, {});
        const pages: (typeof whole)['observations'] = [];
        for (;;) {
          const last = pages.at(-1);
          const page = await asked(vault, { limit, ...(last ? { after_block: last.block_number } : {}) });
          pages.push(...page.observations);
          if (!page.has_more) break;
        }
        expect(pages).toEqual(whole.observations);
      }),
      runs(20),
    );
  });

  test('default: it begins with the last observation before the start, and names the projection', async () => {
    const page = await asked(seen(), {
      since: isoOf(START + 2.5 * HOUR),
      readings: [{ metric: 'sources', ago_seconds: 0 }],
    });
    expect(page).toMatchObject({ generation: 3, has_more: false });
    expect(page.observations.map(({ time }) => time)).toEqual([2, 3, 4].map((n) => isoOf(START + n * HOUR)));
  });

  test('property: from the newest on, pages in any sizes give the same as well', async () => {
    await fc.assert(
      fc.asyncProperty(steps(40), fc.integer({ min: 1, max: 7 }), async (happened, limit) => {
        const vault = played(happened);
        const whole = await asked(vault, {});
        const pages: (typeof whole)['observations'] = [];
        for (;;) {
          const before = pages[0] ? { before_block: pages[0].block_number } : {};
          const page = await asked(vault, { order: 'newest_first', limit, ...before });
          pages.unshift(...page.observations);
          if (!page.has_more) break;
        }
        expect(pages).toEqual(whole.observations);
      }),
      runs(20),
    );
  });

  test('behavior: a page ends early when its figures take long, and says that there is more', async () => {
    let clock = 0;
    // Each look at the clock, two an observation, finds it 150 ms later.
    const nowMs = () => {
      clock += 150;
      return clock;
    };
    const readings = [{ metric: 'sources', ago_seconds: 0 }];
    const hours = (page: ResultOf<typeof MeasureMetrics>) =>
      page.observations.map(({ time }) => (Date.parse(time) / 1000 - START) / HOUR);
    const first = await asked(seen(), { readings }, nowMs);
    expect([hours(first), first.has_more]).toEqual([[1, 2, 3], true]);
    const newest = await asked(seen(), { readings, order: 'newest_first' }, nowMs);
    expect([hours(newest), newest.has_more]).toEqual([[2, 3, 4], true]);
  });

  test.each([
    ['has its turn', 30, 3],
    ['is not waited for', 1, 0],
  ])('behavior: the event loop %s while observations take %i ms each', async (_what, cost, least) => {
    let turns = 0;
    let immediate: NodeJS.Immediate;
    const turn = () => {
      turns += 1;
      immediate = setImmediate(turn);
    };
    immediate = setImmediate(turn);
    let clock = 0;
    const nowMs = () => {
      clock += cost;
      return clock;
    };
    const page = await asked(seen(), { readings: [{ metric: 'sources', ago_seconds: 0 }] }, nowMs);
    clearImmediate(immediate);
    expect(page.observations).toHaveLength(4);
    if (least === 0) expect(turns).toBe(0);
    else expect(turns).toBeGreaterThanOrEqual(least);
  });
});

test('behavior: a value of before is that of the last observation at or before then, null before the first', async () => {
  const vault = new VaultLog().observe();
  vault
    .at(START + HOUR)
    .deposit(wallet(1), 1_000_000n)
    .observe();
  vault
    .at(START + 2 * HOUR)
    .deposit(wallet(2), 1_000_000n)
    .observe();
  vault.at(START + DAY).observe();
  const readings = [0, HOUR, 90 * 60].map((ago_seconds) => ({ metric: 'depositors', ago_seconds }));
  const { observations } = await asked(vault, { readings });
  expect(observations.map(({ values }) => values)).toEqual([
    [0, null, null],
    [1, 0, null],
    [2, 1, 0],
    [2, 2, 2],
  ]);
});
