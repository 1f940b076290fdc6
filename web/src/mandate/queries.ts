import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { keys, paramsOf } from '../data/queries.ts';

type Vault = { chain_id: number; vault_address: string };

const keyOf = (viewer: string, { chain_id, vault_address }: Vault, what: string) =>
  keys.mandate(viewer, chain_id, vault_address, what);

export const breachesQuery = (api: Api, viewer: string, vault: Vault, pollMs: number | false) =>
  queryOptions({
    queryKey: keyOf(viewer, vault, 'breaches'),
    queryFn: () => api.mandateBreaches({ params: paramsOf(vault), query: { limit: '100' } }),
    refetchInterval: pollMs,
  });

export const versionsQuery = (api: Api, viewer: string, vault: Vault) =>
  queryOptions({
    queryKey: keyOf(viewer, vault, 'versions'),
    queryFn: () => api.mandateVersions({ params: paramsOf(vault), query: { limit: '100' } }),
  });

export type Status = Awaited<ReturnType<Api['mandateStatus']>>;
export type Breach = Awaited<ReturnType<Api['mandateBreaches']>>['breaches'][number];
export type Version = Awaited<ReturnType<Api['mandateVersions']>>['versions'][number];
export type Backtest = Awaited<ReturnType<Api['backtestMandate']>>;
