import { useInfiniteQuery } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { isReversed } from '../lists/days.ts';
import { useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { type FeedFilter, queryOf } from './filter.ts';

export const feedKey = ({ chain_id, vault_address }: Vault) => ['feed', chain_id, vault_address.toLowerCase()] as const;

/** A vault's feed page by page, newest first, up to a moment. A reader of later pages is not interrupted by news on page one. */
export function useFeed(
  { vault, live }: Pick<Shown, 'vault' | 'live'>,
  filter: FeedFilter,
  pageSize: number,
  until?: string,
) {
  const { api } = useApp();
  const viewer = useViewer();
  const list = useInfiniteQuery({
    queryKey: [...feedKey(vault), viewer, pageSize, filter, until],
    queryFn: ({ pageParam }) =>
      api.feed({
        params: { chain_id: String(vault.chain_id), vault_address: vault.vault_address },
        query: {
          limit: String(pageSize),
          ...queryOf(filter),
          ...(until === undefined ? {} : { to: until }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: !isReversed(filter),
    // What happened up to a past moment does not change.
    refetchInterval: ({ state }) => (until !== undefined || (state.data?.pages.length ?? 0) > 1 ? false : live.pollMs),
  });
  // A page that began before an item came may hold it again.
  const all = list.data?.pages.flatMap((page) => page.items) ?? [];
  const items = [...new Map(all.map((item) => [item.id, item])).values()];
  return { list, items, total: list.data?.pages[0]?.total ?? 0, isRead: list.data !== undefined };
}
