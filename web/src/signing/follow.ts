import type { PreparedResource } from '@castellan/contracts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import { explain } from '../design/explain.ts';

export type Transaction = Awaited<ReturnType<Api['transaction']>>;

/** What is known of a sent call: what the server follows, and the transaction itself. */
export type Followed = { resource: PreparedResource | undefined; transaction: Transaction | undefined };

const POLL_MS = 1_000;
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

/**
 * Reports to the server which transaction carries the call, and asks what became of both until nothing more will happen. That the
 * report fails stops nothing: the transaction is on its way.
 */
export function useFollowed(chainId: number, id: string, hash: string | undefined) {
  const { api } = useApp();
  const broadcast = useMutation({
    mutationFn: (tx_hash: string) => api.broadcastPrepared({ params: { id }, body: { tx_hash } }),
    retry: (failures, error) => failures < 20 && mayPass(error),
    retryDelay: (failures) => Math.min(REPORT_AGAIN_MS * 2 ** failures, LONGEST_PAUSE_MS),
  });
  const report = useEffectEvent((sent: string) => broadcast.mutate(sent));
  useEffect(() => {
    if (hash !== undefined) report(hash);
  }, [hash]);

  const resource = useQuery({
    queryKey: ['prepared', id, hash],
    queryFn: () => api.getPrepared({ params: { id }, query: {} }),
    enabled: broadcast.isSuccess,
    refetchInterval: ({ state }) => (ends.includes(state.data?.status ?? '') ? false : POLL_MS),
    staleTime: 0,
  });
  const known = resource.data ?? broadcast.data;
  const transaction = useQuery({
    queryKey: ['transaction', chainId, hash],
    queryFn: () => api.transaction({ params: { chain_id: String(chainId), tx_hash: hash ?? '' } }),
    enabled: hash !== undefined,
    refetchInterval: ({ state }) =>
      state.data?.indexed === true || ['reverted', 'replaced'].includes(state.data?.status ?? '') ? false : POLL_MS,
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
