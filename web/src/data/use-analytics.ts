import { formulasVersion } from '@castellan/contracts';
import { useQuery } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { useMoment } from '../moment/use-moment.ts';
import { useLastingError } from './lasting-error.ts';
import { keys } from './queries.ts';
import { type Live, WINDOWS_MS } from './use-live.ts';

/** Analytics reads of one vault. */
export type AnalyticsId = Exclude<
  Extract<keyof Api, `analytics${string}`>,
  'analyticsCompare' | 'analyticsExport' | 'analyticsSummaries'
>;
export type AnalyticsResult<K extends AnalyticsId> = Awaited<ReturnType<Api[K]>>;
export type AnalyticsQuery<K extends AnalyticsId> = Omit<
  NonNullable<Parameters<Api[K]>[0]['query']>,
  'at' | 'block' | 'receipt' | 'v'
>;

/** Which vault, and whether its figures are kept up to date. */
export type VaultSource = {
  vault: { chain_id: number; vault_address: string };
  live: Pick<Live, 'mode'>;
};

/** The `quality` of figures and when they are true, as every analytics answer carries them. */
export type Answer = Pick<AnalyticsResult<'analyticsOverview'>, 'as_of' | 'block_number' | 'quality' | 'receipts'>;

/** Asks one analytics read; shared by the page's figures and their receipts. What is asked of a moment the browser may keep for good. */
export function readAnalytics<K extends AnalyticsId>(
  api: Api,
  id: K,
  { vault }: VaultSource,
  query: object,
): Promise<AnalyticsResult<K>> {
  const params = { chain_id: String(vault.chain_id), vault_address: vault.vault_address };
  const read = api[id] as unknown as (input: { params: object; query: object }) => Promise<AnalyticsResult<K>>;
  const isFixed = 'at' in query || 'block' in query;
  return read({ params, query: isFixed ? { ...query, v: formulasVersion } : query });
}

/**
 * Figures of a vault at the moment the URL names, the present otherwise. While another period loads the earlier answer
 * stays (`isPlaceholderData`), so that nothing jumps.
 */
export function useAnalytics<K extends AnalyticsId>(
  source: VaultSource,
  id: K,
  query: AnalyticsQuery<K> = {} as AnalyticsQuery<K>,
  isEnabled = true,
) {
  const { api, staleMs } = useApp();
  const { at } = useMoment();
  const { chain_id, vault_address } = source.vault;
  const { live } = source;
  const isResting = live.mode === 'paused' || live.mode === 'hidden';
  const moment = at ?? 'now';
  const read = useQuery({
    queryKey: [...keys.analytics(chain_id, vault_address, moment), id, query],
    queryFn: () => readAnalytics(api, id, source, at === undefined ? query : { ...query, at }),
    placeholderData: (before, asked) => (asked?.queryKey[3] === moment ? before : undefined),
    enabled: isEnabled,
    // The past does not change; the present is asked for when the stream says that it did, or as often as the server may have
    // something new.
    staleTime: at === undefined ? staleMs(id) : Number.POSITIVE_INFINITY,
    refetchInterval: at !== undefined || isResting ? false : live.mode === 'stream' ? WINDOWS_MS : staleMs(id),
  });
  const { data, isPlaceholderData, refetch, dataUpdatedAt } = read;
  const error = useLastingError(read);
  return { data, error, isError: error !== null, isPlaceholderData, refetch, dataUpdatedAt };
}
