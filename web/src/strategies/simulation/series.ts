import type { Marker, Point, Series } from '../../charts/types.ts';
import type { Vault } from '../../data/queries.ts';
import { toDecimal } from '../../format/amount.ts';
import { tokens } from '../../vault/money.ts';
import { actionWords } from '../types.ts';
import type { Result } from './request.ts';

/** More lines across a chart than this hide what they mark. */
export const MOST_MARKS = 40;

type Asset = Pick<Vault, 'asset'>;
type Field = 'free_assets' | 'free_assets_simulated' | 'tvl' | 'tvl_simulated';

const pointsOf = ({ points }: Result, field: Field, { asset }: Asset): Point[] =>
  points.map((point) => {
    const raw = point[field];
    const at = Date.parse(point.t);
    return raw === null ? [at, null] : [at, tokens(raw, asset.decimals), toDecimal(raw, asset.decimals)];
  });

/**
 * With the strategies, and as it was (or would be without them). The dashed line is drawn last, so that both are seen where they
 * are the same.
 */
export const comparedSeries = (result: Result, what: 'free_assets' | 'tvl', vault: Asset): Series[] => [
  {
    id: `${what}-simulated`,
    name: 'With the strategies',
    kind: 'step',
    points: pointsOf(result, `${what}_simulated`, vault),
    colour: 'accent',
  },
  {
    id: what,
    name: result.kind === 'backtest' ? 'As it was' : 'Without the strategies',
    kind: 'step',
    points: pointsOf(result, what, vault),
    colour: 'brass',
    isDashed: true,
  },
];

/** The distance of those two lines, which is too small to be seen between them. */
export const gainedSeries = ({ points }: Pick<Result, 'points'>, { asset }: Asset): Series[] => [
  {
    id: 'gained',
    name: 'Gained before gas',
    kind: 'step-area',
    points: points.map(({ t, tvl, tvl_simulated: simulated }): Point => {
      if (tvl === null || simulated === null) return [Date.parse(t), null];
      const gained = BigInt(simulated) - BigInt(tvl);
      return [Date.parse(t), tokens(`${gained}`, asset.decimals), toDecimal(gained, asset.decimals)];
    }),
  },
];

/** The total of several kept runs. Every second one is dashed, so that two that are the same are both seen. */
export const overlaid = (runs: readonly { name: string; id: string; result: Result }[], vault: Asset): Series[] =>
  runs.map(({ id, name, result }, index) => ({
    id,
    name,
    kind: 'step',
    isDashed: index % 2 === 1,
    points: pointsOf(result, 'tvl_simulated', vault),
  }));

export const marksOf = ({ firings, strategies }: Result): Marker[] =>
  firings.slice(0, MOST_MARKS).map(({ strategy_id, block_number, t, action }, index) => ({
    id: `${strategy_id}:${block_number}:${index}`,
    x: Date.parse(t),
    label: `${strategies.find((each) => each.strategy_id === strategy_id)?.name ?? strategy_id}: ${
      actionWords[action as keyof typeof actionWords] ?? action
    }`,
  }));

/** What each strategy had moved until then. Without a price at the time, what it moved is not counted. */
export function movedSeries({ firings, strategies, points: readings, from, to }: Result, { asset }: Asset): Series[] {
  const begin = Date.parse(readings[0]?.t ?? from);
  const end = Date.parse(readings.at(-1)?.t ?? to);
  return strategies
    .filter(({ fired }) => fired > 0)
    .map(({ strategy_id, name }) => {
      let sum = 0n;
      const points = firings
        .filter((each) => each.strategy_id === strategy_id)
        .map(({ t, assets }): Point => {
          sum += BigInt(assets ?? 0);
          return [Date.parse(t), tokens(`${sum}`, asset.decimals), toDecimal(sum, asset.decimals)];
        });
      const last: Point = [end, tokens(`${sum}`, asset.decimals), toDecimal(sum, asset.decimals)];
      return { id: strategy_id, name, kind: 'step', points: [[begin, 0, '0'], ...points, last] };
    });
}
