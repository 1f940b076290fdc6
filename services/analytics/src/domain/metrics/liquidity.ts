import { mulDivDown } from '@castellan/chain';
import { type Figure, figure, type Input, type Place } from '../figure.ts';
import { least, left } from '../metric-math.ts';
import { given, HOUR, type Moment, observationAt, ppsNow } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { fractionOf, sumOf, type Term } from '../plain-figures.ts';
import { ascending, quantile, ratio, sum } from '../ratio.ts';
import { totalOf } from './allocation.ts';
import { byShares, type Standing } from './holders.ts';
import { tvlAt } from './tvl.ts';

/** What a source would pay out at once: never more than is held there; null when it does not say. */
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

/** Assets that can be paid out at once, in base units. */
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

/** The same with what it rests on. */
export const worthFigure = (moment: Moment, shares: bigint, held: { at?: Place | undefined; source: string }): Figure =>
  figure({
    value: worth(moment, shares),
    unit: 'asset base units',
    method: 'worth',
    inputs: () => {
      const pps = ppsNow(moment);
      return [
        { name: 'shares', value: shares, unit: 'share base units', ...held },
        { name: 'pps', value: pps?.pps ?? 0n, unit: 'pps', at: pps, source: 'PPSUpdated' },
        given('precision', moment.history.precision ?? 1n, 'pps', 'PPS of 1.0'),
      ];
    },
  });

/** Can the k largest holders be paid at once? 1 and more: yes. */
export function coverage(moment: Moment, holders: readonly Standing[], k: number): Figure {
  const claims = byShares(holders)
    .slice(0, k)
    .map(({ now }) => worth(moment, now?.shares ?? 0n));
  return shareOf(instantAssets(observationAt(moment)), sum(claims), `value of the ${k} largest holders`);
}

/** Assets that can be paid out within a time; `share` is their part of all assets. */
export type Rung = { bucket: 'now' | '1h' | '1d' | '7d' | 'longer' | 'unknown'; assets: Figure; share: Figure };

/** Assets by how soon they can be paid out. What no source reports is its own rung. */
export function ladderOf(moment: Moment): Rung[] {
  const seen = observationAt(moment);
  if (!seen) return [];
  const at = { time: seen.time, block: seen.block };
  const idle: Term = { value: seen.idle, at, source: 'state_observed: idle' };
  const soon = seen.sources.map(
    (source): Term => ({ value: payable(source) ?? 0n, at, source: `state_observed: payable by ${source.address}` }),
  );
  const held = seen.sources.map(
    ({ address, assets }): Term => ({ value: assets ?? 0n, at, source: `state_observed: held in ${address}` }),
  );
  // What one source holds is missing from the whole where it could not be valued: the share of the others would be too high.
  const total = totalOf(seen);
  const reason = total === null ? 'a source could not be valued' : 'there are no assets';
  const rung = (bucket: Rung['bucket'], added: readonly Term[], taken: readonly Term[] = []): Rung => {
    const isPartial = bucket === 'unknown' && total === null;
    const assets = sumOf(added, taken, { observed: true, ...(isPartial ? { status: 'partial', reason } : {}) });
    return {
      bucket,
      assets,
      share: fractionOf(
        { value: assets.value as bigint, at, source: `what can be paid: ${bucket}` },
        { value: total, at, source: 'state_observed: all positions' },
        { observed: true, reason },
      ),
    };
  };
  return [
    rung('now', [idle]),
    rung('1h', soon),
    rung('1d', []),
    rung('7d', []),
    rung('longer', []),
    rung('unknown', held, soon),
  ];
}

/**
 * What the worst day of twenty took out: the 95 % quantile of the net outflow of the last 90 UTC days as a fraction of the
 * assets, and what of it could not be paid at once today.
 */
export function withdrawalAtRisk(moment: Moment): { h24_p95: Figure; shortfall: Figure } {
  const assets = tvlAt(moment, moment.time)?.assets ?? 0n;
  const { worst, share, days } = dailyOutflow(moment, 90, assets);
  const seen = observationAt(moment);
  const demand = share.value === null ? null : worst;
  return {
    h24_p95: share,
    shortfall: figure({
      value: demand === null || !seen ? null : left(demand, [instantAssets(seen) ?? 0n]),
      unit: 'asset base units',
      method: 'outflow_shortfall',
      observed: true,
      reason: seen ? share.reason : 'nothing has been observed yet',
      inputs: () => (seen ? [...days(), ...liquidityInputs(seen, 'payable')] : []),
    }),
  };
}

