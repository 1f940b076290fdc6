import { Figures } from '../../design/card.tsx';
import { formatShare, formatSignedPoints, formatSignedShare } from '../../format/figures.ts';
import { useView } from '../../period/use-view.ts';
import { Metric } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';
import { BenchmarkSection } from './benchmark.tsx';
import { ChangeSplit } from './change-split.tsx';
import { ApyChart, ReturnChart, TvlChart } from './performance-charts.tsx';
import { ReturnsTable } from './returns-table.tsx';
import { ValueBridgeCard } from './value-bridge.tsx';

export default function Performance({ shown }: { shown: Shown }) {
  const { span, words } = useView(shown.vault);
  const read = useRead(shown, 'analyticsPerformance', span);
  // The headline shows this figure too: both are of one answer.
  const overview = useRead(shown, 'analyticsOverview');
  return (
    <>
      <ReadFailure of={read} what="Returns" />
      <ReadFailure of={overview} what="The yield of 7 days" />
      <Figures>
        <Metric
          of={read}
          label="Return"
          path="twr"
          value={(answer) => answer.twr}
          show={formatSignedShare}
          context={() => `Net of fees, ${words}`}
          whyNone="Not enough history in this period"
        />
        <Metric
          of={overview}
          label="Net APY, 7 days"
          path="apy.d7"
          value={(answer) => answer.apy.d7}
          show={formatShare}
          context={() => 'Realised, compounded over 365 days'}
          whyNone="Needs a week of prices"
        />
        <Metric
          of={read}
          label="Against benchmark"
          path="excess_return"
          value={(answer) => answer.excess_return}
          show={formatSignedPoints}
          context={({ benchmark }) =>
            benchmark.source === 'holding'
              ? null
              : `Percentage points; ${benchmark.name} earned ${formatShare(benchmark.rate)} a year, version ${benchmark.version}`
          }
          whyNone="Not enough history in this period"
        />
        <Metric
          of={read}
          label="Time in loss"
          path="time_in_loss"
          value={(answer) => answer.time_in_loss}
          show={formatShare}
          context={({ drawdown_now: now }) =>
            now === null
              ? 'Of days below an earlier high'
              : `Of days below an earlier high; now ${now === 0 ? 'at its high' : `${formatShare(now)} below it`}`
          }
          whyNone="Not enough history in this period"
        />
      </Figures>
      <div className="grid grid-cols-1 gap-3 xl:grid-cols-2">
        <ReturnsTable shown={shown} of={read} />
        <ChangeSplit of={read} />
      </div>
      <ValueBridgeCard shown={shown} />
      <BenchmarkSection shown={shown} />
      <ReturnChart shown={shown} of={read} />
      <ApyChart shown={shown} />
      <TvlChart shown={shown} />
    </>
  );
}
