import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/types.ts';
import { percent } from '../../charts/units.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { formatCount, formatShare } from '../../format/figures.ts';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';
import type { Interval } from './cohort-cells.ts';
import { useCohortView } from './cohorts.tsx';

type Retention = AnalyticsResult<'analyticsRetention'>;

/** "Week 3" where there is space for it, "w3" at a tick. */
const ages = (interval: Interval) => {
  const word = interval === 'week' ? 'Week' : 'Month';
  const letter = word.charAt(0).toLowerCase();
  return { format: (age: number) => `${word} ${age}`, tick: (age: number) => `${letter}${age}` };
};

/** One cohort alone is an anecdote: ages that only the oldest has reached are left out. */
const shared = <T extends { cohorts: number }>(rows: readonly T[]): readonly T[] =>
  rows.filter(({ cohorts }) => cohorts > 1);

const seriesOf = ({ by_count, by_shares }: Retention): Series[] =>
  (
    [
      ['count', 'Holders', by_count],
      ['shares', 'Shares', by_shares],
    ] as const
  ).map(([id, name, rows]) => ({
    id,
    name,
    kind: 'line',
    isDashed: id === 'shares',
    points: shared(rows).map(({ age, retained }) => [age, retained] as const),
  }));

function takeawayOf({ by_count, interval }: Retention): string | undefined {
  const last = shared(by_count).findLast(({ retained }) => retained !== null);
  if (last === undefined || last.retained === null) return undefined;
  const age = `${last.age} ${interval}${last.age === 1 ? '' : 's'}`;
  return `Of ${formatCount(last.base)} holders old enough, ${formatShare(last.retained)} still held after ${age}; each age averages the cohorts that reached it`;
}

/** All cohorts by their age, weighted by size. */
export function RetentionCurve({ shown }: { shown: Shown }) {
  const { interval } = useCohortView();
  const { result } = useRead(shown, 'analyticsRetention', { interval });
  const { data, error, refetch, dataUpdatedAt } = result;
  const series = useMemo(() => (data === undefined ? [] : seriesOf(data)), [data]);
  return (
    <Chart
      title="Retention by age"
      takeaway={data === undefined ? undefined : takeawayOf(data)}
      series={series}
      unit={percent}
      x={axes[data?.interval ?? interval]}
      isFromZero
      canZoom={false}
      fileName={`${shown.vault.symbol}-retention`}
      empty={{
        title: 'No retention yet',
        detail: `The curve begins once two cohorts have ended their first ${interval}.`,
      }}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void refetch()}
    />
  );
}

// Kept outside, so that the chart does not look changed on every render.
const axes = {
  week: { kind: 'number', name: 'Weeks since the first deposit', ...ages('week') },
  month: { kind: 'number', name: 'Months since the first deposit', ...ages('month') },
} as const;
