import { mulDivDown } from '@castellan/chain';
import { type Figure, figure, type Input } from '../figure.ts';
import { HOUR, type Moment, observationAt, ppsNow } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { ascending, quantile, ratio, sum } from '../ratio.ts';
import { totalOf } from './allocation.ts';
import { byShares, type Standing } from './holders.ts';

/** What a source would pay out at once: never more than is held there; null when it does not tell. */
const payable = ({ assets, available }: Observation['sources'][number]): bigint | null =>
  assets === null || available === null ? null : available < assets ? available : assets;

/** What can be paid within the hour: idle assets and what sources pay out at once. Null when nothing was observed. */
export function instantAssets(seen: Observation | undefined): bigint | null {
  if (!seen) return null;
  return seen.idle + sum(seen.sources.map((source) => payable(source) ?? 0n));
}

function liquidityInputs(seen: Observation, name: string): Input[] {
  const place = { time: seen.time, block: seen.block };
  return [
    { name, value: seen.idle, unit: 'asset base units', at: place, source: 'state_observed: idle' },
    ...seen.sources.map((source) => ({
      name,
      value: payable(source) ?? 0n,
      unit: 'asset base units',
      at: place,
      source: `state_observed: min(position, available) of ${source.address}`,
    })),
  ];
}

export function instantFigure(moment: Moment): Figure {
  const seen = observationAt(moment);
  return figure({
    value: instantAssets(seen),
    unit: 'asset base units',
    method: 'sum',
    observed: true,
    reason: seen ? null : 'nothing has been observed yet',
    sampleSize: seen ? seen.sources.length + 1 : 0,
    inputs: () => (seen ? liquidityInputs(seen, 'added') : []),
  });
}

function shareOf(numerator: bigint | null, denominator: bigint | null, about: string): Figure {
  return figure({
    value: numerator === null || denominator === null || denominator === 0n ? null : ratio(numerator, denominator),
    unit: 'fraction',
    method: 'ratio',
    observed: true,
    reason: 'nothing has been observed yet',
    inputs: () => [
      {
        name: 'numerator',
        value: numerator,
        unit: 'asset base units',
        source: 'state_observed: idle + min(position, available)',
      },
      { name: 'denominator', value: denominator, unit: 'asset base units', source: about },
    ],
  });
}

/** Instantly payable assets over all assets. */
export function instantShare(moment: Moment): Figure {
  const seen = observationAt(moment);
  return shareOf(instantAssets(seen), seen ? totalOf(seen) : null, 'state_observed: all positions');
}

/** What a holder's shares are worth at the accepted price. */
export function worth(moment: Moment, shares: bigint): bigint {
  const { precision } = moment.history;
  const pps = ppsNow(moment)?.pps;
  return precision === undefined || pps === undefined ? 0n : mulDivDown(shares, pps, precision);
}

/** Can the k largest holders be paid at once? 1 and more: yes. */
export function coverage(moment: Moment, holders: readonly Standing[], k: number): Figure {
  const claims = byShares(holders)
    .slice(0, k)
    .map(({ now }) => worth(moment, now?.shares ?? 0n));
  return shareOf(instantAssets(observationAt(moment)), sum(claims), `value of the ${k} largest holders`);
}

export type Rung = { bucket: 'now' | '1h' | '1d' | '7d' | 'longer' | 'unknown'; assets: bigint; share: number | null };

/** Assets by how soon they can be paid out. What no source tells is its own rung. */
export function ladderOf(seen: Observation | undefined): Rung[] {
  if (!seen) return [];
  const soon = sum(seen.sources.map((source) => payable(source) ?? 0n));
  const held = sum(seen.sources.map(({ assets }) => assets ?? 0n));
  const total = seen.idle + held;
  const share = (assets: bigint) => (total === 0n ? null : ratio(assets, total));
  const rungs: [Rung['bucket'], bigint][] = [
    ['now', seen.idle],
    ['1h', soon],
    ['1d', 0n],
    ['7d', 0n],
    ['longer', 0n],
    ['unknown', held - soon],
  ];
  return rungs.map(([bucket, assets]) => ({ bucket, assets, share: share(assets) }));
}

