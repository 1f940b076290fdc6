import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { keys, usersQuery } from '../data/queries.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import { rowsOf } from './access.ts';

/** Everyone with a role on the vault, and what brings the list up to date after a change. */
export function usePeople({ vault, live }: Shown) {
  const { api } = useApp();
  const viewer = useViewer();
  const session = useSession();
  const queries = useQueryClient();
  const users = useInfiniteQuery({
    ...usersQuery(api, viewer, vault.chain_id, vault.vault_address),
    enabled: session.status === 'signed_in',
    refetchInterval: live.pollMs,
  });
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: keys.users(viewer, vault.chain_id, vault.vault_address) });
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, vault.chain_id, vault.vault_address) });
  };
  const rows = rowsOf(users.data?.pages.flatMap((page) => page.users) ?? [], vault.chain_id, vault.vault_address);
  return { users, rows, refresh, isSignedIn: session.status === 'signed_in' };
}
