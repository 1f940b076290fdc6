import { useMemo } from 'react';
import { Link } from 'react-router';
import { StillChart } from '../charts/still-chart.tsx';
import { price } from '../charts/units.ts';
import { Card } from '../design/card.tsx';
import { Later } from '../design/later.tsx';
import { formatShare, formatUsd } from '../format/figures.ts';
import { useMoment } from '../moment/use-moment.ts';
import { useView } from '../period/use-view.ts';
import type { Read } from '../receipts/metric.tsx';
import { useRead } from '../receipts/use-read.ts';
import { colourOf, Donut } from './donut.tsx';
import { Headline } from './headline.tsx';
import { noValue, useTvlSeries } from './performance/tvl-series.ts';
import { markSeries, placesOf, priceSeries, priceTakeaway } from './pricing/price-series.ts';
import { useSectionLink } from './section-link.ts';
import { SectionSummaries } from './section-summaries.tsx';
import { slicesOf } from './slices.ts';
import type { Shown } from './vault-gate.tsx';

type Props = { shown: Shown };

/**
 * The vault on two or three screens: what it holds and what a share is worth, their course, where the money is, and where each
 * section begins. A past moment has what history keeps of it.
 */
export function Overview({ shown }: Props) {
  const { span } = useView(shown.vault);
  const { at } = useMoment();
  // Fewer points than the chart of the section: nobody reads these one by one.
  const pps = useRead(shown, 'analyticsPps', { ...span, points: '100' });
  return (
    <>
      <Headline shown={shown} pps={pps} />
      <Later>
        <div className="grid grid-cols-1 gap-3 xl:grid-cols-2">
          <PriceCourse shown={shown} pps={pps} />
          <ValueCourse shown={shown} />
        </div>
        <Later>
          {at === undefined ? <AllocationInShort shown={shown} /> : null}
          <SectionSummaries shown={shown} />
        </Later>
      </Later>
    </>
  );
}

function PriceCourse({ shown, pps }: Props & { pps: Read<'analyticsPps'> }) {
  const { vault } = shown;
  const { words } = useView(vault);
  const linkTo = useSectionLink(shown);
  const { data, error, isPlaceholderData, dataUpdatedAt, refetch } = pps.result;
  const series = useMemo(() => (data === undefined ? [] : [...priceSeries(data), ...markSeries(data)]), [data]);
  const places = data === undefined ? 6 : placesOf(data);
  const unit = useMemo(() => price(vault.asset.symbol, places), [vault.asset.symbol, places]);
  return (
    <StillChart
      title="Course of the price"
      takeaway={data === undefined ? undefined : priceTakeaway(data, words)}
      series={series}
      unit={unit}
      link={
        <Link to={linkTo('pricing')} className="link">
          Read the prices
        </Link>
      }
      empty={{ title: 'No price in this period', detail: 'Each report that the chain accepts adds a step here.' }}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void refetch()}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}

function ValueCourse({ shown }: Props) {
  const { unit } = useView(shown.vault);
  const linkTo = useSectionLink(shown);
  const { series, drawnUnit, takeaway, read } = useTvlSeries(shown);
  const { data, error, isPlaceholderData, dataUpdatedAt, refetch } = read;
  return (
    <StillChart
      title="Course of the value"
      takeaway={takeaway}
      series={series}
      unit={drawnUnit}
      link={
        <Link to={linkTo('performance')} className="link">
          Read the values
        </Link>
      }
      empty={noValue(unit)}
      isLoading={data === undefined && error === null}
      error={error}
      readAt={dataUpdatedAt}
      onRetry={() => void refetch()}
      className={isPlaceholderData ? 'opacity-70' : ''}
    />
  );
}

/** The largest sources and their shares; the section has all of them, and how it was before. */
function AllocationInShort({ shown }: Props) {
  const { vault } = shown;
  const linkTo = useSectionLink(shown);
  const slices = useMemo(() => slicesOf(vault.allocation), [vault.allocation]);
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex items-baseline justify-between gap-3">
        <h3 className="text-14 font-semibold">Where the assets are</h3>
        <Link to={linkTo('allocation')} className="link text-13">
          Read the allocation
        </Link>
      </div>
      {slices.length === 0 ? (
        <p className="text-13 text-muted">Nothing is allocated yet, or no share is known at this block.</p>
      ) : (
        <div className="flex flex-wrap items-center gap-x-8 gap-y-3 max-sm:justify-center">
          <Donut slices={slices} total={vault.tvl_usd === null ? undefined : formatUsd(vault.tvl_usd)} />
          <dl className="flex min-w-0 flex-1 basis-64 flex-col divide-y text-13">
            {slices.map(({ id, name, share }, index) => (
              <div key={id} className="flex min-h-9 items-center justify-between gap-4 py-1">
                <dt className="flex min-w-0 items-center gap-2">
                  <span
                    aria-hidden="true"
                    className="size-2.5 shrink-0 rounded-sm"
                    style={{ background: id === 'other' ? 'var(--series-other)' : colourOf(index) }}
                  />
                  <span className="truncate">{name}</span>
                </dt>
                <dd>{formatShare(share)}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </Card>
  );
}
