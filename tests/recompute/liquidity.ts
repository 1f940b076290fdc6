import type { ChainRecord } from './chain-record.ts';
import { flowOf } from './flows.ts';
import { ratio, sum } from './numbers.ts';
import type { State } from './state.ts';
import { DAY, midnights } from './time.ts';
import { ranked, worthOf } from './top-holders.ts';
import { assetsAt } from './tvl.ts';

/** Idle assets, and what each source can pay of the vault's position. */
export const instantOf = ({ idle, positions }: State): bigint => idle + sum(positions.map(({ payable }) => payable));

/** How much could be paid at once, against the largest holders and by exit time. */
export function liquidityFigures(record: ChainRecord, state: State) {
  const instant = instantOf(state);
  const all = state.idle + sum(state.positions.map(({ assets }) => assets));
  const wanted = ranked(record).map(({ shares }) => worthOf(record, shares));
  const coverage = (count: number) => {
    const largest = sum(wanted.slice(0, count));
    return largest ? ratio(instant, largest) : null;
  };
  const steps: [string, bigint][] = [
    ['now', state.idle],
    ['1h', instant - state.idle],
    ['1d', 0n],
    ['7d', 0n],
    ['longer', 0n],
    ['unknown', all - instant],
  ];
  return {
    instant_assets: `${instant}`,
    instant_share: all ? ratio(instant, all) : null,
    coverage: { k1: coverage(1), k3: coverage(3), k10: coverage(10) },
    ladder: steps.map(([bucket, assets]) => ({ bucket, assets: `${assets}`, share: all ? ratio(assets, all) : null })),
  };
}

/** Days of history that the tail of outflows is taken from, and the least of them. */
const OUTFLOW_DAYS = 90n;
/** With fewer whole days there is no tail. */
const LEAST_DAYS = 7;

/** Net outflow of each whole day (UTC) before now. */
function outflows(record: ChainRecord, inception: bigint): bigint[] {
  const from = record.time - OUTFLOW_DAYS * DAY;
  return midnights(from > inception ? from : inception, record.time)
    .filter((day) => day - DAY >= inception - DAY)
    .slice(1)
    .map((day) => -flowOf(record, day - DAY, day).net);
}

/** Outflow of a day that 95 % of the days stay below, and what could not be paid of it. */
export function withdrawalAtRisk(record: ChainRecord, state: State | null, inception: bigint) {
  const sample = outflows(record, inception);
  const tvl = assetsAt(record, record.time);
  const sorted = [...sample].sort((a, b) => Number(a > b) - Number(a < b));
  const tail = sorted[Math.max(0, Math.ceil(0.95 * sorted.length) - 1)] ?? 0n;
  const loss = tail > 0n ? tail : 0n;
  const short = state && loss > instantOf(state) ? loss - instantOf(state) : 0n;
  const measurable = tvl !== null && tvl > 0n && sample.length >= LEAST_DAYS;
  return { h24_p95: measurable ? ratio(loss, tvl) : null, shortfall: state && measurable ? `${short}` : null };
}

export type RunQuery = { holders: number; shock: number };

/** Parts per million, so that a shock given as a decimal stays exact. */
const MILLION = 1_000_000n;

/** The largest holders ask for everything at once: idle assets first, then what each source can pay, the largest first. */
export function runOf(record: ChainRecord, state: State, { holders, shock }: RunQuery) {
  const wanted = ranked(record)
    .slice(0, holders)
    .map(({ who, shares }) => ({ who, asked: worthOf(record, shares) }));
  const demand = sum(wanted.map(({ asked }) => asked));
  let left = demand;
  const pay = (most: bigint): bigint => {
    const paid = most < left ? most : left;
    left -= paid;
    return paid;
  };
  const now = pay(state.idle);
  const calm = MILLION - BigInt(Math.round(shock * 1e6));
  const later = [...state.positions]
    .sort((a, b) => Number(b.payable > a.payable) - Number(b.payable < a.payable))
    .map(({ source, payable }) => ({ source, assets: pay((payable * calm) / MILLION) }))
    .filter(({ assets }) => assets > 0n);
  return { wanted, demand, now, later, shortfall: left };
}

/** Who of those that ask is paid when: in the order of their size. */
export function waitingOf({ wanted, now, later }: ReturnType<typeof runOf>) {
  let first = now;
  let second = sum(later.map(({ assets }) => assets));
  return wanted.map(({ who, asked }) => {
    const at_once = asked < first ? asked : first;
    first -= at_once;
    const rest = asked - at_once;
    const afterwards = rest < second ? rest : second;
    second -= afterwards;
    return { who, asked, now: at_once, later: afterwards, unpaid: rest - afterwards };
  });
}
