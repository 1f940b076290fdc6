/**
 * What a read of analytics costs when a vault's log is short and when it is long, and how fast the log is projected:
 * `node bench/analytics.ts [events of the first] [events of the second]`. Goal: the second's p95 at most 1.5 times the first's; the first
 * read after a start within 300 ms at 100 000 events.
 * Both are three years old, the same people come on the same days, fees are taken once a week, and series are asked for with fewer
 * points than either has observations, so that their answers are of one size; the second has a hundred times as many entries for
 * each day. Processor time is the service's: it says the same on a machine that does other work too.
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
import { cpuMsOf } from './processes.ts';

const GOAL = 1.5;
const FIRST_READ_GOAL_MS = 300;
/** Where even the shorter log has more observations. */
const points = 24;
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
  ['pps', GetPps, { period: '30d', points }],
  ['pps, all', GetPps, { period: 'all', points: 200 }],
  ['pps/what-if', GetPpsWhatIf, {}],
  ['performance', GetPerformance, { period: '30d' }],
  ['performance/apy', GetApySeries, { period: '90d', points }],
  ['performance/tvl', GetTvlSeries, { period: '90d', points }],
  ['performance/tvl, all', GetTvlSeries, { period: 'all', points: 200 }],
  ['allocation', GetAllocationSeries, { period: '30d', points }],
  ['risk', GetRisk, {}],
  ['risk/concentration', GetConcentration, {}],
  ['risk/drawdown', GetDrawdown, { period: '90d', points }],
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

/** What one read costs, milliseconds: p95 as the caller waits, processor time of the service a call; and the size of its answer. */
type Cost = { p95: number; cpu: number; bytes: number };

/** The cost of a read that is asked for another moment of the last week each time: nothing can be remembered. */
async function costOf(
  system: AnalyticsSystem,
  action: Action,
  more: Record<string, unknown>,
  asOf: number,
): Promise<Cost> {
  const spent: number[] = [];
  let bytes = 0;
  let cpu = 0;
  for (let index = -WARM_UP; index < CALLS; index += 1) {
    if (index === 0) cpu = cpuMsOf(system.pid());
    const back = ((index + WARM_UP) * 7_919) % 604_800;
    const at = new Date(asOf - back * 1_000).toISOString();
    const started = performance.now();
    const result = await system.call(action, { ...vault, ...more, at } as InputOf<Action>, 60_000);
    if (index < 0) bytes = JSON.stringify(result).length;
    else spent.push(performance.now() - started);
  }
  const used = cpuMsOf(system.pid()) - cpu;
  const ascending = spent.sort((a, b) => a - b);
  return { p95: atPercent(ascending, 95), cpu: used / CALLS, bytes };
}

/** Milliseconds that the first read after a start takes. */
async function firstRead(system: AnalyticsSystem): Promise<number> {
  await system.restart();
  const started = performance.now();
  await system.call(GetOverview, vault, 60_000);
  return performance.now() - started;
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

type Measured = {
  events: number;
  projected: number;
  inserted: number;
  costs: Map<string, Cost>;
  firstReadMs: number;
};

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
      const costs = new Map<string, Cost>();
      for (const [name, action, more] of reads) costs.set(name, await costOf(system, action, more, Date.parse(as_of)));
      return { events, projected, inserted, costs, firstReadMs: await firstRead(system) };
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
        .map((cell) => cell.padStart(13))
        .join('')}\n`,
    );
  process.stdout.write(
    `\nanalytics, one vault, ${people} people, ${CALLS} calls each, p95 and processor time of the service in ms\n`,
  );
  line(
    'read',
    `${first.events} events`,
    `${second.events}`,
    'ratio',
    `goal ${GOAL}`,
    'processor',
    '',
    'ratio',
    'kB',
    '',
  );
  for (const [name, before] of first.costs) {
    const after = second.costs.get(name) as Cost;
    const ratio = after.p95 / before.p95;
    const ofCpu = after.cpu / before.cpu;
    const about = `${name} at ${second.events} events to ${first.events}`;
    recordFigure({ name: `p95 of ${about}`, unit: 'ratio', value: ratio, goal: GOAL });
    recordFigure({ name: `processor time of ${about}`, unit: 'ratio', value: ofCpu, goal: GOAL });
    const times = [before.p95.toFixed(1), after.p95.toFixed(1), ratio.toFixed(2), ratio <= GOAL ? 'met' : 'MISSED'];
    const kB = [before, after].map(({ bytes }) => (bytes / 1_000).toFixed(1));
    line(name, ...times, before.cpu.toFixed(2), after.cpu.toFixed(2), ofCpu.toFixed(2), ...kB);
  }
  for (const { events, firstReadMs } of [first, second]) {
    const goal = events <= 100_000 ? FIRST_READ_GOAL_MS : undefined;
    recordFigure({ name: `first read after a start, ${events} events`, unit: 'ms', value: firstReadMs, goal });
    process.stdout.write(`first read after a start, ${events}: ${firstReadMs.toFixed(0)} ms\n`);
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
