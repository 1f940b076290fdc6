import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useApp } from '../../client/services.ts';
import { isReversed } from '../../lists/days.ts';
import type { Shown } from '../../vault/vault-gate.tsx';
import { useEngineVault } from '../use-strategies.ts';
import { type IntentFilter, queryOf } from './filter.ts';

const PAGE = '25';
const REST_MS = 15_000;

export function useIntents({ vault, live }: Shown, filter: IntentFilter) {
  const { api } = useApp();
  const { vault_id, root, isSignedIn } = useEngineVault(vault);
  const query = queryOf(filter);
  const enabled = isSignedIn && !isReversed(filter);
  const isResting = live.mode === 'paused' || live.mode === 'hidden';
  const list = useInfiniteQuery({
    queryKey: [...root, 'intents', query],
    queryFn: ({ pageParam }) =>
      api.listIntents({
        query: { vault_id, ...query, limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    enabled,
    // Somebody who reads on page three is not interrupted by news on page one.
    refetchInterval: ({ state }) => (isResting || (state.data?.pages.length ?? 0) > 1 ? false : REST_MS),
  });
  const facets = useQuery({
    queryKey: [...root, 'intent-facets', query],
    queryFn: () => api.intentFacets({ query: { vault_id, ...query } }),
    enabled,
    placeholderData: (before) => before,
    refetchInterval: isResting ? false : REST_MS,
  });
  return { list, facets };
}

/** One intent with all that happened to it. */
export function useIntent({ vault }: Pick<Shown, 'vault'>, id: string) {
  const { api } = useApp();
  const { root, isSignedIn } = useEngineVault(vault);
  const params = { id };
  const options = { enabled: isSignedIn, refetchInterval: REST_MS };
  const intent = useQuery({
    queryKey: [...root, 'intent', id],
    queryFn: () => api.getIntent({ params }),
    ...options,
  });
  const events = useQuery({
    queryKey: [...root, 'intent-events', id],
    queryFn: () => api.intentEvents({ params }),
    ...options,
  });
  const fills = useQuery({
    queryKey: [...root, 'intent-fills', id],
    queryFn: () => api.intentFills({ params }),
    ...options,
  });
  return { intent, events, fills };
}
