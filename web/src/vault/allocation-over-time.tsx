import { useMemo } from 'react';
import { Chart } from '../charts/chart.tsx';
import type { Colour, Point, Series } from '../charts/types.ts';
import { partOfWhole } from '../charts/units.ts';
import type { Vault } from '../data/queries.ts';
import type { AnalyticsResult } from '../data/use-analytics.ts';
import { sameAddress, shortHex } from '../format/address.ts';
import { formatShare } from '../format/figures.ts';
import { formatUtc } from '../format/time.ts';
import { useView } from '../period/use-view.ts';
import type { Read } from '../receipts/metric.tsx';
import { MAX_SLICES } from './slices.ts';

export type AllocationAnswer = AnalyticsResult<'analyticsAllocation'>;

/** Name of a source: as the vault lists it now, "Idle", or its address once it left the list. */
export const sourceName = (vault: Pick<Vault, 'allocation'>, address: string, kind?: 'source' | 'idle'): string =>
  vault.allocation.find((item) => sameAddress(item.source_address, address))?.name ??
  (kind === 'idle' ? 'Idle' : shortHex(address));

const colours = [1, 2, 3, 4, 5, 6] as const;

/** Shares over time: the six largest of the last point, in the donut's colours, and what is left. */
export function allocationSeries({ points, sources }: AllocationAnswer, vault: Pick<Vault, 'allocation'>): Series[] {
  const lastShares = new Map(points.at(-1)?.sources.map(({ source_address, share }) => [source_address, share ?? 0]));
  const ranked = sources
    .map(({ source_address: id, kind }) => ({ id, kind }))
    .sort((left, right) => (lastShares.get(right.id) ?? 0) - (lastShares.get(left.id) ?? 0));
  const named = ranked.slice(0, MAX_SLICES);
  const isNamed = new Set(named.map(({ id }) => id));
  // A source that a point does not list held nothing then; one that could not be read leaves a gap.
  const shareOf = (point: AllocationAnswer['points'][number], id: string) => {
    const found = point.sources.find(({ source_address }) => source_address === id);
    return found === undefined ? 0 : found.share;
  };
  const series = named.map(
    ({ id, kind }, index): Series => ({
      id,
      name: sourceName(vault, id, kind),
      kind: 'stacked',
      colour: colours[index] as Colour,
      points: points.map((point): Point => [Date.parse(point.t), shareOf(point, id)]),
    }),
  );
  if (ranked.length === named.length) return series;
  const rest = points.map((point): Point => {
    const shares = point.sources.flatMap(({ source_address: id, share }) => (isNamed.has(id) ? [] : [share]));
    const known = shares.filter((share) => share !== null);
    return [Date.parse(point.t), known.length < shares.length ? null : known.reduce((sum, share) => sum + share, 0)];
  });
  const name = `${ranked.length - named.length} others`;
  return [...series, { id: 'others', name, kind: 'stacked', colour: 'other', points: rest }];
}

/** What the end of the period shows, and since when sources are observed where that is later than the period begins. */
export function takeawayOf(
  { from, points, interval_seconds: interval }: AllocationAnswer,
  largest: Series | undefined,
) {
  const share = largest?.points.at(-1)?.[1];
  const first = points[0]?.t;
  const lateMs = first === undefined ? 0 : Date.parse(first) - Date.parse(from);
  // Each point is the last reading of its stretch, so the first reading is as old as the beginning of the stretch at most. Without
  // stretches each point is a reading.
  const intervalMs = interval > 0 ? interval * 1_000 : 1;
  const unseenMs = Math.floor(lateMs / intervalMs) * intervalMs;
  return [
    ...(share == null ? [] : [`${largest?.name} holds ${formatShare(share)} at the end of the period.`]),
    ...(unseenMs < 1 ? [] : [`Not observed before ${formatUtc(Date.parse(from) + unseenMs)}.`]),
  ].join(' ');
}

type Props = { vault: Vault; read: Read<'analyticsAllocation'> };

export function AllocationOverTime({ vault, read }: Props) {
  const { rangeName } = useView(vault);
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = read.result;
  const isCourse = data !== undefined && data.points.length > 1;
  const series = useMemo(() => (isCourse ? allocationSeries(data, vault) : []), [isCourse, data, vault]);
  return (
    <Chart
      title="Allocation over time"
      takeaway={isCourse ? takeawayOf(data, series[0]) : undefined}
      series={series}
      unit={partOfWhole}
      intervalSeconds={data?.interval_seconds}
      fileName={`${vault.symbol}-allocation-${rangeName}`}
      empty={
        data?.points.length === 1
          ? { title: 'One reading in this period', detail: 'A course begins with the second one.' }
          : { title: 'No allocation in this period', detail: 'Each reading of the sources adds a point here.' }
      }
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void refetch()}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}
