import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useApp } from '../../client/services.ts';
import { keys } from '../../data/queries.ts';
import { readAnalytics } from '../../data/use-analytics.ts';
import type { Shown } from '../vault-gate.tsx';
import { type Mark, merged, ofBreach, ofEvent } from './marks.ts';

/** What is asked for: all of the life, or one stretch of it. */
type Stretch = { period: 'all'; points: string } | { from: string; to?: string; points: string };

/** No mandate, or not for this reader: there is nothing to say of it. */
export const isNone = (error: unknown): boolean =>
  [401, 403, 404].includes((error as { status?: number } | null)?.status ?? 0);

/** How many broken promises are asked for, and how often: 2 000 of them, which no mandate that is kept comes near. */
const PAGE = '500';
const MOST_PAGES = 4;

/** Broken promises of a mandate that the reader may see, the latest; none where there is no mandate or it is not for them. */
function useBreaches({ vault: { chain_id, vault_address } }: Shown) {
  const { api } = useApp();
  return useQuery({
    queryKey: ['time-machine', chain_id, vault_address.toLowerCase(), 'breaches'],
    queryFn: async () => {
      const params = { chain_id: String(chain_id), vault_address };
      let page = await api.mandateBreaches({ params, query: { limit: PAGE } });
      const breaches = [...page.breaches];
      for (let pages = 1; page.next_cursor !== null && pages < MOST_PAGES; pages += 1) {
        page = await api.mandateBreaches({ params, query: { limit: PAGE, cursor: page.next_cursor } });
        breaches.push(...page.breaches);
      }
      return { breaches, left: page.next_cursor === null ? 0 : page.total - breaches.length };
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
    const inside = (broken?.breaches ?? [])
      .map(ofBreach)
      .filter(({ t }) => Date.parse(t) >= Date.parse(data.from) && Date.parse(t) <= Date.parse(data.to));
    return merged([...data.marks.map(ofEvent), ...inside]);
  }, [data, broken]);
  return {
    marks,
    /** Of how many events each kind shows only the last of each stretch of so many seconds; undefined where all of them are there. */
    thinned:
      data === undefined || data.interval_seconds === 0
        ? undefined
        : { total: data.total, seconds: data.interval_seconds },
    error: events.error,
    refetch: events.refetch,
    /** Whether broken promises are missing because they could not be read. */
    isWithoutBreaches: broken === undefined && breaches.isError && !isNone(breaches.error),
    refetchBreaches: breaches.refetch,
    /** How many of the oldest broken promises are missing because there are too many. */
    breachesLeft: broken?.left ?? 0,
  };
}
