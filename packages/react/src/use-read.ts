import type { Client } from '@castellan/sdk';
import { type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type Castellan, useCastellan } from './provider.ts';
import type { ReadAnswer, ReadId, ReadInput } from './reads.ts';

/** Options of react-query that a read takes as they are. */
export type ReadOptions<K extends ReadId> = Pick<
  UseQueryOptions<ReadAnswer<K>>,
  'enabled' | 'gcTime' | 'placeholderData' | 'refetchInterval' | 'retry' | 'staleTime'
>;

type Ask = (input: object) => Promise<unknown>;

/**
 * Where the answer of a read is kept; without `input`, what the keys of all its answers begin with, and without `id` those of all reads.
 * @example
 * void queries.invalidateQueries({ queryKey: readKey(viewer, 'listAlerts') });
 */
export const readKey = <K extends ReadId>(viewer: string, id?: K, input?: ReadInput<K>): QueryKey => [
  'castellan',
  viewer,
  ...(id === undefined ? [] : [id]),
  ...(input === undefined ? [] : [input]),
];

/** A read as react-query takes it, for `useQuery`, `useQueries` and `prefetchQuery`. */
export const readQuery = <K extends ReadId>(
  { client, viewer }: Castellan,
  id: K,
  input: ReadInput<K>,
): { queryKey: QueryKey; queryFn: (context: { signal: AbortSignal }) => Promise<ReadAnswer<K>> } => ({
  queryKey: readKey(viewer, id, input),
  queryFn: ({ signal }) =>
    (client[id as keyof Client] as unknown as Ask)({ ...input, signal }) as Promise<ReadAnswer<K>>,
});

/**
 * The answer of a read, kept by react-query for the viewer of the provider.
 * @example
 * const hooks = useRead('registryHooks', { query: { chain_id: '1' } });
 */
export function useRead<K extends ReadId>(
  id: K,
  input: ReadInput<K>,
  options: ReadOptions<K> = {},
): UseQueryResult<ReadAnswer<K>> {
  return useQuery<ReadAnswer<K>>({ ...options, ...readQuery(useCastellan(), id, input) });
}
