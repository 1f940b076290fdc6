import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useCastellan } from './provider.ts';
import type { AnalyticsId, AnalyticsQuery, ReadAnswer, ReadInput } from './reads.ts';
import { type ReadOptions, readKey, useRead } from './use-read.ts';

/** A vault, as everything in the API names it. */
export type VaultPlace = { chain_id: number; vault_address: string };

const paramsOf = ({ chain_id, vault_address }: VaultPlace) => ({ chain_id: String(chain_id), vault_address });

/** Vaults on which the viewer has a role. */
export const useVaults = (options?: ReadOptions<'myVaults'>): UseQueryResult<ReadAnswer<'myVaults'>> =>
  useRead('myVaults', { query: { detail: 'full', limit: '500' } }, options);

/** Vaults that everybody may see. */
export const usePublicVaults = (options?: ReadOptions<'publicVaults'>): UseQueryResult<ReadAnswer<'publicVaults'>> =>
  useRead('publicVaults', {}, options);

/** One vault as it is now. */
export const useVault = (vault: VaultPlace, options?: ReadOptions<'vault'>): UseQueryResult<ReadAnswer<'vault'>> =>
  useRead('vault', { params: paramsOf(vault) }, options);

/**
 * Figures of a vault's history.
 * @example
 * const tvl = useAnalytics('analyticsTvl', vault, { period: '30d', points: '200' });
 */
export const useAnalytics = <K extends AnalyticsId>(
  id: K,
  vault: VaultPlace,
  query: AnalyticsQuery<K> = {} as AnalyticsQuery<K>,
  options?: ReadOptions<K>,
): UseQueryResult<ReadAnswer<K>> => useRead(id, { params: paramsOf(vault), query } as unknown as ReadInput<K>, options);

/** Alerts of one vault, or of all where the viewer has a role. */
export const useAlerts = (
  query: NonNullable<ReadInput<'listAlerts'>['query']> = {},
  options?: ReadOptions<'listAlerts'>,
): UseQueryResult<ReadAnswer<'listAlerts'>> => useRead('listAlerts', { query }, options);

/** Whether a key is of a read about the vault. */
const isAbout = (key: readonly unknown[], { chain_id, vault_address }: VaultPlace): boolean => {
  const { params, query } = (key[3] ?? {}) as Record<'params' | 'query', Record<string, unknown> | undefined>;
  const place = { ...query, ...params };
  return (
    String(place.chain_id) === String(chain_id) &&
    String(place.vault_address).toLowerCase() === vault_address.toLowerCase()
  );
};

/**
 * Reads about the vault again when it changes, as long as the component is there. Asked for once, on the page of the vault.
 * @returns whether changes are pushed now; while they are not, ask now and then (`refetchInterval`).
 */
export function useVaultUpdates({ chain_id, vault_address }: VaultPlace): boolean {
  const { client, viewer } = useCastellan();
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    const stopping = new AbortController();
    const vault = { chain_id, vault_address };
    const readAgain = () =>
      void queries.invalidateQueries({
        queryKey: readKey(viewer),
        predicate: ({ queryKey }) => isAbout(queryKey, vault),
      });
    client
      .followVault({
        params: paramsOf(vault),
        signal: stopping.signal,
        onOpen: () => setIsOpen(true),
        onInterrupted: () => setIsOpen(false),
        onReset: readAgain,
        onEvent: readAgain,
      })
      // Refused for good, such as for a vault that is not there: the reads are refused too, and say why.
      .catch(() => setIsOpen(false));
    return () => {
      stopping.abort();
      setIsOpen(false);
    };
  }, [client, queries, viewer, chain_id, vault_address]);
  return isOpen;
}
