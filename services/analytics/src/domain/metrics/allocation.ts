import { allocationShares } from '@castellan/chain';
import { type Figure, figure, type Input } from '../figure.ts';
import { herfindahl } from '../methods.ts';
import { type Moment, observationAt } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { ratio, sum } from '../ratio.ts';

/** One place where assets are. Idle assets are named by the vault's strategy, which holds them. */
export type Bucket = { address: string; kind: 'source' | 'idle'; assets: bigint | null; share: number | null };

/** Where the assets were at an observation, idle last. Shares sum to 1; null when a source could not be valued. */
export function bucketsOf(seen: Observation, strategy: string): Bucket[] {
  const amounts = [...seen.sources.map(({ assets }) => assets), seen.idle];
  const shares = allocationShares(amounts);
  const places = [
    ...seen.sources.map(({ address }) => ({ address, kind: 'source' as const })),
    { address: strategy, kind: 'idle' as const },
  ];
  return places.map((place, index) => ({ ...place, assets: amounts[index] ?? null, share: shares[index] ?? null }));
}

/** Assets in all places; null when one could not be valued. */
export function totalOf(seen: Observation): bigint | null {
  const amounts = seen.sources.map(({ assets }) => assets);
  return amounts.some((amount) => amount === null) ? null : seen.idle + sum(amounts as bigint[]);
}

/** Active sources: those that hold something. */
export const activeSources = (seen: Observation): number =>
  seen.sources.filter(({ assets }) => (assets ?? 0n) > 0n).length;

/** Addresses of the sources at the last observation. */
export const activeSourcesOf = (moment: Moment): string[] =>
  (observationAt(moment)?.sources ?? []).map(({ address }) => address);

export type Concentration = {
  hhi: Figure;
  points: Figure;
  hhiDeployed: Figure;
  effective: Figure;
  normalised: Figure;
  band: 'low' | 'medium' | 'high' | null;
};

const bandOf = (hhi: number | null) => (hhi === null ? null : hhi < 0.1 ? 'low' : hhi < 0.18 ? 'medium' : 'high');

function amountInputs(buckets: readonly Bucket[], seen: Observation): Input[] {
  return buckets.map(({ address, assets }) => ({
    name: 'amount',
    value: assets,
    unit: 'asset base units',
    at: seen,
    source: `state_observed: ${address}`,
  }));
}

/** Herfindahl-Hirschman index of where the assets are, at the last observation. */
export function concentration(moment: Moment): Concentration {
  const seen = observationAt(moment);
  const buckets = seen ? bucketsOf(seen, moment.history.identity.strategy) : [];
  const known = buckets.length > 0 && buckets.every(({ assets }) => assets !== null);
  const deployed = buckets.filter(({ kind }) => kind === 'source');
  const of = (
    method: 'hhi' | 'hhi_points' | 'effective_number' | 'hhi_normalised',
    over: readonly Bucket[],
  ): Figure => {
    const amounts = over.map(({ assets }) => assets ?? 0n);
    const hhi = known ? herfindahl(amounts) : null;
    const n = amounts.length;
    const values = {
      hhi,
      hhi_points: hhi === null ? null : hhi * 10_000,
      effective_number: hhi === null ? null : 1 / hhi,
      hhi_normalised: hhi === null ? null : n < 2 ? 1 : (hhi - 1 / n) / (1 - 1 / n),
    };
    return figure({
      value: values[method],
      unit: method === 'effective_number' ? 'sources' : 'index',
      method,
      observed: true,
      reason: seen ? null : 'nothing has been observed yet',
      sampleSize: known ? n : 0,
      inputs: () => (seen ? amountInputs(over, seen) : []),
    });
  };
  const hhi = of('hhi', buckets);
  return {
    hhi,
    points: of('hhi_points', buckets),
    hhiDeployed: of('hhi', deployed),
    effective: of('effective_number', buckets),
    normalised: of('hhi_normalised', buckets),
    band: bandOf(hhi.value as number | null),
  };
}

/** Each place's part of the index. */
export const contribution = ({ assets }: Bucket, total: bigint | null): number | null =>
  assets === null || total === null || total === 0n ? null : ratio(assets * assets, total * total);
