import { allocationShares } from '@castellan/chain';
import { computed, type Figure, figure, type Input } from '../figure.ts';
import { given, type Moment, observationAt } from '../moment.ts';
import type { Observation } from '../observation.ts';
import { amount } from '../plain-figures.ts';
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

/** Whether assets are in a place: the one rule by which sources are counted. */
const holdsAssets = ({ assets }: { assets: bigint | null }): boolean => assets !== null && assets > 0n;

/** Addresses of the sources on the list at the last observation, empty ones too. */
export const listedSources = (moment: Moment): string[] =>
  (observationAt(moment)?.sources ?? []).map(({ address }) => address);

/**
 * Yield sources: `strategies` is the number of those that hold assets, `empty_sources` that of those on the list which hold none.
 * At the last observation; before the first one from logs. Idle assets are no source.
 */
export function sourceCounts(moment: Moment): { strategies: Figure; empty_sources: Figure } {
  const seen = observationAt(moment);
  return seen ? observedCounts(seen) : loggedCounts(moment);
}

function observedCounts(seen: Observation) {
  const isUnvalued = seen.sources.some(({ assets }) => assets === null);
  const count = (counted: (source: { assets: bigint | null }) => boolean): Figure => {
    const sources = seen.sources.filter(counted);
    return figure({
      value: sources.length,
      unit: 'sources',
      method: 'count',
      observed: true,
      status: isUnvalued ? 'partial' : 'ok',
      reason: isUnvalued ? 'a source could not be valued' : null,
      sampleSize: seen.sources.length,
      inputs: () =>
        sources.map(({ address }) => ({
          name: 'item',
          value: address,
          unit: 'source',
          at: seen,
          source: 'state_observed',
        })),
    });
  };
  return { strategies: count(holdsAssets), empty_sources: count(({ assets }) => assets === 0n) };
}

/** A source that no hook was executed on is empty. Whether one was emptied again no log says: such counts are `partial`. */
function loggedCounts({ history, block }: Moment) {
  const listed = history.sources.listedAt(block);
  const isUsed = listed.some((source) => source.isUsed);
  const count = (used: boolean): Figure => {
    const sources = listed.filter((source) => source.isUsed === used);
    return figure({
      value: sources.length,
      unit: 'sources',
      method: 'count',
      status: isUsed ? 'partial' : 'ok',
      reason: isUsed ? 'counted from logs: a source that a hook was executed on counts as one with assets' : null,
      sampleSize: listed.length,
      inputs: () =>
        sources.map(({ address, since }) => ({
          name: 'item',
          value: address,
          unit: 'source',
          at: since,
          source: used ? 'YieldSourceAdded, HookExecuted' : 'YieldSourceAdded',
        })),
    });
  };
  return { strategies: count(true), empty_sources: count(false) };
}

/** How concentrated an allocation is: the Herfindahl-Hirschman index and what follows from it. */
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

/**
 * Herfindahl-Hirschman index of where the assets are, at the last observation; idle assets are a place of their own. Normalised
 * over the places that hold assets: an empty one on the list makes nothing less concentrated.
 */
export function concentration(moment: Moment): Concentration {
  const seen = observationAt(moment);
  const buckets = seen ? bucketsOf(seen, moment.history.identity.strategy) : [];
  const known = buckets.length > 0 && buckets.every(({ assets }) => assets !== null);
  const deployed = buckets.filter(({ kind }) => kind === 'source');
  const of = (
    method: 'hhi' | 'hhi_points' | 'effective_number' | 'hhi_normalised',
    over: readonly Bucket[],
  ): Figure => {
    const shape = {
      unit: method === 'effective_number' ? 'sources' : 'index',
      method,
      observed: true,
      sampleSize: known ? over.length : 0,
      inputs: () => (seen ? amountInputs(over, seen) : []),
    };
    return known && over.some(holdsAssets)
      ? computed(shape)
      : figure({ ...shape, value: null, reason: seen ? null : 'nothing has been observed yet' });
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

/** A place's share at an observation. */
export function shareFigure(seen: Observation, buckets: readonly Bucket[], position: number): Figure {
  return figure({
    value: buckets[position]?.share ?? null,
    unit: 'fraction',
    method: 'allocation_share',
    observed: true,
    reason: 'a source could not be valued, or there are no assets',
    inputs: () => [
      ...amountInputs(buckets, seen),
      given('position', position, 'place in the list', 'the order of sources'),
    ],
  });
}

/** Where the assets are at the last observation, largest first, each with its share and its part of the index. */
export function placesOf(moment: Moment) {
  const seen = observationAt(moment);
  if (!seen) return [];
  const total = totalOf(seen);
  const reason = 'a source could not be valued';
  const buckets = bucketsOf(seen, moment.history.identity.strategy);
  return buckets
    .map((bucket, position) => ({ ...bucket, position }))
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
    .map(({ address, kind, assets, position }) => {
      const where = { at: { time: seen.time, block: seen.block }, source: `state_observed: ${address}` };
      return {
        address,
        kind,
        assets: amount(assets, where, { observed: true, reason }),
        share: shareFigure(seen, buckets, position),
        contribution: figure({
          value: assets === null || total === null || total === 0n ? null : ratio(assets ** 2n, total ** 2n),
          unit: 'index',
          method: 'hhi_part',
          observed: true,
          reason,
          inputs: () => [
            { name: 'amount', value: assets, unit: 'asset base units', ...where },
            {
              ...where,
              name: 'whole',
              value: total,
              unit: 'asset base units',
              source: 'state_observed: all positions',
            },
          ],
        }),
      };
    });
}
