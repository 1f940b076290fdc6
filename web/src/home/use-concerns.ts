import { useQueries } from '@tanstack/react-query';
import { useApp } from '../app/services.ts';
import { type MyVault, POLL_MS, type Vault, vaultQuery } from '../data/queries.ts';
import { useViewer } from '../session/use-session.ts';
import { type Concern, concernsOf } from './attention.ts';

/** More than this are watched by the list of vaults alone. */
export const MOST_WATCHED = 24;

/** What in own vaults must not be overlooked; the list and the badge count the same. */
export function useConcerns(vaults: readonly MyVault[]) {
  const { api } = useApp();
  const viewer = useViewer();
  const reads = useQueries({
    queries: vaults.slice(0, MOST_WATCHED).map((vault) => ({
      ...vaultQuery(api, viewer, vault.chain_id, vault.vault_address),
      refetchInterval: POLL_MS,
    })),
  });
  const details: Vault[] = reads.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const concerns: { vault: Vault; concern: Concern }[] = details.flatMap((vault) =>
    concernsOf(vault).map((concern) => ({ vault, concern })),
  );
  const pending = details.filter((vault) => vault.pending_manager_change !== null);
  return {
    details,
    concerns,
    pending,
    count: concerns.length + pending.length,
    isPending: reads.some((read) => read.isPending),
    unread: reads.filter(({ isError, data }) => isError && data === undefined).length,
  };
}
