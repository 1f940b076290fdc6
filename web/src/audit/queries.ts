import { infiniteQueryOptions } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import type { Vault } from '../data/queries.ts';
import { type AuditFilter, queryOf } from './filter.ts';

const PAGE = '50';
const keyOf = (viewer: string, { chain_id, vault_address }: Vault) =>
  ['audit', viewer, chain_id, vault_address.toLowerCase()] as const;
const after = (cursor: string | null) => (cursor === null ? {} : { cursor });

export const timelineQuery = (api: Api, viewer: string, vault: Vault, category: AuditFilter['category']) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(viewer, vault), 'timeline', category],
    queryFn: ({ pageParam }) =>
      api.timeline({
        params: { chain_id: String(vault.chain_id), vault_address: vault.vault_address },
        query: { limit: PAGE, ...(category === '' ? {} : { category }), ...after(pageParam) },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });

export const logQuery = (api: Api, viewer: string, vault: Vault, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(viewer, vault), 'log', filter],
    queryFn: ({ pageParam }) =>
      api.auditLogs({
        query: {
          vault_address: vault.vault_address,
          chain_id: String(vault.chain_id),
          limit: PAGE,
          ...queryOf(filter),
          ...after(pageParam),
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
