import { Figures } from '../../design/card.tsx';
import { formatCount, formatFall, formatNumber, formatRatio, formatShare, formatTimes } from '../../format/figures.ts';
import { Metric, type Read } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { useRead } from '../../receipts/use-read.ts';
import type { Shown } from '../vault-gate.tsx';
import { Concentration } from './concentration.tsx';
import { Drawdown } from './drawdown.tsx';
import { Liquidity } from './liquidity.tsx';
import { RunSimulator } from './run-simulator.tsx';
import { Scenarios } from './scenarios.tsx';
import { Score } from './score.tsx';
import { sharpeWords, Volatility } from './volatility.tsx';

export default function Risk({ shown }: { shown: Shown }) {
  const read = useRead(shown, 'analyticsRisk');
  return (
    <>
      <ReadFailure of={read} what="The risk" />
      <Score of={read} />
      <RiskFigures shown={shown} of={read} />
      <Concentration shown={shown} />
      <Drawdown shown={shown} />
      <Volatility shown={shown} />
      <Liquidity shown={shown} of={read} />
      <RunSimulator shown={shown} />
      <Scenarios shown={shown} />
    </>
  );
}

function RiskFigures({ shown, of }: { shown: Shown; of: Read<'analyticsRisk'> }) {
  // The chart below shows this fall too when the page is about 30 days: both are of one answer.
  const falls = useRead(shown, 'analyticsDrawdown', { period: '30d' });
  return (
    <>
      <ReadFailure of={falls} what="The falls of 30 days" />
      <Figures>
        <Metric
          of={falls}
          label="Largest fall, 30 days"
          path="max_drawdown"
          value={(answer) => answer.max_drawdown}
          show={formatFall}
          context={() => 'Of the net price from a high to a low'}
          whyNone="Needs two price reports"
        />
        <Metric
          of={of}
          label="Volatility, a year"
          path="volatility_annual"
          value={(answer) => answer.volatility_annual}
          show={formatShare}
          context={({ volatility_daily: daily }) => (daily === null ? null : `${formatShare(daily)} a day`)}
          whyNone="Needs 20 days of prices"
        />
        <Metric
          of={of}
          label="Sharpe ratio, 30 days"
          path="sharpe"
          value={(answer) => answer.sharpe}
          show={formatRatio}
          context={({ sharpe_naive: naive }) => sharpeWords(naive)}
          whyNone={of.result.data?.sharpe_note ?? 'Needs 20 days of prices'}
        />
        <Metric
          of={of}
          label="Largest holder"
          path="top_holder_share"
          value={(answer) => answer.top_holder_share}
          show={formatShare}
          context={({ top10_holder_share: ten }) => (ten === null ? null : `The ten largest hold ${formatShare(ten)}`)}
          whyNone="Appears with the first holder"
        />
        <Metric
          of={of}
          label="Concentration"
          path="concentration.points"
          value={({ concentration }) => concentration.points}
          show={formatCount}
          exact={(points) => `${formatNumber(points)} of 10,000`}
          context={({ concentration: { band, effective_sources: n } }) =>
            `HHI of 10,000, ${band ?? 'no'} band${n === null ? '' : `; as if ${formatRatio(n)} equal sources`}`
          }
          whyNone="Appears after the first reading of the sources"
        />
        <Metric
          of={of}
          label="Instant liquidity"
          path="liquidity.instant_share"
          value={({ liquidity }) => liquidity.instant_share}
          show={formatShare}
          context={() => 'Of all assets: what is idle in the vault, and what its sources release on demand'}
          whyNone="Appears after the first reading of the sources"
        />
        <Metric
          of={of}
          label="Covers the top 3"
          path="liquidity.coverage.k3"
          value={({ liquidity }) => liquidity.coverage.k3}
          show={formatTimes}
          context={({ liquidity: { coverage } }) => coverageWords(coverage)}
          whyNone="Appears with the first holder"
        />
        <Metric
          of={of}
          label="Withdrawals at risk"
          path="withdrawal_at_risk.h24_p95"
          value={({ withdrawal_at_risk: risk }) => risk.h24_p95}
          show={formatShare}
          context={() => 'Of TVL left net in a day, on one day in twenty'}
          whyNone="Needs more history of withdrawals"
        />
      </Figures>
    </>
  );
}

function coverageWords({ k1, k3, k10 }: { k1: number | null; k3: number | null; k10: number | null }): string {
  const others = [
    k1 === null ? null : `the largest ${formatTimes(k1)}`,
    k10 === null ? null : `the ten largest ${formatTimes(k10)}`,
  ].filter((text) => text !== null);
  const verdict =
    k3 === null
      ? ''
      : k3 >= 1
        ? 'Instant liquidity pays the three largest'
        : 'Instant liquidity does not pay the three largest';
  return [verdict, ...others].filter((text) => text !== '').join(' · ');
}
