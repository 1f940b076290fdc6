import { account, amount, type ChainRecord, named, remembered } from './chain-record.ts';
import { dustOf, firstHeld, holdingsOf } from './holders.ts';
import { lastAt, ratio, sum } from './numbers.ts';
import { DAY } from './time.ts';

export type Interval = 'week' | 'month';

/** 1970-01-01 was a Thursday. */
const MONDAY = 4n * DAY;

function monthOf(time: bigint, later = 0): bigint {
  const date = new Date(Number(time) * 1000);
  return BigInt(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1) / 1000);
}

/** First second of the period that a time is in. */
export const startOf = (interval: Interval, time: bigint): bigint =>
  interval === 'month' ? monthOf(time) : ((time - MONDAY) / (7n * DAY)) * 7n * DAY + MONDAY;

/** First second after the k-th period from `start`. */
export const endOf = (interval: Interval, start: bigint, k: number): bigint =>
  interval === 'month' ? monthOf(start, k + 1) : start + BigInt(k + 1) * 7n * DAY;

/** First deposit of each wallet that ever was a holder. */
const firstDeposits = remembered((record: ChainRecord): Map<string, bigint> => {
  const first = new Map<string, bigint>();
  for (const event of named(record, 'vault', 'Deposit')) {
    const who = account(event, 'owner');
    if (!first.has(who) && firstHeld(record, who)) first.set(who, event.time);
  }
  return first;
});

type Cell = { age: number; ended: boolean; members: number; kept: number; base: bigint; left: bigint };
export type Cohort = { start: bigint; size: number; cells: Cell[] };

/** Shares that a wallet bought in (start, end]: what it could leave with. */
const boughtIn = (record: ChainRecord, who: string, start: bigint, end: bigint): bigint =>
  sum(
    named(record, 'vault', 'Deposit')
      .filter((event) => account(event, 'owner') === who && event.time >= start && event.time < end)
      .map((event) => amount(event, 'shares')),
  );

/** Cohorts by the period of the first deposit, oldest first, with a cell for each period since. */
export function cohortsOf(record: ChainRecord, interval: Interval): Cohort[] {
  const byStart = new Map<bigint, string[]>();
  for (const [who, time] of firstDeposits(record)) {
    const start = startOf(interval, time);
    byStart.set(start, [...(byStart.get(start) ?? []), who]);
  }
  const dust = dustOf(record);
  const heldAt = (who: string, time: bigint) => lastAt(holdingsOf(record).get(who) ?? [], time)?.shares ?? 0n;
  return [...byStart]
    .sort(([a], [b]) => Number(a - b))
    .map(([start, members]) => {
      const cells: Cell[] = [];
      const bases = members.map((who) => boughtIn(record, who, start, endOf(interval, start, 0)));
      for (let age = 0; age === 0 || endOf(interval, start, age - 1) <= record.time; age += 1) {
        const end = endOf(interval, start, age);
        // The end of a period is the last second before the next.
        const at = end - 1n < record.time ? end - 1n : record.time;
        const held = members.map((who) => heldAt(who, at));
        const left = held.map((shares, index) => {
          const base = bases[index] as bigint;
          return shares < base ? shares : base;
        });
        const kept = held.filter((shares) => shares > dust).length;
        cells.push({
          age,
          ended: end <= record.time,
          members: members.length,
          kept,
          base: sum(bases),
          left: sum(left),
        });
      }
      return { start, size: members.length, cells };
    });
}

/** All cohorts by age, weighted by size; periods that have not ended are left out. */
export function retentionByAge(record: ChainRecord, interval: Interval) {
  const cells = cohortsOf(record, interval).flatMap((cohort) => cohort.cells.filter(({ ended }) => ended));
  const ages = [...new Set(cells.map(({ age }) => age))].sort((a, b) => a - b);
  return ages.map((age) => {
    const of = cells.filter((cell) => cell.age === age);
    const base = of.reduce((total, { members }) => total + members, 0);
    const shares = sum(of.map((cell) => cell.base));
    return {
      age,
      cohorts: of.length,
      base,
      by_count: base ? of.reduce((total, { kept }) => total + kept, 0) / base : null,
      by_shares: shares ? ratio(sum(of.map(({ left }) => left)), shares) : null,
    };
  });
}
