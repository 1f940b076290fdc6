import { useMemo, useState } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/types.ts';
import { percent } from '../../charts/units.ts';
import { Choice } from '../../design/choice.tsx';
import { formatShare } from '../../format/figures.ts';
import { useView } from '../../period/use-view.ts';
import type { Read } from '../../receipts/metric.tsx';
import { useRead } from '../../receipts/use-read.ts';
import { returnSeries } from '../pricing/price-series.ts';
import type { Shown } from '../vault-gate.tsx';
import { noValue, useTvlSeries } from './tvl-series.ts';

type Props = { shown: Shown };
const NONE_YET: readonly Series[] = [];
const GROUP = 'performance';

const returnWords = (value: number): string =>
  value < 0 ? `A share lost ${formatShare(-value)}` : `A share gained ${formatShare(value)}`;

/** @param of - Has the return of the period, which the figure above the chart shows too. */
export function ReturnChart({ shown, of }: Props & { of: Read<'analyticsPerformance'> }) {
  const { vault } = shown;
  const { span, words, rangeName } = useView(vault);
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = useRead(shown, 'analyticsPps', {
    ...span,
    points: '600',
  }).result;
  const series = useMemo(() => (data === undefined ? NONE_YET : returnSeries(data)), [data]);
  const total = of.result.data?.twr;
  return (
    <Chart
      title="Return"
      takeaway={total == null ? undefined : `${returnWords(total)} ${words}, net of fees.`}
      series={series}
      unit={percent}
      group={GROUP}
      fileName={`${vault.symbol}-return-${rangeName}`}
      empty={{ title: 'No return yet', detail: 'It is drawn from the second price report on.' }}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void refetch()}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}

const windows = [
  { value: '24h', label: 'over 24 hours' },
  { value: '7d', label: 'over 7 days' },
  { value: '30d', label: 'over 30 days' },
] as const;

export function ApyChart({ shown }: Props) {
  const { vault } = shown;
  const { span, rangeName } = useView(vault);
  const [window, setWindow] = useState<(typeof windows)[number]['value']>('7d');
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = useRead(shown, 'analyticsApy', {
    ...span,
    window,
  }).result;
  const series = useMemo(
    (): Series[] =>
      data === undefined
        ? []
        : [{ id: 'apy', name: 'Net APY', kind: 'line', points: data.points.map(({ t, apy }) => [Date.parse(t), apy]) }],
    [data],
  );
  const last = data?.points.findLast(({ apy }) => apy !== null)?.apy;
  return (
    <Chart
      title="APY"
      takeaway={last == null ? undefined : `The trailing net APY is ${formatShare(last)}.`}
      series={series}
      unit={percent}
      group={GROUP}
      intervalSeconds={data?.interval_seconds}
      fileName={`${vault.symbol}-apy-${window}-${rangeName}`}
      empty={{ title: 'No APY yet', detail: 'It takes at least a day of prices; a shorter span is not annualised.' }}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void refetch()}
      actions={<Choice label="Each point is" hideLabel value={window} options={windows} onChange={setWindow} />}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}

export function TvlChart({ shown }: Props) {
  const { vault } = shown;
  const { unit, rangeName } = useView(vault);
  const { series, drawnUnit, takeaway, read } = useTvlSeries(shown);
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = read;
  return (
    <Chart
      title="Total value"
      takeaway={takeaway}
      series={series}
      unit={drawnUnit}
      group={GROUP}
      intervalSeconds={data?.interval_seconds}
      fileName={`${vault.symbol}-tvl-${unit}-${rangeName}`}
      empty={noValue(unit)}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void refetch()}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}
