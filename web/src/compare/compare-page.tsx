import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { useLastingError } from '../data/lasting-error.ts';
import { POLL_MS, publicVaultsQuery } from '../data/queries.ts';
import { useHead } from '../design/head.ts';
import { Empty, Failure, Notice, Skeleton } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { NotUpdated } from '../live/not-updated.tsx';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { isPeriod, type Period } from '../period/period.ts';
import { PeriodPicker } from '../period/period-picker.tsx';
import { type ChosenVault, chosenFrom, chosenText, LEAST_VAULTS, vaultKey } from './chosen.ts';
import { CompareCharts } from './compare-charts.tsx';
import { CompareTable } from './compare-table.tsx';
import type { Comparison } from './comparison.ts';
import { VaultPicker } from './vault-picker.tsx';

const compareQuery = (api: Api, vaults: readonly ChosenVault[], period: Period) => ({
  queryKey: ['compare', vaults.map(vaultKey), period] as const,
  queryFn: () => api.analyticsCompare({ body: { vaults: [...vaults], period, points: 120 } }),
  enabled: vaults.length >= LEAST_VAULTS,
  placeholderData: keepPreviousData,
  refetchInterval: 2 * POLL_MS,
});

/** Two to ten vaults side by side; which, and over which period, stands in the URL. */
export function ComparePage() {
  const { api, config } = useApp();
  useHead('Compare vaults', 'Vaults side by side: return, APY, total value, risk and holders over one period.', {
    canonical: `${config.public_url}/compare`,
  });
  const [search, setSearch] = useSearchParams();
  const { vaults, unread } = chosenFrom(search.get('vaults'), config);
  const text = search.get('period');
  const period: Period = isPeriod(text) ? text : '30d';
  const listed = useQuery(publicVaultsQuery(api));
  const compared = useQuery(compareQuery(api, vaults, period));
  const error = useLastingError(compared);
  const put = (name: string, value: string) =>
    setSearch(
      (before) => {
        if (value === '') before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 py-6 sm:px-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-28 font-semibold tracking-tight">Compare vaults</h1>
        <PeriodPicker period={period} ageSeconds={Number.POSITIVE_INFINITY} onChange={(next) => put('period', next)} />
      </div>
      {unread.length === 0 ? null : (
        <Notice tone="warn" title="A part of this link could not be read">
          <code className="font-mono break-all">{unread.join(', ')}</code> is not a chain and an address of a vault.
        </Notice>
      )}
      <ReadTrouble of={listed} what="The list of vaults" />
      <VaultPicker chosen={vaults} listed={listed.data} onChange={(next) => put('vaults', chosenText(next))} />
      {vaults.length < LEAST_VAULTS ? (
        <div className="rounded-card border bg-surface">
          <Empty title="Choose at least two vaults">Their figures and charts then appear here side by side.</Empty>
        </div>
      ) : (
        <Compared
          comparison={compared.data}
          error={error}
          readAt={compared.dataUpdatedAt}
          isOld={compared.isPlaceholderData || error !== null}
          retry={() => void compared.refetch()}
          period={period}
        />
      )}
      <p className="text-13 text-muted">
        <Link to="/" className="link">
          See all vaults
        </Link>
      </p>
    </div>
  );
}

type ComparedProps = {
  comparison: Comparison | undefined;
  error: unknown;
  readAt: number;
  isOld: boolean;
  retry: () => void;
  period: Period;
};

function Compared({ comparison, error, readAt, isOld, retry, period }: ComparedProps) {
  if (comparison === undefined) {
    return error == null ? (
      <div role="status" aria-label="Loading the comparison" className="flex flex-col gap-3">
        <Skeleton className="h-[30rem] w-full" />
        <Skeleton className="h-80 w-full" />
      </div>
    ) : (
      <Failure error={error} title="The vaults could not be compared" retry={retry} />
    );
  }
  return (
    <>
      {error == null ? null : <NotUpdated what="The comparison" readAt={readAt} error={error} retry={retry} />}
      <CompareTable comparison={comparison} isOld={isOld} />
      <CompareCharts comparison={comparison} period={period} isOld={isOld} />
      <p className="text-12 text-muted">
        {`From ${formatUtc(comparison.from)} to ${formatUtc(comparison.to)}. Returns are after fees.`}
      </p>
    </>
  );
}