/** Net outflow of each UTC day of the last `days`: its 95 % quantile, and that as a fraction of the assets. */
function dailyOutflow(
  moment: Moment,
  days: number,
  assets: bigint,
): { worst: bigint | null; share: Figure; days: () => Input[] } {
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
  const worst = quantile(ascending(sample.map(({ value }) => value)), 0.95) ?? null;
  const inputs = (): Input[] => [
    given('q', 0.95, 'fraction', 'definition'),
    ...sample.map(({ value, from }) => ({
      name: 'day',
      value,
      unit: 'asset base units',
      at: { time: from, block: moment.block },
      source: 'RedeemClaimable - Deposit + ManagementFeePaid',
    })),
  ];
  const share = figure({
    value: worst === null || assets === 0n || sample.length < 7 ? null : ratio(worst, assets),
    unit: 'fraction of TVL',
    method: 'outflow_share',
    reason: 'fewer than seven whole days',
    window: sample.length > 0 ? { from: first * day, to: Math.floor(moment.time / day) * day } : null,
    sampleSize: sample.length,
    inputs: () => [{ name: 'assets', value: assets, unit: 'asset base units', source: 'TVL' }, ...inputs()],
  });
  return { worst, share, days: inputs };
}

/** What somebody asks for, and where the shares are written. */
export type Claim = { wallet: string; shares: bigint; assets: bigint; held?: Place | undefined };

/** Who would be paid in a run on the vault, from what, and what falls short. Base units of the asset. */
export type RunResult = {
  demand: bigint;
  paidNow: bigint;
  paidBy: { address: string; payable: bigint; shock: number; assets: bigint; withinSeconds: number }[];
  shortfall: bigint;
  waiting: (Omit<Claim, 'assets'> & { asked: bigint; paidNow: bigint; paidLater: bigint; unpaid: bigint })[];
};

/** Claims that are made at once, and what there is to pay them. Base units of the asset. */
export type RunQuestion = {
  claims: readonly Claim[];
  idle: bigint;
  sources: readonly { address: string; payable: bigint }[];
  /** Part of what each source would pay that fails to come, in millionths. */
  shockMillionths: bigint;
};

/**
 * Everybody asks at once, the largest first: idle assets pay at once, then sources within the hour, what is left is a shortfall.
 * Nothing is made or lost: paidNow + what sources pay + shortfall = demand, and so for each who waits.
 */
export function simulateRun({ claims, idle, sources, shockMillionths }: RunQuestion): RunResult {
  const demand = sum(claims.map(({ assets }) => assets));
  const paidNow = least(idle, demand);
  let missing = demand - paidNow;
  const paidBy: RunResult['paidBy'] = [];
  for (const source of sources) {
    const most = (source.payable * (1_000_000n - shockMillionths)) / 1_000_000n;
    const assets = least(missing, most);
    if (assets === 0n) continue;
    paidBy.push({ ...source, shock: Number(shockMillionths) / 1_000_000, assets, withinSeconds: HOUR });
    missing -= assets;
  }
  let now = paidNow;
  let later = demand - paidNow - missing;
  const waiting = claims.map(({ wallet, shares, assets, held }) => {
    const first = least(now, assets);
    const second = least(later, assets - first);
    now -= first;
    later -= second;
    return { wallet, shares, held, asked: assets, paidNow: first, paidLater: second, unpaid: assets - first - second };
  });
  return { demand, paidNow, paidBy, shortfall: missing, waiting };
}

/** What the largest holders would ask for; that follows from logs. */
export const claimsOf = (moment: Moment, holders: readonly Standing[], most: number): Claim[] =>
  byShares(holders)
    .slice(0, most)
    .map(({ holder, now }) => {
      const shares = now?.shares ?? 0n;
      return { wallet: holder.address, shares, assets: worth(moment, shares), held: now };
    });

/** What each source would pay out at once, the one that can pay most first. */
export const payableSources = ({ sources }: Observation): { address: string; payable: bigint }[] =>
  sources
    .map((source) => ({ address: source.address, payable: payable(source) ?? 0n }))
    .sort((a, b) => (a.payable === b.payable ? 0 : a.payable > b.payable ? -1 : 1));

/** These claims against the vault's last observed positions; null before the first observation. */
export function runOf(moment: Moment, claims: readonly Claim[], shockMillionths: bigint): RunResult | null {
  const seen = observationAt(moment);
  if (!seen) return null;
  return simulateRun({ claims, idle: seen.idle, sources: payableSources(seen), shockMillionths });
}
