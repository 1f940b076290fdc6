/**
 * What a read of analytics costs when a vault's log is short and when it is long, and how fast the log is projected:
 * `node bench/analytics.ts [events of the first] [events of the second]`. Goal: the second's p95 at most 1.5 times the first's.
 * Both are three years old, so that their answers are of one size; the second has a hundred times as many entries for each day.
 * The floor that projecting is printed against: an insert of the same entries into one collection, nothing else done.
 */
import {
  type Action,
  ExportPage,
  GetAllocationSeries,
  GetApySeries,
  GetCohorts,
  GetConcentration,
  GetDrawdown,
  GetOperations,
  GetOverview,
  GetPerformance,
  GetPps,
  GetPpsWhatIf,
  GetRetention,
  GetRisk,
  GetTvlSeries,
  GetUsers,
  GetVolatility,
  type InputOf,
  ListFees,
  ListTopHolders,
  ListVaultTransactions,
  RunSimulation,
  routes,
} from '@castellan/contracts';
import { MongoClient } from 'mongodb';
import { SyntheticFeed } from './analytics-log.ts';
import { type AnalyticsSystem, type Store, startAnalytics, startStore, waitFor } from './analytics-system.ts';
import { addresses } from './analytics-vault.ts';
import { recordFigure } from './figures.ts';

const GOAL = 1.5;
const CALLS = 200;
const WARM_UP = 30;
const DAYS = 1_095;
const people = 200;
/** A fixed end, so that every run measures the same entries. */
const endTime = 1_795_000_000;
const small = Number(process.argv[2] ?? 10_000);
const large = Number(process.argv[3] ?? 1_000_000);
const database = `castellan_bench_${process.pid}`;
const vault = { chain_id: 31_337, vault_address: addresses.vault };

const reads: readonly (readonly [string, Action, Record<string, unknown>])[] = [
  ['overview', GetOverview, {}],
  ['pps', GetPps, { period: '30d' }],
  ['pps, all', GetPps, { period: 'all' }],
  ['pps/what-if', GetPpsWhatIf, {}],
  ['performance', GetPerformance, { period: '30d' }],
  ['performance/apy', GetApySeries, { period: '90d' }],
  ['performance/tvl', GetTvlSeries, { period: '90d' }],
  ['performance/tvl, all', GetTvlSeries, { period: 'all' }],
  ['allocation', GetAllocationSeries, { period: '30d' }],
  ['risk', GetRisk, {}],
  ['risk/concentration', GetConcentration, {}],
  ['risk/drawdown', GetDrawdown, { period: '90d' }],
  ['risk/volatility', GetVolatility, { period: '90d' }],
  ['risk/run', RunSimulation, {}],
  ['users', GetUsers, {}],
  ['users/retention', GetRetention, {}],
  ['users/cohorts', GetCohorts, {}],
  ['users/top', ListTopHolders, {}],
  ['operations', GetOperations, { period: '30d' }],
  ['operations, all', GetOperations, { period: 'all' }],
  ['operations/transactions', ListVaultTransactions, { limit: 100 }],
  ['operations/volume', routes.analyticsVolume.action, { period: '90d' }],
  ['fees', ListFees, {}],
  ['export, one page', ExportPage, { dataset: 'transactions', limit: 500 }],
];

const atPercent = (sorted: readonly number[], percent: number): number =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? 0;

/** p95 in milliseconds of one read, asked for another moment of the last week each time: nothing can be remembered. */
async function p95Of(
  system: AnalyticsSystem,
  action: Action,
  more: Record<string, unknown>,
  asOf: number,
): Promise<number> {
  const spent: number[] = [];
  for (let index = -WARM_UP; index < CALLS; index += 1) {
    const back = ((index + WARM_UP) * 7_919) % 604_800;
    const at = new Date(asOf - back * 1_000).toISOString();
    const started = performance.now();
    await system.call(action, { ...vault, ...more, at } as InputOf<Action>, 60_000);
    if (index >= 0) spent.push(performance.now() - started);
  }
  return atPercent(
    spent.sort((a, b) => a - b),
    95,
  );
}

/** Seconds to insert all entries, page by page, into a collection with no index of ours. */
async function plainInsert(feed: SyntheticFeed, store: Store): Promise<number> {
  const client = await MongoClient.connect(store.uri);
  try {
    const db = client.db(`${database}_plain`);
    const started = performance.now();
    for (let at = 0; at < feed.length; ) {
      const page = feed.page(at, 400);
      await db.collection('entries').insertMany(page.map((entry) => ({ ...entry })));
      at = page.at(-1)?.seq ?? feed.length;
    }
    const seconds = (performance.now() - started) / 1_000;
    await db.dropDatabase();
    return seconds;
  } finally {
    await client.close();
  }
}

type Measured = { events: number; projected: number; inserted: number; p95: Map<string, number> };

async function measure(events: number, days: number): Promise<Measured> {
  const options = { entries: events, days, endTime, people };
  const store = await startStore();
  try {
    const inserted = await plainInsert(new SyntheticFeed(options), store);
    const head = lastBlockOf(new SyntheticFeed(options));
    const started = performance.now();
    const system = await startAnalytics(new SyntheticFeed(options), store, database);
    try {
      const isDone = () =>
        system.call(GetOverview, vault, 60_000).then(
          (answer) => answer.block_number >= head,
          () => false,
        );
      await waitFor(isDone, system.ended);
      const projected = (performance.now() - started) / 1_000;
      const { as_of } = await system.call(GetOverview, vault);
      const p95 = new Map<string, number>();
      for (const [name, action, more] of reads) p95.set(name, await p95Of(system, action, more, Date.parse(as_of)));
      return { events, projected, inserted, p95 };
    } finally {
      await system.stop();
    }
  } finally {
    await store.stop();
  }
}

function lastBlockOf(feed: SyntheticFeed): number {
  let last = 0;
  for (let at = 0; at < feed.length; ) {
    const page = feed.page(at, 5_000);
    const entry = page.at(-1);
    last = entry?.block_number ?? last;
    at = entry?.seq ?? feed.length;
  }
  return last;
}

function print(first: Measured, second: Measured): void {
  const line = (...cells: string[]) =>
    process.stdout.write(
      `${(cells[0] ?? '').padEnd(26)}${cells
        .slice(1)
        .map((cell) => cell.padStart(14))
        .join('')}\n`,
    );
  process.stdout.write(`\nanalytics, one vault, ${people} people, ${CALLS} calls each, p95 in ms\n`);
  line('read', `${first.events} events`, `${second.events}`, 'ratio', `goal ${GOAL}`);
  for (const [name, before] of first.p95) {
    const after = second.p95.get(name) ?? 0;
    const ratio = after / before;
    recordFigure({
      name: `p95 of ${name} at ${second.events} events to ${first.events}`,
      unit: 'ratio',
      value: ratio,
      goal: GOAL,
    });
    line(name, before.toFixed(1), after.toFixed(1), ratio.toFixed(2), ratio <= GOAL ? 'met' : 'MISSED');
  }
  for (const { events, projected, inserted } of [first, second]) {
    const own = events / projected;
    const plain = events / inserted;
    recordFigure({ name: `projecting ${events} events`, unit: 'per s', value: own, baseline: plain });
    process.stdout.write(
      `projecting ${events}: ${own.toFixed(0)} events/s, start of the service included; plain insert ${plain.toFixed(0)}/s, ratio ${(own / plain).toFixed(2)}\n`,
    );
  }
}

print(await measure(small, DAYS), await measure(large, DAYS));
