import { infiniteQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { type AlertFilter, narrowingOf } from './alert-filter.ts';
import { alertsQuery } from './queries.ts';

/** The pages of a list that somebody reads on in; they are not read anew under their eyes, only after a change. */
const pagesQuery = (api: Api, viewer: string, filter: AlertFilter) =>
  infiniteQueryOptions({
    queryKey: ['alerts', viewer, 'pages', filter] as const,
    queryFn: ({ pageParam }) =>
      api.listAlerts({
        query: {
          status: filter.status,
          limit: '100',
          ...narrowingOf(filter),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * The alerts that the filter names, newest first. The first page is the answer that the badge has where the filter is the usual one, and is
 * kept up to date; the list goes on from it on request.
 */
export function useAlertList(filter: AlertFilter) {
  const { api } = useApp();
  const viewer = useViewer();
  const queries = useQueryClient();
  const enabled = useSession().status === 'signed_in';
  const [readOn, setReadOn] = useState('');
  const name = JSON.stringify(filter);
  // Another filter begins with its first page again, which is kept up to date; pages that were read on are not.
  if (readOn !== '' && readOn !== name) setReadOn('');
  const isReadOn = readOn === name;
  const first = useQuery({ ...alertsQuery(api, viewer, filter.status, narrowingOf(filter)), enabled });
  const options = pagesQuery(api, viewer, filter);
  const rest = useInfiniteQuery({ ...options, enabled: enabled && isReadOn });
  const readFurther = async () => {
    if (first.data === undefined) return;
    queries.setQueryData(options.queryKey, { pages: [first.data], pageParams: [null] });
    setReadOn(name);
    await rest.fetchNextPage();
  };
  const pages = useMemo(
    () => (isReadOn && rest.data !== undefined ? rest.data.pages : first.data === undefined ? [] : [first.data]),
    [isReadOn, rest.data, first.data],
  );
  const alerts = useMemo(() => (pages.length === 0 ? undefined : pages.flatMap((page) => page.alerts)), [pages]);
  return {
    // That a later page could not be read is said at the end of the list.
    read: isReadOn && !rest.isFetchNextPageError ? rest : first,
    alerts,
    total: pages[0]?.total ?? 0,
    isReadOn,
    more: isReadOn
      ? rest
      : {
          hasNextPage: first.data?.has_more === true,
          isFetchingNextPage: false,
          isFetchNextPageError: false,
          error: null,
          fetchNextPage: readFurther,
        },
  };
}
