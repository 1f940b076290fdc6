import { useMemo } from 'react';
import { Chart } from '../charts/chart.tsx';
import type { Series } from '../charts/types.ts';
import { type Period, periodWords } from '../period/period.ts';
import { vaultKey } from './chosen.ts';
import type { Comparison } from './comparison.ts';
import { type SeriesRow, seriesRows } from './metrics.ts';
import { styleOf } from './series-style.tsx';

type Props = { comparison: Comparison; period: Period; isOld: boolean };

/** The same course of each vault over the same times, in the colour it has in the table. */
export function CompareCharts({ comparison, period, isOld }: Props) {
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      {seriesRows.map((row) => (
        <OverlaidChart key={row.id} row={row} comparison={comparison} period={period} isOld={isOld} />
      ))}
    </div>
  );
}

/** One line a vault; `sign` turns a depth into a fall. */
export function overlaid({ table, series }: Comparison, { id, sign, kind }: SeriesRow): Series[] {
  const rows = series[id] ?? [];
  return table.map((vault, index) => ({
    id: vaultKey(vault),
    name: vault.name,
    kind,
    ...styleOf(index),
    points: rows.map(({ t, values }) => {
      const value = values[index] ?? null;
      return [Date.parse(t), value === null || value === 0 ? value : value * sign] as const;
    }),
  }));
}

const mostBy = <T extends { value: number }>(items: readonly T[], isMore: (left: T, right: T) => boolean) =>
  items.reduce<T | undefined>((most, each) => (most === undefined || isMore(each, most) ? each : most), undefined);

/** Which vault stands out, by the figure of the table above: the points of the chart are too few to say it exactly. */
export function takeawayOf({ table }: Pick<Comparison, 'table'>, row: SeriesRow): string | undefined {
  const { metric, sign, unit, words = unit.format } = row;
  const figures = table.flatMap(({ name, metrics }) => {
    const value = metrics[metric] ?? null;
    return value === null ? [] : [{ name, value: value === 0 ? 0 : value * sign }];
  });
  if (sign === 1) {
    const most = mostBy(figures, (left, right) => left.value > right.value);
    return most === undefined ? undefined : `Highest at the end: ${most.name} with ${words(most.value)}`;
  }
  const deepest = mostBy(figures, (left, right) => left.value < right.value);
  if (deepest === undefined) return undefined;
  return deepest.value === 0 ? 'None fell' : `Deepest: ${deepest.name} with ${words(deepest.value)}`;
}

function OverlaidChart({ row, comparison, period, isOld }: Props & { row: SeriesRow }) {
  const series = useMemo(() => overlaid(comparison, row), [comparison, row]);
  return (
    <Chart
      title={row.title}
      takeaway={takeawayOf(comparison, row)}
      series={series}
      unit={row.unit}
      isFromZero={row.isFromZero}
      group="compare"
      intervalSeconds={comparison.interval_seconds}
      fileName={`compare-${row.id}-${period}`}
      empty={{ title: 'No history in this period', detail: `None of these vaults has a value ${periodWords[period]}.` }}
      className={isOld ? 'opacity-70' : ''}
    />
  );
}
