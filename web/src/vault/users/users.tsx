import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { Figures } from '../../design/card.tsx';
import { Skeleton } from '../../design/states.tsx';
import { formatCount, formatShare, formatUsd } from '../../format/figures.ts';
import { formatDuration } from '../../format/time.ts';
import { Metric, type Read } from '../../receipts/metric.tsx';
import { ReadFailure } from '../../receipts/read-failure.tsx';
import { usePages } from '../../receipts/use-pages.ts';
import { useRead } from '../../receipts/use-read.ts';
import { assetsExact, assetsText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';
import { BridgeCard } from './bridge-card.tsx';
import { Cohorts } from './cohorts.tsx';
import { RetentionCurve } from './retention-curve.tsx';
import { TopHolders } from './top-holders.tsx';

/** Who holds the vault, who came, who left, and who could leave. */
export default function Users({ shown }: { shown: Shown }) {
  const users = useRead(shown, 'analyticsUsers');
  const holders = usePages(shown, 'analyticsTopHolders', {});
  return (
    <>
      <ReadFailure of={users} what="Holders" />
      <Headcount shown={shown} users={users} />
      <Bridges users={users} />
      <Cohorts shown={shown} />
      <RetentionCurve shown={shown} />
      <Deposits shown={shown} users={users} />
      <TopHolders shown={shown} pages={holders} />
    </>
  );
}

type Props = { users: Read<'analyticsUsers'> };

const everWords = ({ ever, pending_churn: leaving }: AnalyticsResult<'analyticsUsers'>): string =>
  `${formatCount(ever)} ever${leaving === 0 ? '' : ` · ${formatCount(leaving)} with all shares in the redemption queue`}`;

function Headcount({ shown, users }: Props & { shown: Shown }) {
  // The headline shows the number of holders too: both are of one answer.
  const overview = useRead(shown, 'analyticsOverview');
  const { data } = users.result;
  return (
    <>
      <ReadFailure of={overview} what="The number of holders" />
      <Figures>
        <Metric
          of={overview}
          label="Holders"
          path="depositors"
          value={({ depositors }) => depositors}
          show={formatCount}
          context={() => (data === undefined ? null : everWords(data))}
        />
        <Metric
          of={users}
          label="Active in 7 days"
          path="active.d7"
          value={({ active }) => active.d7}
          show={formatCount}
          context={({ active }) => `${formatCount(active.h24)} in 24 h · ${formatCount(active.d30)} in 30 d`}
        />
        <Metric
          of={users}
          label="Retention, 30 days"
          path="retention.d30"
          value={({ retention }) => retention.d30}
          show={formatShare}
          whyNone="Nobody held the vault 30 days ago"
          context={() => 'Of the holders 30 days ago, still here; a silent holder counts'}
        />
        <Metric
          of={users}
          label="Share retention, 30 days"
          path="asset_retention.d30"
          value={({ asset_retention: kept }) => kept.d30}
          show={formatShare}
          whyNone="Nobody held the vault 30 days ago"
          context={({ net_asset_retention: net }) =>
            net.d30 === null
              ? 'In shares, so that yield does not flatter it'
              : `${formatShare(net.d30)} with what they added, in shares`
          }
        />
      </Figures>
    </>
  );
}

function Bridges({ users: { result } }: Props) {
  const { data, isError, isPlaceholderData } = result;
  if (data === undefined) return isError ? null : <Skeleton className="h-56 w-full" />;
  const isOld = isError || isPlaceholderData;
  return (
    <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
      <BridgeCard title="Holders over 7 days" start="7 days ago" bridge={data.bridge.d7} isOld={isOld} />
      <BridgeCard title="Holders over 30 days" start="30 days ago" bridge={data.bridge.d30} isOld={isOld} />
    </div>
  );
}

/** In the asset in both units: only the average has a dollar value, and amounts of one row are compared. */
function Deposits({ shown, users }: Props & { shown: Shown }) {
  const { vault } = shown;
  const none = 'No deposit in the last 30 days';
  const text = (raw: string) => assetsText(vault, raw);
  const exact = (raw: string) => assetsExact(vault, raw);
  return (
    <Figures>
      <Metric
        of={users}
        label="Tenure"
        path="mean_tenure_seconds"
        value={({ mean_tenure_seconds: tenure }) => tenure}
        show={formatDuration}
        whyNone="Nobody holds the vault"
        context={() => 'Mean age of the shares that are held'}
      />
      <Metric
        of={users}
        label="Median deposit"
        path="median_deposit"
        value={({ median_deposit: middle }) => middle}
        show={text}
        exact={exact}
        whyNone={none}
        context={() => 'Half of the deposits of 30 days are smaller'}
      />
      <Metric
        of={users}
        label="Average deposit"
        path="average_deposit"
        value={({ average_deposit: mean }) => mean}
        show={text}
        exact={exact}
        whyNone={none}
        context={({ average_deposit_usd: dollars }) =>
          dollars === null ? 'No dollar price at that time' : `${formatUsd(dollars)} at the price of each deposit`
        }
      />
      <Metric
        of={users}
        label="Large deposit"
        path="p90_deposit"
        value={({ p90_deposit: large }) => large}
        show={text}
        exact={exact}
        whyNone={none}
        context={() => 'Nine in ten are smaller'}
      />
    </Figures>
  );
}
