import type { Place } from '../figure.ts';
import type { CohortEnds } from '../history.ts';
import { type Holding, holdingAt } from '../ledgers/holder-ledger.ts';
import { least } from '../metric-math.ts';
import { DAY, type Moment } from '../moment.ts';
import { ascending, sum } from '../ratio.ts';
import { countUntil, lastAtTime, within } from '../timeline.ts';
import type { Standing } from './holders.ts';

/** Length of a cohort; weeks begin on Monday, both in UTC. */
export type Interval = 'week' | 'month';

/** The period a time lies in: ISO weeks begin on Monday, months on the first, 00:00 UTC. */
export function periodStart(time: number, interval: Interval): number {
  const midnight = Math.floor(time / DAY) * DAY;
  const date = new Date(midnight * 1000);
  if (interval === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
  return midnight - ((date.getUTCDay() + 6) % 7) * DAY;
}

/** Start of the period after one, in Unix seconds (UTC). */
export function nextPeriod(start: number, interval: Interval): number {
  if (interval === 'week') return start + 7 * DAY;
  const date = new Date(start * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000;
}

/** A group by the period of the first deposit. `ends` are the ends of its periods so far, the last one perhaps still to come. */
export type Cohort = {
  interval: Interval;
  start: number;
  members: Standing[];
  ends: number[];
  isComplete: boolean;
};

/** A year of weeks: older cohorts say little about today, and a table without end would cost without end. */
const COHORTS = 53;

/** Groups of depositors, oldest first; the newest 53 periods. */
export function cohortsOf(moment: Moment, people: readonly Standing[], interval: Interval): Cohort[] {
  const groups = new Map<number, Standing[]>();
  for (const person of people) {
    const first = person.holder.firstDeposit;
    if (!first || first.block > moment.block) continue;
    const start = periodStart(first.time, interval);
    const group = groups.get(start);
    if (group) group.push(person);
    else groups.set(start, [person]);
  }
  return [...groups.entries()]
    .sort(([a], [b]) => a - b)
    .slice(-COHORTS)
    .map(([start, members]) => {
      const ends: number[] = [];
      for (let at = start; at < moment.time; at = nextPeriod(at, interval)) ends.push(nextPeriod(at, interval));
      return { interval, start, members, ends, isComplete: (ends.at(-1) ?? 0) <= moment.time };
    });
}

/** What somebody held at the end of a period. */
export const heldAt = (moment: Moment, { holder }: Standing, end: number): Holding | undefined =>
  holdingAt(holder, Math.min(end - 1, moment.time), moment.block);

type AtEnd = { readonly held: readonly bigint[]; readonly kept: bigint };

function atEnd(moment: Moment, { members }: Cohort, bought: readonly bigint[], end: number): AtEnd {
  const held = members.map((person) => heldAt(moment, person, end)?.shares ?? 0n);
  return { held, kept: sum(held.map((shares, at) => least(shares, bought[at] as bigint))) };
}

/** Shares each member bought in the cohort's first period. */
const boughtOf = (moment: Moment, { members, ends }: Cohort): bigint[] =>
  members.map(({ holder }) => lastAtTime(holder.lots, (ends[0] ?? moment.time) - 1, moment.block)?.toShares ?? 0n);

/** What the periods of a cohort that are over ended with. It is kept with the history: each is worked out once. */
function endsOver(moment: Moment, cohort: Cohort): CohortEnds {
  const { cohortEnds } = moment.history;
  const key = `${cohort.interval} ${cohort.start}`;
  const members = cohort.members.map(({ holder }) => holder);
  const known = cohortEnds.get(key);
  const isOfThem = known?.members.length === members.length && members.every((one, at) => one === known.members[at]);
  const ends = isOfThem ? known : { members, ascending: [], kept: [] };
  cohortEnds.set(key, ends);
  const over = countUntil(cohort.ends, (end) => end, moment.time);
  const bought = over > ends.kept.length ? boughtOf(moment, cohort) : [];
  for (let age = ends.kept.length; age < over; age += 1) {
    const { held, kept } = atEnd(moment, cohort, bought, cohort.ends[age] as number);
    ends.ascending.push(ascending(held));
    ends.kept.push(kept);
  }
  return ends;
}

/** How many of the cohort hold more than dust at the end of each period. */
export function stayed(moment: Moment, cohort: Cohort, dust: bigint): number[] {
  const over = endsOver(moment, cohort);
  return cohort.ends.map((end, age) => {
    const held = over.ascending[age];
    if (end > moment.time || !held)
      return cohort.members.filter((person) => (heldAt(moment, person, end)?.shares ?? 0n) > dust).length;
    return held.length - countUntil(held, (shares) => (shares > dust ? 1 : 0), 0);
  });
}

/** Shares each member bought in the cohort's first period, with the last deposit of it; in the order of the members. */
export function boughtBy(moment: Moment, cohort: Cohort): Map<string, { shares: bigint; at: Place | undefined }> {
  const bought = new Map<string, { shares: bigint; at: Place | undefined }>();
  for (const { holder } of cohort.members) bought.set(holder.address, { shares: 0n, at: undefined });
  const end = cohort.ends[0] ?? moment.time;
  for (const flow of within(moment.history.flows.flows.deposit, cohort.start - 1, end - 1, moment.block)) {
    const before = bought.get(flow.wallet);
    if (before !== undefined) bought.set(flow.wallet, { shares: before.shares + flow.shares, at: flow });
  }
  return bought;
}

/** Of the shares bought in the first period, how many are still held at the end of each; nobody counts for more than they bought. */
export function sharesRetained(moment: Moment, cohort: Cohort): { bought: bigint; kept: bigint[] } {
  const bought = boughtOf(moment, cohort);
  const over = endsOver(moment, cohort);
  const kept = cohort.ends.map((end, age) =>
    end > moment.time ? atEnd(moment, cohort, bought, end).kept : (over.kept[age] as bigint),
  );
  return { bought: sum(bought), kept };
}
