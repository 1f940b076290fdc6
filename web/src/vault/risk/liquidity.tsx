import type { AnalyticsResult } from '../../data/use-analytics.ts';
import { Card } from '../../design/card.tsx';
import { PlainTable } from '../../design/plain-table.tsx';
import { Empty, RowSkeletons } from '../../design/states.tsx';
import { formatShare, NONE } from '../../format/figures.ts';
import type { Read } from '../../receipts/metric.tsx';
import { ReceiptValue } from '../../receipts/receipt-value.tsx';
import { assetsText } from '../money.ts';
import type { Shown } from '../vault-gate.tsx';

type Bucket = AnalyticsResult<'analyticsRisk'>['liquidity']['ladder'][number]['bucket'];
const bucketWords: Record<Bucket, string> = {
  now: 'At once, idle',
  '1h': 'Within an hour',
  '1d': 'Within a day',
  '7d': 'Within a week',
  longer: 'Later',
  unknown: 'Not known',
};

/** How much could be paid out by when. An amount that no observation covers is a step of its own. */
export function Liquidity({ shown: { vault }, of }: { shown: Shown; of: Read<'analyticsRisk'> }) {
  const { data, isError } = of.result;
  if (data === undefined && isError) return null;
  return (
    <Card isFlush className="flex flex-col">
      <h3 className="px-3 pt-4 text-14 font-semibold sm:px-4">Liquidity ladder</h3>
      <p className="min-h-5 px-3 pb-2 text-13 text-muted sm:px-4">
        {data === undefined
          ? ''
          : data.liquidity.instant_assets === null
            ? 'What can be paid on demand is not known yet.'
            : `${assetsText(vault, data.liquidity.instant_assets)} is liquid: idle, and what sources release on demand.`}
      </p>
      {data === undefined ? (
        <RowSkeletons rows={6} />
      ) : data.liquidity.ladder.length === 0 ? (
        <Empty title="Nothing was read yet">The steps appear with the first reading of the sources.</Empty>
      ) : (
        <PlainTable
          label="Liquidity ladder"
          head={['Paid', 'Assets', 'Share']}
          rows={data.liquidity.ladder.map(({ bucket, assets, share }, index) => ({
            id: bucket,
            cells: [
              bucketWords[bucket],
              <ReceiptValue
                key="assets"
                of={of}
                path={`liquidity.ladder.${index}.assets`}
                label={`assets paid ${bucketWords[bucket].toLowerCase()}`}
              >
                {assetsText(vault, assets)}
              </ReceiptValue>,
              <Share key="share" share={share} />,
            ],
          }))}
        />
      )}
    </Card>
  );
}

function Share({ share }: { share: number | null }) {
  if (share === null) return NONE;
  return (
    <span className="inline-flex items-center gap-2">
      {formatShare(share)}
      <span aria-hidden="true" className="block h-1.5 w-16 overflow-hidden rounded-full bg-raised sm:w-32">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${Math.min(1, share) * 100}%` }} />
      </span>
    </span>
  );
}
