import type { PreparedResource } from '@castellan/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { HEAL_MS, keys } from '../data/queries.ts';
import type { LiveMode } from '../data/use-live.ts';
import { explain } from '../design/explain.ts';

export type Transaction = Awaited<ReturnType<Api['transaction']>>;

/** What is known of a sent call: what the server follows, and the transaction itself. */
export type Followed = { resource: PreparedResource | undefined; transaction: Transaction | undefined };

/** While no stream says when to read. */
const POLL_MS = 4_000;
const REPORT_AGAIN_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
const ends: readonly string[] = ['verified', 'failed_post_condition', 'reverted', 'replaced', 'expired'];

/** The state of a sent call; the transaction speaks while the server does not follow the call yet. */
export function stateOf({ resource, transaction }: Followed): PreparedResource['status'] {
  if (resource !== undefined && resource.status !== 'prepared' && resource.status !== 'expired') return resource.status;
  if (transaction?.status === 'mined') return 'mined';
  if (transaction?.status === 'reverted' || transaction?.status === 'replaced') return transaction.status;
  return 'broadcast';
}

export const isMined = (followed: Followed): boolean =>
  ['mined', 'confirmed', 'verified', 'failed_post_condition'].includes(stateOf(followed));

/** True once nothing more will happen that this page waits for. */
export function isSettled(followed: Followed): boolean {
  const state = stateOf(followed);
  if (state === 'reverted' || state === 'replaced') return true;
  const isIndexed = followed.transaction?.indexed === true;
  return isIndexed && (ends.includes(state) || (followed.resource === undefined && state === 'mined'));
}

/** Errors that may pass by themselves are retried: a server that is away, or one that has not seen the transaction yet. */
const mayPass = (error: unknown): boolean => {
  const status = (error as { status?: unknown } | null)?.status;
  return typeof status !== 'number' || status === 429 || status >= 500 || explain(error).code === undefined;
};

/** Which transaction carries a call, for the server. It goes on when the page that sent it is left. */
export const reportOf = (api: Api, id: string) => ({
  mutationFn: (tx_hash: string) => api.broadcastPrepared({ params: { id }, body: { tx_hash } }),
  retry: (failures: number, error: Error) => failures < 20 && mayPass(error),
  retryDelay: (failures: number) => Math.min(REPORT_AGAIN_MS * 2 ** failures, LONGEST_PAUSE_MS),
});

type Sent = { id: string; chainId: number; vault: string };

/**
 * Reports to the server which transaction carries the call, and reads what became of both, at each live event of the vault, until
 * nothing more will happen. That the report fails stops nothing: the transaction is on its way.
 */
export function useFollowed({ id, chainId, vault }: Sent, hash: string | undefined, mode: LiveMode) {
  const { api } = useApp();
  const broadcast = useMutation(reportOf(api, id));
  const report = useEffectEvent((sent: string) => broadcast.mutate(sent));
  useEffect(() => {
    if (hash !== undefined) report(hash);
  }, [hash]);

  const key = [...keys.sentCalls(chainId, vault), hash];
  // Of a call that the server does not follow the stream need not say anything.
  const refetchInterval = mode === 'stream' && broadcast.isSuccess ? HEAL_MS : POLL_MS;
  const resource = useQuery({
    queryKey: [...key, id],
    queryFn: () => api.getPrepared({ params: { id }, query: {} }),
    enabled: ({ state }) => broadcast.isSuccess && !ends.includes(state.data?.status ?? ''),
    refetchInterval,
    staleTime: 0,
  });
  const known = resource.data ?? broadcast.data;
  const transaction = useQuery({
    queryKey: key,
    queryFn: () => api.transaction({ params: { chain_id: String(chainId), tx_hash: hash ?? '' } }),
    enabled: ({ state: { data } }) =>
      hash !== undefined && data?.indexed !== true && !['reverted', 'replaced'].includes(data?.status ?? ''),
    refetchInterval,
    staleTime: 0,
  });
  return {
    followed: { resource: known, transaction: transaction.data },
    error: transaction.error ?? resource.error,
    reportFailure:
      broadcast.isError || broadcast.failureCount > 0 ? (broadcast.error ?? broadcast.failureReason) : null,
    reportAgain: () => {
      if (hash !== undefined) broadcast.mutate(hash);
    },
    canReportAgain: broadcast.isError,
  };
}
