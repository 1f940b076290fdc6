import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { type MyVault, POLL_MS, paramsOf } from '../data/queries.ts';

type AlertsAsked = NonNullable<Parameters<Api['listAlerts']>[0]['query']>;
export type AlertStatusFilter = NonNullable<AlertsAsked['status']>;
/** What of the own vaults' alerts is asked for besides their status; nothing of it: those of all vaults. */
export type AlertNarrowing = Omit<AlertsAsked, 'status' | 'cursor'>;

/** The badge, the page and the list of what needs attention read the same answer, so they cannot count differently. */
export const alertsQuery = (api: Api, viewer: string, status: AlertStatusFilter, narrowing: AlertNarrowing = {}) =>
  queryOptions({
    queryKey: ['alerts', viewer, 'list', status, narrowing] as const,
    queryFn: () => api.listAlerts({ query: { status, limit: '100', ...narrowing } }),
    refetchInterval: POLL_MS,
  });

export const rulesQuery = (api: Api, viewer: string, chainId: number, address: string) =>
  queryOptions({
    queryKey: ['alerts', viewer, 'rules', chainId, address] as const,
    queryFn: () => api.alertRules({ query: { chain_id: String(chainId), vault_address: address } }),
  });

/** Rules that managers made, with the figures that others can be about. */
export const ownRulesQuery = (api: Api, viewer: string, vault: MyVault) =>
  queryOptions({
    queryKey: ['alerts', viewer, 'own-rules', vault.chain_id, vault.vault_address] as const,
    queryFn: () => api.ownAlertRules({ params: paramsOf(vault) }),
  });

export const channelsQuery = (api: Api, viewer: string) =>
  queryOptions({ queryKey: ['alerts', viewer, 'channels'] as const, queryFn: () => api.listChannels({}) });

/** While something waits for a channel its next try is never far. */
const WAITING_POLL_MS = 5_000;

/** Channels of a vault and how far each has come, which moves by itself. */
export const bindingsQuery = (api: Api, viewer: string, chainId: number, address: string) =>
  queryOptions({
    queryKey: ['alerts', viewer, 'bindings', chainId, address] as const,
    queryFn: () => api.vaultChannels({ params: { chain_id: String(chainId), vault_address: address } }),
    refetchInterval: ({ state }) =>
      state.data?.channels.some(({ waiting }) => waiting > 0) ? WAITING_POLL_MS : POLL_MS,
  });

/** Shifts change by the hour; somebody who just came on duty may be a minute late on the screen. */
const DUTY_POLL_MS = 60_000;

/** Who is on duty for a vault, and who comes next. */
export const dutyQuery = (api: Api, viewer: string, vault: { chain_id: number; vault_address: string }) =>
  queryOptions({
    queryKey: ['alerts', viewer, 'duty', vault.chain_id, vault.vault_address] as const,
    queryFn: () => api.duty({ params: paramsOf(vault) }),
    refetchInterval: DUTY_POLL_MS,
  });

/** Who is on duty now, of every own vault that has a rota. */
export const dutyNowQuery = (api: Api, viewer: string) =>
  queryOptions({
    queryKey: ['alerts', viewer, 'duty-now'] as const,
    queryFn: () => api.dutyNow({}),
    refetchInterval: DUTY_POLL_MS,
  });

export const deliveriesQuery = (api: Api, viewer: string, channelId: string) =>
  queryOptions({
    queryKey: ['alerts', viewer, 'deliveries', channelId] as const,
    queryFn: () => api.listDeliveries({ params: { channel_id: channelId }, query: { limit: '20' } }),
  });

export type Alert = Awaited<ReturnType<Api['listAlerts']>>['alerts'][number];
export type AlertRule = Awaited<ReturnType<Api['alertRules']>>['rules'][number];
export type OwnRules = Awaited<ReturnType<Api['ownAlertRules']>>;
export type OwnRule = OwnRules['rules'][number];
export type OfferedMetric = OwnRules['metrics'][number];
export type OwnBacktest = Awaited<ReturnType<Api['backtestOwnAlertRule']>>;
export type Channel = Awaited<ReturnType<Api['listChannels']>>['channels'][number];
export type Binding = Awaited<ReturnType<Api['vaultChannels']>>['channels'][number];
export type DutyNow = Awaited<ReturnType<Api['dutyNow']>>['vaults'][number];
export type Delivery = Awaited<ReturnType<Api['listDeliveries']>>['deliveries'][number];
