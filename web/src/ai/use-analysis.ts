import type { Analysis } from '@castellan/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import type { Vault } from '../data/queries.ts';
import { explain } from '../design/explain.ts';
import { useSession, useViewer } from '../session/use-session.ts';

/** Asked about again at most this often: by then something is wrong, and it is said. */
const MOST_POLLS = 40;
const DEFAULT_SECONDS = 3;

const isNotReady = (error: unknown): boolean => explain(error).code === 'NOT_READY';

/** For how many seconds a refusal asks one to wait. */
export function secondsToWait(error: unknown): number | undefined {
  const seconds =
    typeof error === 'object' && error !== null && 'retry_after_seconds' in error
      ? error.retry_after_seconds
      : undefined;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

const pollMs = (error: unknown): number => (secondsToWait(error) ?? DEFAULT_SECONDS) * 1_000;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

type Vaultly = Pick<Vault, 'chain_id' | 'vault_address'>;
const ask = (api: Api, { chain_id, vault_address }: Vaultly, refresh: boolean): Promise<Analysis> =>
  api.analysis({
    params: { vault_address },
    query: { chain_id: String(chain_id), ...(refresh ? { refresh: 'true' as const } : {}) },
  });

/**
 * A new analysis. When the server answers that it is being written, it is polled without asking for another one, which would count against the
 * hour, until it differs from the one that was there.
 */
async function renew(api: Api, vault: Vaultly, before: Analysis | undefined): Promise<Analysis> {
  let waitMs: number;
  try {
    return await ask(api, vault, true);
  } catch (error) {
    if (!isNotReady(error)) throw error;
    waitMs = pollMs(error);
  }
  for (let polls = 0; polls < MOST_POLLS; polls += 1) {
    await pause(waitMs);
    try {
      const found = await ask(api, vault, false);
      if (found.generated_at !== before?.generated_at) return found;
    } catch (error) {
      if (!isNotReady(error)) throw error;
      waitMs = pollMs(error);
    }
  }
  throw new Error('The new analysis takes longer than it should. The one shown stays; ask again later.');
}

/** What the figures of a vault say, and the way to have it written anew. */
export function useAnalysis(vault: Vault) {
  const { api } = useApp();
  const queries = useQueryClient();
  const viewer = useViewer();
  const isSignedIn = useSession().status === 'signed_in';
  const queryKey = ['analysis', viewer, vault.chain_id, vault.vault_address.toLowerCase()];
  const analysis = useQuery({
    queryKey,
    queryFn: () => ask(api, vault, false),
    enabled: isSignedIn,
    retry: (failures, error) => isNotReady(error) && failures < MOST_POLLS,
    retryDelay: (_failures, error) => pollMs(error),
    staleTime: 60_000,
  });
  const refresh = useMutation({
    mutationFn: () => renew(api, vault, analysis.data),
    onSuccess: (found) => queries.setQueryData(queryKey, found),
  });
  return { analysis, refresh, isSignedIn, isBeingWritten: isNotReady(analysis.failureReason) };
}
