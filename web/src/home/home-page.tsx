import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useApp } from '../client/services.ts';
import { useLastingError } from '../data/lasting-error.ts';
import { publicVaultsQuery } from '../data/queries.ts';
import { Figure, Figures } from '../design/card.tsx';
import { useHead } from '../design/head.ts';
import { Failure, FigureSkeletons, RowSkeletons, Skeleton } from '../design/states.tsx';
import { formatCount, formatUsd, formatUsdFull, NONE } from '../format/figures.ts';
import { NotUpdated } from '../live/not-updated.tsx';
import { useSession } from '../session/use-session.ts';
import { totalsOf } from './totals.ts';
import { VaultList } from './vault-list.tsx';

const OperatorBand = lazy(async () => ({ default: (await import('./operator-band.tsx')).OperatorBand }));

export function HomePage() {
  const { api, config } = useApp();
  useHead('Vaults', 'On-chain vaults with their price, its age, their assets and the people who run them.', {
    canonical: `${config.public_url}/`,
  });
  const session = useSession();
  const vaults = useQuery(publicVaultsQuery(api));
  const error = useLastingError(vaults);
  const signedIn = session.status === 'signed_in';
  // Under the vaults of the wallet the list of all is a part of the page.
  const Title = signedIn ? 'h2' : 'h1';
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-6 px-4 py-6 sm:px-6">
      {signedIn ? (
        <>
          <h1 className="sr-only">Vaults</h1>
          <Suspense fallback={<Skeleton className="h-40 w-full" />}>
            <OperatorBand />
          </Suspense>
        </>
      ) : null}
      <section aria-labelledby="vaults-title" className="flex flex-col gap-4">
        <Title id="vaults-title" className="text-28 font-semibold tracking-tight">
          {signedIn ? 'All vaults' : 'Vaults'}
        </Title>
        {error === null ? null : vaults.data === undefined ? (
          <Failure error={error} title="The list of vaults could not be read" retry={() => vaults.refetch()} />
        ) : (
          <NotUpdated what="Vaults" readAt={vaults.dataUpdatedAt} error={error} retry={() => void vaults.refetch()} />
        )}
        {vaults.data ? (
          <>
            <Totals vaults={vaults.data} />
            <VaultList vaults={vaults.data} isStale={error !== null} />
          </>
        ) : null}
        {vaults.isPending && error === null ? (
          <>
            <FigureSkeletons count={4} />
            <div className="rounded-card border bg-surface">
              <RowSkeletons rows={5} />
            </div>
          </>
        ) : null}
      </section>
    </div>
  );
}

function Totals({ vaults }: { vaults: Parameters<typeof totalsOf>[0] }) {
  const totals = totalsOf(vaults);
  return (
    <Figures>
      <Figure
        label="Total value"
        value={totals.usd === null ? NONE : formatUsd(totals.usd)}
        exact={totals.usd === null ? undefined : formatUsdFull(totals.usd)}
      >
        {totals.unpriced === 0
          ? 'Assets in all listed vaults'
          : `${formatCount(totals.unpriced)} of ${formatCount(vaults.length)} without a dollar price`}
      </Figure>
      <Figure label="Listed vaults" value={formatCount(vaults.length)}>
        {`On ${formatCount(totals.chains)} ${totals.chains === 1 ? 'chain' : 'chains'}`}
      </Figure>
      <Figure label="Live" value={formatCount(totals.live)}>
        {totals.live === vaults.length
          ? 'Every vault takes deposits'
          : `${formatCount(vaults.length - totals.live)} need attention`}
      </Figure>
      <Figure label="Fresh prices" value={formatCount(totals.fresh)}>
        {`Of ${formatCount(vaults.length)}, within their update window`}
      </Figure>
    </Figures>
  );
}
