import { useMemo } from 'react';
import { Chart } from '../../charts/chart.tsx';
import type { Series } from '../../charts/types.ts';
import { percent } from '../../charts/units.ts';
import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { Card, Figures } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { formatFall, formatRatio, formatShare } from '../../format/figures.ts';
import { formatDuration, formatUtc } from '../../format/time.ts';
import { useView } from '../../period/use-view.ts';
import { Metric } from '../../receipts/metric.tsx';
import { ReceiptButton } from '../../receipts/receipt-button.tsx';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';

type Answer = AnalyticsResult<'analyticsDrawdown'>;

/** A fall holds until the next report, as the price does. */
export const drawdownSeries = ({ points }: Pick<Answer, 'points'>): Series[] => [
  {
    id: 'drawdown',
    name: 'Below the earlier high',
    kind: 'step-area',
    colour: 'danger',
    points: points.map(({ t, drawdown }) => [Date.parse(t), drawdown === 0 ? 0 : -drawdown]),
  },
];

function takeawayOf(most: number | null, words: string): string | undefined {
  if (most === null) return undefined;
  return most === 0
    ? `The net price never fell ${words}.`
    : `The net price fell by ${formatShare(most)} at most ${words}.`;
}

export function Drawdown({ shown }: { shown: Shown }) {
  const { vault } = shown;
  const { span, words, rangeName } = useView(vault);
  const read = useRead(shown, 'analyticsDrawdown', span);
  const { data, error, refetch, isPlaceholderData, dataUpdatedAt } = read.result;
  const series = useMemo(() => (data === undefined ? [] : drawdownSeries(data)), [data]);
  return (
    <>
      <Chart
        title="Drawdown"
        takeaway={takeawayOf(data?.max_drawdown ?? null, words)}
        series={series}
        unit={percent}
        group="risk"
        fileName={`${vault.symbol}-drawdown-${rangeName}`}
        empty={{ title: 'No prices in this period', detail: 'Falls are drawn from the second price report on.' }}
        isLoading={data === undefined && error === null}
        error={error}
        readAt={dataUpdatedAt}
        onRetry={() => void refetch()}
        actions={
          <ReceiptButton source={shown} id={read.id} query={read.query} path="max_drawdown" label="Deepest fall" />
        }
        className={isPlaceholderData ? 'opacity-70' : ''}
      />
      <Figures>
        <Metric
          of={read}
          label="Deepest fall since inception"
          path="max_drawdown_since_inception"
          value={(answer) => answer.max_drawdown_since_inception}
          show={formatFall}
          context={({ carried_in: carried }) =>
            carried === null ? null : `The period began ${formatShare(carried)} below the high before it`
          }
          whyNone="Needs two prices"
        />
        <Metric
          of={read}
          label="Recovery time"
          path="recovery_seconds"
          value={(answer) => answer.recovery_seconds}
          show={formatDuration}
          context={() => 'From the lowest point of the deepest fall of the period back to where it fell from'}
        />
        <Metric
          of={read}
          label="Since the last high"
          path="seconds_since_high"
          value={(answer) => answer.seconds_since_high}
          show={formatDuration}
          context={({ current_drawdown: now }) =>
            now ? `Now ${formatShare(now)} below it` : 'The price is at its high'
          }
          whyNone="Needs a price"
        />
        <Metric
          of={read}
          label="Calmar ratio"
          path="calmar"
          value={(answer) => answer.calmar}
          show={formatRatio}
          context={() => 'APY of the period for each part of its deepest fall'}
        />
      </Figures>
      {data === undefined ? null : <Episodes data={data} />}
    </>
  );
}

/** Smaller falls are drawn, and no episodes of the answer. */
const LEAST_LISTED = 0.000_01;

function Episodes({ data: { episodes, max_drawdown: most } }: { data: Answer }) {
  if (episodes.length === 0)
    return (
      <p className="text-13 text-muted">
        {most
          ? `No fall of ${formatShare(LEAST_LISTED)} or more in this period.`
          : 'The net price never fell in this period.'}
      </p>
    );
  return (
    <Card isFlush>
      <PlainTable
        label="Falls of the net price"
        head={['Began', 'Depth', 'Lowest', 'Recovered', 'Lasted']}
        words={[2, 3]}
        rows={[...episodes]
          .sort((left, right) => right.depth - left.depth)
          .slice(0, 10)
          .map(({ start, trough, recovered, depth, duration_seconds: lasted }) => ({
            id: start,
            cells: [
              formatUtc(start),
              formatFall(depth),
              formatUtc(trough),
              recovered === null ? 'Not yet' : formatUtc(recovered),
              formatDuration(lasted),
            ],
          }))}
      />
      <p className="border-t px-4 py-2 text-12 text-muted">
        {`The ten deepest at most. Falls of less than ${formatShare(LEAST_LISTED)} are drawn and not listed.`}
      </p>
    </Card>
  );
}
