import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApp } from '../../client/services.ts';
import { keys } from '../../data/queries.ts';
import { readAnalytics } from '../../data/use-analytics.ts';
import type { Shown } from '../vault-gate.tsx';
import { type Mark, merged, ofBreach, ofEvent } from './marks.ts';

/** What is asked for: all of the life, or one stretch of it. */
type Stretch = { period: 'all'; points: string } | { from: string; to?: string; points: string };

/** No mandate, or not for this reader: there is nothing to mark. */
const isNone = (error: unknown): boolean =>
  [401, 403, 404].includes((error as { status?: number } | null)?.status ?? 0);

/** Broken promises of a mandate that the reader may see; none where there is no mandate or it is not for them. */
function useBreaches({ vault: { chain_id, vault_address } }: Shown) {
  const { api } = useApp();
  return useQuery({
    queryKey: ['time-machine', chain_id, vault_address.toLowerCase(), 'breaches'],
    queryFn: async () => {
      const { breaches } = await api.mandateBreaches({
        params: { chain_id: String(chain_id), vault_address },
        query: { limit: '500' },
      });
      return breaches;
    },
    retry: false,
    staleTime: 60_000,
  });
}

/** Marks of events and of broken promises of a stretch, oldest first, whatever moment the page shows. */
export function useMarks(shown: Shown, stretch: Stretch) {
  const { api, staleMs } = useApp();
  const { chain_id, vault_address } = shown.vault;
  const events = useQuery({
    queryKey: [...keys.analytics(chain_id, vault_address, 'now'), 'analyticsMarks', stretch],
    queryFn: () => readAnalytics(api, 'analyticsMarks', shown, stretch),
    staleTime: staleMs('analyticsMarks'),
  });
  const breaches = useBreaches(shown);
  const { data } = events;
  const broken = breaches.data;
  const marks = useMemo<Mark[] | undefined>(() => {
    if (data === undefined) return undefined;
    const inside = (broken ?? [])
      .map(ofBreach)
      .filter(({ t }) => Date.parse(t) >= Date.parse(data.from) && Date.parse(t) <= Date.parse(data.to));
    return merged([...data.marks.map(ofEvent), ...inside]);
  }, [data, broken]);
  return {
    marks,
    /** Whether each kind shows only the last of each stretch, because there are too many. */
    isThinned: data !== undefined && data.interval_seconds > 0,
    error: events.error,
    refetch: events.refetch,
    /** Whether broken promises are missing because they could not be read. */
    isWithoutBreaches: broken === undefined && breaches.isError && !isNone(breaches.error),
    refetchBreaches: breaches.refetch,
  };
}
