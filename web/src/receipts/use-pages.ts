import { useInfiniteQuery } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { useLastingError } from '../data/lasting-error.ts';
import { keys } from '../data/queries.ts';
import { type AnalyticsQuery, type AnalyticsResult, readAnalytics } from '../data/use-analytics.ts';
import { WINDOWS_MS } from '../data/use-live.ts';
import { useMoment } from '../moment/use-moment.ts';
import type { Read } from './metric.tsx';
import type { ReceiptOf } from './receipt.ts';

/** Analytics reads that answer page by page. */
export type ListId = 'analyticsTransactions' | 'analyticsFees' | 'analyticsTopHolders' | 'analyticsRedemptions';
export type ListQuery<K extends ListId> = Omit<AnalyticsQuery<K>, 'limit' | 'cursor'>;

/** Lists stand as long as the server lets them (API, column Stale). */
const STALE_MS = 30_000;
const PAGE = '25';

/**
 * A list of a vault page by page, newest first; all pages are of one block, which the cursor carries. `head` is the first
 * page in the form that figures take.
 */
export function usePages<K extends ListId>(source: ReceiptOf<K>['source'], id: K, query: ListQuery<K>) {
  const { api } = useApp();
  const { at } = useMoment();
  const { chain_id, vault_address } = source.vault;
  const moment = at ?? 'now';
  const isResting = source.live.mode === 'paused' || source.live.mode === 'hidden';
  const restMs = source.live.mode === 'stream' ? WINDOWS_MS : STALE_MS;
  const list = useInfiniteQuery({
    queryKey: [...keys.analytics(chain_id, vault_address, moment), id, 'pages', query],
    queryFn: ({ pageParam }) =>
      readAnalytics(api, id, source, {
        ...query,
        limit: PAGE,
        ...(pageParam === null ? {} : { cursor: pageParam }),
        ...(at === undefined ? {} : { at }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: AnalyticsResult<K>) => page.next_cursor,
    placeholderData: (before, asked) => (asked?.queryKey[3] === moment ? before : undefined),
    staleTime: at === undefined ? STALE_MS : Number.POSITIVE_INFINITY,
    // Somebody who reads on page three is not interrupted by news on page one.
    refetchInterval: ({ state }) =>
      at !== undefined || isResting || (state.data?.pages.length ?? 0) > 1 ? false : restMs,
  });
  const { data, isPlaceholderData, refetch, dataUpdatedAt } = list;
  const error = useLastingError(list);
  const head = {
    source,
    id,
    query,
    result: { data: data?.pages[0], error, isError: error !== null, isPlaceholderData, refetch, dataUpdatedAt },
  } as unknown as Read<K>;
  return { list, head };
}

export type Pages<K extends ListId> = ReturnType<typeof usePages<K>>;
