import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Api } from '../../client/api.ts';
import { useApp } from '../../client/services.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { useEngineVault } from '../use-strategies.ts';

export type KeeperRecord = Awaited<ReturnType<Api['keeperRecord']>>;
export type Run = KeeperRecord['runs'][number];
export type Refusal = KeeperRecord['refusals'][number];
export type Totals = KeeperRecord['totals'][number];

export const keeperWindows = ['24h', '7d', '30d', '90d'] as const;
export type Window = (typeof keeperWindows)[number];
export const isWindow = (text: string | null): text is Window => keeperWindows.some((window) => window === text);

const PAGE = '25';
const REST_MS = 15_000;

/** What the keeper did for a vault over a window, page by page. */
export function useKeeper({ vault, live }: Shown, window: Window) {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  const isResting = live.mode === 'paused' || live.mode === 'hidden';
  const list = useInfiniteQuery({
    queryKey: [...root, 'keeper', window],
    queryFn: ({ pageParam }) =>
      api.keeperRecord({
        params: { vault_id },
        query: { window, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled: isSignedIn,
    // Somebody who reads on page three is not interrupted by news on page one.
    refetchInterval: ({ state }) => (isResting || (state.data?.pages.length ?? 0) > 1 ? false : REST_MS),
  });
  const pages = list.data?.pages ?? [];
  // The list stands still then; whether the keeper runs, what waits and what it has left go on.
  const now = useQuery({
    queryKey: [...root, 'keeper', window, 'now'],
    queryFn: () => api.keeperRecord({ params: { vault_id }, query: { window, limit: '1' } }),
    enabled: isSignedIn && pages.length > 1,
    refetchInterval: isResting ? false : REST_MS,
  });
  const isReadOn = pages.length > 1;
  return { list, head: (isReadOn ? now.data : undefined) ?? pages[0], headRead: isReadOn && now.data ? now : list };
}
