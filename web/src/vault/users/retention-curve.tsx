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

const agesText = (interval: Interval) => (age: number) => `${interval} ${age}`;

const seriesOf = ({ by_count, by_shares }: Retention): Series[] => [
  { id: 'count', name: 'Holders', kind: 'line', points: by_count.map(({ age, retained }) => [age, retained] as const) },
  {
    id: 'shares',
    name: 'Shares',
    kind: 'line',
    points: by_shares.map(({ age, retained }) => [age, retained] as const),
  },
];

/** The last age that more than one cohort has reached: one cohort alone is an anecdote. */
function takeawayOf({ by_count: rows, interval }: Retention): string | undefined {
  const last = rows.findLast(({ cohorts, retained }) => cohorts > 1 && retained !== null);
  if (last === undefined || last.retained === null) return undefined;
  return `After ${last.age} ${interval}${last.age === 1 ? '' : 's'}, ${formatShare(last.retained)} of ${formatCount(last.base)} holders still held`;
}

/** All cohorts by their age, weighted by size. */
export function RetentionCurve({ shown }: { shown: Shown }) {
  const { interval } = useCohortView();
  const { result } = useRead(shown, 'analyticsRetention', { interval });
  const { data, error, refetch } = result;
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
        detail: `The curve begins once the first ${interval} with deposits has ended.`,
      }}
      isLoading={data === undefined && error === null}
      error={error}
      onRetry={() => void refetch()}
    />
  );
}

// Kept outside, so that the chart does not look changed on every render.
const axes = {
  week: { kind: 'number', name: 'Weeks since the first deposit', format: agesText('week') },
  month: { kind: 'number', name: 'Months since the first deposit', format: agesText('month') },
} as const;
