import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/types.ts';
import { percent } from '../../charts/units.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { Card, Figures } from '../../design/card.tsx';
import { Empty } from '../../design/states.tsx';
import { formatCount, formatPoints, formatRatio, formatShare, formatSignedShare } from '../../format/figures.ts';
import { useView } from '../../period/use-view.ts';
import { Metric } from '../../receipts/metric.tsx';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';

type Answer = AnalyticsResult<'analyticsBenchmark'>;

const origins: Readonly<Record<Answer['benchmark']['source'], string>> = {
  feed: 'read from a feed on chain',
  yield_source: 'the share price of a yield source',
  file: 'from a file of the operator',
  holding: 'holding the asset',
};

/** "Devnet overnight USDC, version 1, read from a feed on chain". */
export const benchmarkWords = ({ name, version, source }: Answer['benchmark']): string =>
  `${name}, version ${version}, ${origins[source]}`;

/** Both lines from the first report of the range on. */
export function benchmarkSeries({ points, benchmark }: Answer): Series[] {
  const line = (of: 'vault' | 'benchmark') => points.map((point) => [Date.parse(point.t), point[of]] as const);
  return [
    { id: 'vault', name: 'This vault', kind: 'line', points: line('vault'), colour: 'accent' },
    { id: 'benchmark', name: benchmark.name, kind: 'line', points: line('benchmark'), colour: 'muted', isDashed: true },
  ];
}

function takeawayOf({ excess_return: excess, benchmark }: Answer, words: string): string | undefined {
  if (excess === null) return undefined;
  const size = formatPoints(Math.abs(excess));
  if (excess === 0) return `The vault returned as much as ${benchmark.name} ${words}.`;
  return `The vault returned ${size} ${excess > 0 ? 'more' : 'less'} than ${benchmark.name} ${words}.`;
}

/** The return of the vault beside that of the benchmark of its asset, and how far the daily returns of both differ. */
export function BenchmarkSection({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span, words, rangeName } = useView(vault);
  const read = useRead(shown, 'analyticsBenchmark', span);
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = read.result;
  const series = useMemo(() => (data === undefined ? [] : benchmarkSeries(data)), [data]);
  if (data?.benchmark.source === 'holding')
    return (
      <Card>
        <h3 className="text-14 font-semibold">{TITLE}</h3>
        <Empty title={`No benchmark is set for ${vault.asset.symbol}`}>
          Operators name one for each asset: a rate or an index on chain, a yield source, or a file of their own.
        </Empty>
      </Card>
    );
  return (
    <>
      <Chart
        title={TITLE}
        takeaway={data && takeawayOf(data, words)}
        series={series}
        unit={percent}
        group="performance"
        intervalSeconds={data?.interval_seconds}
        fileName={`${vault.symbol}-benchmark-${rangeName}`}
        empty={{ title: 'No return yet', detail: 'It is drawn from the second price report on.' }}
        isLoading={data === undefined && error === null}
        error={error}
        readAt={dataUpdatedAt}
        onRetry={() => void refetch()}
        className={isPlaceholderData ? 'opacity-70' : ''}
      />
      <Figures columns={3}>
        <Metric
          of={read}
          label="Return of the benchmark"
          path="benchmark_return"
          value={(answer) => answer.benchmark_return}
          show={formatSignedShare}
          context={({ benchmark }) => benchmarkWords(benchmark)}
          whyNone="The benchmark begins later than this period"
        />
        <Metric
          of={read}
          label="Tracking error"
          path="tracking_error"
          value={(answer) => answer.tracking_error}
          show={formatShare}
          context={({ days }) => `A year, of ${formatCount(days)} daily differences`}
          whyNone="Needs 20 daily returns"
        />
        <Metric
          of={read}
          label="Information ratio"
          path="information_ratio"
          value={(answer) => answer.information_ratio}
          show={formatRatio}
          context={() => 'Mean daily difference for its deviation, a year'}
          whyNone="Not meaningful at this tracking error, or too few days"
        />
      </Figures>
    </>
  );
}

const TITLE = 'Against the benchmark';
