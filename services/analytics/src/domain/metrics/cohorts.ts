import type { Place } from '../figure.ts';
import { type Holding, holdingAt } from '../ledgers/holder-ledger.ts';
import { DAY, type Moment } from '../moment.ts';
import { sum } from '../ratio.ts';
import { within } from '../timeline.ts';
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
export type Cohort = { start: number; members: Standing[]; ends: number[]; isComplete: boolean };

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
      return { start, members, ends, isComplete: (ends.at(-1) ?? 0) <= moment.time };
    });
}

/** What somebody held at the end of a period. */
export const heldAt = (moment: Moment, { holder }: Standing, end: number): Holding | undefined =>
  holdingAt(holder, Math.min(end - 1, moment.time), moment.block);

const atEnd = (moment: Moment, person: Standing, end: number): bigint => heldAt(moment, person, end)?.shares ?? 0n;

/** How many of the cohort hold more than dust at the end of each period. */
export const stayed = (moment: Moment, cohort: Cohort, dust: bigint): number[] =>
  cohort.ends.map((end) => cohort.members.filter((person) => atEnd(moment, person, end) > dust).length);

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
  const bought = boughtBy(moment, cohort);
  const keptAt = (end: number): bigint =>
    sum(
      cohort.members.map((person) => {
        const held = atEnd(moment, person, end);
        const most = bought.get(person.holder.address)?.shares ?? 0n;
        return held < most ? held : most;
      }),
    );
  return { bought: sum([...bought.values()].map(({ shares }) => shares)), kept: cohort.ends.map(keptAt) };
}