/** Net outflow of each UTC day of the last `days`, as a fraction of the assets; its 95 % quantile. */
export function dailyOutflow(moment: Moment, days: number, assets: bigint): Figure {
  const { flows } = moment.history;
  const day = 24 * HOUR;
  const first = Math.max(Math.ceil(moment.history.identity.time / day), Math.floor(moment.time / day) - days);
  const sample: { value: bigint; from: number }[] = [];
  for (let at = first; (at + 1) * day <= moment.time; at += 1) {
    const of = (kind: 'deposit' | 'entry_fee' | 'fulfilment') =>
      flows.totals(kind, at * day - 1, (at + 1) * day - 1, moment.block).assets;
    const out = of('fulfilment') - of('deposit') + of('entry_fee');
    sample.push({ value: out > 0n ? out : 0n, from: at * day });
  }
  const worst = quantile(ascending(sample.map(({ value }) => value)), 0.95);
  return figure({
    value: worst === undefined || assets === 0n || sample.length < 7 ? null : ratio(worst, assets),
    unit: 'fraction of TVL',
    method: 'ratio',
    reason: 'fewer than seven whole days',
    window: sample.length > 0 ? { from: first * day, to: Math.floor(moment.time / day) * day } : null,
    sampleSize: sample.length,
    inputs: () => [
      {
        name: 'numerator',
        value: worst ?? null,
        unit: 'asset base units',
        source: '95 % quantile of daily net outflow',
      },
      { name: 'denominator', value: assets, unit: 'asset base units', source: 'TVL' },
      ...sample.map(({ value, from }) => ({
        name: 'day',
        value,
        unit: 'asset base units',
        at: { time: from, block: moment.block },
        source: 'RedeemClaimable - Deposit + ManagementFeePaid',
      })),
    ],
  });
}

export type RunResult = {
  demand: bigint;
  paidNow: bigint;
  paidBy: { address: string; assets: bigint; withinSeconds: number }[];
  shortfall: bigint;
  waiting: { wallet: string; asked: bigint; paidNow: bigint; paidLater: bigint; unpaid: bigint }[];
};

export type RunQuestion = {
  claims: readonly { wallet: string; assets: bigint }[];
  idle: bigint;
  sources: readonly { address: string; payable: bigint }[];
  /** Part of what each source would pay that fails to come, in millionths. */
  shockMillionths: bigint;
};

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/**
 * Everybody asks at once, the largest first: idle assets pay at once, then sources within the hour, what is left is a shortfall.
 * Nothing is made or lost: paidNow + what sources pay + shortfall = demand, and so for each who waits.
 */
export function simulateRun({ claims, idle, sources, shockMillionths }: RunQuestion): RunResult {
  const demand = sum(claims.map(({ assets }) => assets));
  const paidNow = lesser(idle, demand);
  let missing = demand - paidNow;
  const paidBy: RunResult['paidBy'] = [];
  for (const source of sources) {
    const assets = lesser(missing, (source.payable * (1_000_000n - shockMillionths)) / 1_000_000n);
    if (assets === 0n) continue;
    paidBy.push({ address: source.address, assets, withinSeconds: HOUR });
    missing -= assets;
  }
  let now = paidNow;
  let later = demand - paidNow - missing;
  const waiting = claims.map(({ wallet, assets }) => {
    const first = lesser(now, assets);
    const second = lesser(later, assets - first);
    now -= first;
    later -= second;
    return { wallet, asked: assets, paidNow: first, paidLater: second, unpaid: assets - first - second };
  });
  return { demand, paidNow, paidBy, shortfall: missing, waiting };
}

/** The run simulator's question about a vault: its largest holders against its last observed positions. */
export function runOf(
  moment: Moment,
  holders: readonly Standing[],
  question: { topHolders: number; shockMillionths: bigint },
): RunResult | null {
  const seen = observationAt(moment);
  if (!seen) return null;
  const claims = byShares(holders)
    .slice(0, question.topHolders)
    .map(({ holder, now }) => ({ wallet: holder.address, assets: worth(moment, now?.shares ?? 0n) }));
  const sources = seen.sources
    .map((source) => ({ address: source.address, payable: payable(source) ?? 0n }))
    .sort((a, b) => (a.payable === b.payable ? 0 : a.payable > b.payable ? -1 : 1));
  return simulateRun({ claims, idle: seen.idle, sources, shockMillionths: question.shockMillionths });
}
