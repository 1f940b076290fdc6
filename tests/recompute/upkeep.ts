import { amount, type ChainEvent, type ChainRecord, named } from './chain-record.ts';
import { ratio, sum, within } from './numbers.ts';
import { observationsOf } from './prices.ts';
import { DAY } from './time.ts';

const total = (events: ChainEvent[]): bigint => sum(events.map((event) => amount(event, 'amount')));
const moved = (record: ChainRecord, name: string) => named(record, 'aggregator', name);

/** The balance that pays for prices, from what was put in, spent and taken out. */
export const upkeepBalance = (record: ChainRecord): bigint =>
  total(moved(record, 'UpkeepDeposited')) -
  total(moved(record, 'UpkeepSpent')) -
  total(moved(record, 'UpkeepWithdrawn'));

/** The interval in force, and when it began. */
export function minimumInterval(record: ChainRecord): { seconds: bigint; since: bigint } {
  const changed = named(record, 'aggregator', 'MinUpdateIntervalChanged').at(-1);
  const since = observationsOf(record)[0]?.time ?? record.time;
  if (!changed) return { seconds: record.terms.minUpdateInterval, since };
  return { seconds: amount(changed, 'newMinUpdateInterval'), since: changed.time };
}

/** Reports of the last `seconds`, by the time inside them, or since the vault began. */
function cadence(record: ChainRecord, seconds: bigint, notBefore: bigint) {
  const from = record.time - seconds > notBefore ? record.time - seconds : notBefore;
  const reports = observationsOf(record).filter(({ source }) => source === 'oracle');
  return { reports: BigInt(within(reports, from, record.time).length), seconds: record.time - from };
}

/** In a window that the vault has not filled yet, one report is no pace. */
const isPace = ({ reports, seconds }: { reports: bigint; seconds: bigint }, whole: bigint) =>
  reports >= (seconds < whole ? 2n : 1n);

/** Balance, what it pays for, and how long it lasts. */
export function upkeepFigures(record: ChainRecord, from: bigint, to: bigint) {
  const inception = observationsOf(record)[0]?.time ?? record.time;
  const interval = minimumInterval(record);
  const week = cadence(record, 7n * DAY, inception);
  const day = cadence(record, DAY, interval.since);
  const balance = upkeepBalance(record);
  const lastSpent = moved(record, 'UpkeepSpent').at(-1);
  const cost = lastSpent ? amount(lastSpent, 'amount') : null;
  const lasts = (reports: bigint, seconds: bigint) =>
    cost === null || cost === 0n || reports === 0n ? null : Number((balance * seconds) / (cost * reports));
  return {
    updates_per_day: isPace(day, DAY) ? ratio(day.reports * DAY, day.seconds) : null,
    updates_per_day_7d: isPace(week, 7n * DAY) ? ratio(week.reports * DAY, week.seconds) : null,
    upkeep: {
      balance: `${balance}`,
      spent: `${total(within(moved(record, 'UpkeepSpent'), from, to))}`,
      deposited: `${total(within(moved(record, 'UpkeepDeposited'), from, to))}`,
      cost_per_update: cost === null ? null : `${cost}`,
      runway_seconds: lasts(day.reports, day.seconds),
      runway_7d_seconds: isPace(week, 7n * DAY) ? lasts(week.reports, week.seconds) : null,
      runway_worst_case_seconds: lasts(1n, interval.seconds),
    },
  };
}
