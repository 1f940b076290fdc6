import { Figures } from '../../design/card.tsx';
import { formatCount } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { Metric } from '../../receipts/metric.tsx';
import { assetsExact, assetsText } from '../money.ts';
import type { PartProps } from './part.ts';

/** Who waits for their money, for how long, and how long it took those who got it. */
export function RedemptionFigures({ shown: { vault }, operations }: PartProps) {
  const none = 'None was fulfilled in this period';
  return (
    <div className="flex flex-col gap-2">
      <h3 className="text-14 font-semibold">Redemption queue</h3>
      <Figures>
        <Metric
          of={operations}
          label="Waiting"
          path="redemptions.pending"
          value={({ redemptions }) => redemptions.pending}
          show={formatCount}
          context={({ redemptions: { pending_assets: assets, blocked, pending } }) => (
            <>
              {pending === 0 ? (
                'Nobody waits'
              ) : (
                <span title={assets === null ? undefined : assetsExact(vault, assets)}>
                  {assets === null ? 'Worth is not known' : assetsText(vault, assets)}
                </span>
              )}
              {blocked === 0 ? null : (
                <span className="block text-brass">
                  {`${formatCount(blocked)} blocked until the price recovers or the holder allows more slippage`}
                </span>
              )}
            </>
          )}
        />
        <Metric
          of={operations}
          label="Oldest waits for"
          path="redemptions.oldest_seconds"
          value={({ redemptions }) => redemptions.oldest_seconds}
          show={formatDuration}
          whyNone="Nobody waits"
        />
        <Metric
          of={operations}
          label="Half were paid within"
          path="redemptions.p50_seconds"
          value={({ redemptions }) => redemptions.p50_seconds}
          show={formatDuration}
          whyNone={none}
          context={({ redemptions }) => `Of ${formatCount(redemptions.fulfilled)} fulfilled`}
        />
        <Metric
          of={operations}
          label="95% were paid within"
          path="redemptions.p95_seconds"
          value={({ redemptions }) => redemptions.p95_seconds}
          show={formatDuration}
          whyNone={none}
          context={({ redemptions: { max_seconds: longest } }) =>
            longest === null ? null : `The longest took ${formatDuration(longest)}`
          }
        />
      </Figures>
    </div>
  );
}
