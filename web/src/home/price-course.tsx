import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Sparkline } from '../charts/sparkline.tsx';
import type { Point } from '../charts/types.ts';
import { useNear } from '../charts/use-size.ts';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { keys, type PublicVault } from '../data/queries.ts';
import { formatSignedShare, NONE } from '../format/figures.ts';
import { type ExactPrice, exactRatio } from '../vault/pricing/price-series.ts';

const REFRESH_MS = 60_000;

/** Another one with each price, which the list brings; the one before stands until it is there. */
const courseQuery = (api: Api, { chain_id, vault_address, current_pps }: PublicVault) => ({
  queryKey: [...keys.analytics(chain_id, vault_address, 'now'), 'course', current_pps] as const,
  queryFn: () =>
    api.analyticsPps({ params: { chain_id: String(chain_id), vault_address }, query: { period: '30d', points: '60' } }),
  placeholderData: keepPreviousData,
  staleTime: REFRESH_MS,
  refetchInterval: REFRESH_MS,
});

type Priced = { pps: string; net_pps_exact: ExactPrice | null };

/** The exact net price, or what the chain says while the fee is not known. */
const wholeOf = ({ pps, net_pps_exact: net }: Priced): ExactPrice => net ?? { numerator: pps, denominator: '1' };

/** Each price as a fraction of the first; after a first price of 0 none is known. */
const courseOf = (prices: readonly (Priced & { t: string })[]): Point[] =>
  prices.flatMap((price, _index, [first = price]) => {
    const change = exactRatio(wholeOf(price), wholeOf(first));
    return change === null ? [] : [[Date.parse(price.t), 1 + change]];
  });

/** The price after fees as it went over 30 days; asked for once the row comes near. */
export function PriceCourse({ vault }: { vault: PublicVault }) {
  const { api } = useApp();
  const ref = useRef<HTMLSpanElement>(null);
  const isNear = useNear(ref);
  const { data, isError } = useQuery({ ...courseQuery(api, vault), enabled: isNear });
  const points = courseOf(data?.points ?? []);
  const change = (points.at(-1)?.[1] ?? 1) - 1;
  return (
    <span ref={ref} className="block h-7 w-28">
      {points.length > 1 ? (
        <Sparkline points={points} label={`Price after fees over 30 days: ${formatSignedShare(change)}`} />
      ) : data === undefined && !isError ? null : (
        <span className="text-muted" title={isError ? 'The prices could not be read' : 'Fewer than two prices so far'}>
          {NONE}
        </span>
      )}
    </span>
  );
}
