import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/types.ts';
import { percent } from '../../charts/units.ts';
import { Figures } from '../../design/card.tsx';
import { formatCount, formatLoss, formatRatio, formatShare } from '../../format/figures.ts';
import { useView } from '../../period/use-view.ts';
import { Metric } from '../../receipts/metric.tsx';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';

/** The figure is adjusted for days that resemble the day before; the one that is not stands beside it. */
export const sharpeWords = (naive: number | null): string =>
  naive === null
    ? 'Adjusted for days that resemble the day before'
    : `Adjusted for days that resemble the day before; ${formatRatio(naive)} without that`;

export function Volatility({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span, rangeName } = useView(vault);
  const read = useRead(shown, 'analyticsVolatility', span);
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = read.result;
  const series = useMemo((): Series[] => {
    if (data === undefined) return [];
    return [
      { id: 'd7', name: 'Over 7 days', kind: 'line', points: data.points.map(({ t, d7 }) => [Date.parse(t), d7]) },
      {
        id: 'd30',
        name: 'Over 30 days',
        kind: 'line',
        isDashed: true,
        points: data.points.map(({ t, d30 }) => [Date.parse(t), d30]),
      },
    ];
  }, [data]);
  const daily = data?.volatility_daily ?? null;
  return (
    <>
      <Chart
        title="Volatility of a day"
        takeaway={daily === null ? undefined : `The net price moves by about ${formatShare(daily)} a day.`}
        series={series}
        unit={percent}
        group="risk"
        fileName={`${vault.symbol}-volatility-${rangeName}`}
        empty={{
          title: 'No volatility yet',
          detail: 'It takes daily prices: 7 days for the first line, 30 for the second.',
        }}
        isLoading={data === undefined && error === null}
        error={error}
        readAt={dataUpdatedAt}
        onRetry={() => void refetch()}
        className={isPlaceholderData ? 'opacity-70' : ''}
      />
      <Figures>
        <Metric
          of={read}
          label="One-day VaR, 95%"
          path="value_at_risk.p95"
          value={(answer) => answer.value_at_risk.p95}
          show={formatLoss}
          context={() => 'One day in twenty returned less'}
          whyNone="Needs more days of prices"
        />
        <Metric
          of={read}
          label="One-day VaR, 99%"
          path="value_at_risk.p99"
          value={(answer) => answer.value_at_risk.p99}
          show={formatLoss}
          context={({ value_at_risk: { expected_shortfall_95: mean } }) =>
            mean === null
              ? 'One day in a hundred returned less'
              : `One day in a hundred returned less; the worst 5% of days averaged ${formatLoss(mean)}`
          }
          whyNone="Needs 250 days of prices"
        />
        {/* That of 30 days stands among the figures above. */}
        {rangeName === '30d' ? null : (
          <Metric
            of={read}
            label="Sharpe ratio"
            path="sharpe"
            value={(answer) => answer.sharpe}
            show={formatRatio}
            context={({ sharpe_naive: naive }) => sharpeWords(naive)}
            whyNone="Not meaningful at this volatility, or too few days"
          />
        )}
        <Metric
          of={read}
          label="Sortino ratio"
          path="sortino"
          value={(answer) => answer.sortino}
          show={formatRatio}
          context={() => 'Only days below the benchmark count as risk'}
          whyNone="Not meaningful at this volatility, or no day below the benchmark"
        />
        <Metric
          of={read}
          label="Days without a report"
          path="stale_days"
          value={(answer) => answer.stale_days}
          show={formatCount}
          context={({ days }) => `Of ${formatCount(days)} days`}
        />
      </Figures>
    </>
  );
}
