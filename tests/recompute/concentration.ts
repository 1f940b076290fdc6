import { ratio, sum } from './numbers.ts';
import type { State } from './state.ts';

const bandOf = (points: number): string => (points < 1_000 ? 'low' : points < 1_800 ? 'medium' : 'high');

const none = { hhi: null, points: null, hhi_deployed: null, effective_sources: null, normalised: null, band: null };

/** Concentration of idle assets and positions; the normalised one over the places that hold assets. */
export function concentrationOf(idle: bigint, positions: readonly bigint[]) {
  const places = [idle, ...positions].filter((assets) => assets > 0n);
  const total = sum(places);
  if (total === 0n) return none;
  const squares = sum(places.map((assets) => assets * assets));
  const deployed = sum(positions);
  const count = BigInt(places.length);
  const points = ratio(squares * 10_000n, total * total);
  return {
    hhi: ratio(squares, total * total),
    points,
    hhi_deployed: deployed === 0n ? null : ratio(sum(positions.map((assets) => assets * assets)), deployed * deployed),
    effective_sources: ratio(total * total, squares),
    normalised: count === 1n ? 1 : ratio(squares * count - total * total, total * total * (count - 1n)),
    band: bandOf(points),
  };
}

/** Shares of a whole in parts per billion that sum to one: what rounding loses goes to the largest remainders. */
export function sharesOf(amounts: readonly bigint[]): (number | null)[] {
  const total = sum(amounts);
  if (total === 0n) return amounts.map(() => null);
  const BILLION = 1_000_000_000n;
  const parts = amounts.map((assets, at) => ({
    at,
    floor: (assets * BILLION) / total,
    rest: (assets * BILLION) % total,
  }));
  const missing = Number(BILLION - sum(parts.map(({ floor }) => floor)));
  const lucky = [...parts].sort((a, b) => Number(b.rest > a.rest) - Number(b.rest < a.rest) || a.at - b.at);
  const extra = new Set(lucky.slice(0, missing).map(({ at }) => at));
  return parts.map(({ at, floor }) => Number(floor + (extra.has(at) ? 1n : 0n)) / 1e9);
}

/** Idle assets last, as a place of the strategy itself. */
export const placesOf = ({ idle, positions }: State, strategy: string) => [
  ...positions.map(({ source, assets }) => ({ source, kind: 'source', assets })),
  { source: strategy, kind: 'idle', assets: idle },
];

/** Sources that hold assets, and listed ones that hold none. */
export const countsOf = ({ positions }: State) => ({
  strategies: positions.filter(({ assets }) => assets > 0n).length,
  empty_sources: positions.filter(({ assets }) => assets === 0n).length,
});
