import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { keys } from '../data/queries.ts';
import { useUnstreamedPollMs } from '../data/use-live.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';

/** The last trial of the panic button, how to have it tried now, and what brings it and the vault up to date. */
export function useProof({ vault }: Shown) {
  const { api } = useApp();
  const viewer = useViewer();
  const session = useSession();
  const queries = useQueryClient();
  const key = ['pause-proof', viewer, vault.chain_id, vault.vault_address.toLowerCase()] as const;
  const params = { chain_id: String(vault.chain_id), vault_address: vault.vault_address };
  const proof = useQuery({
    queryKey: key,
    queryFn: () => api.pauseProof({ params, query: {} }),
    enabled: session.status === 'signed_in',
    refetchInterval: useUnstreamedPollMs(),
  });
  const check = useMutation({
    mutationFn: () => api.pauseProof({ params, query: { refresh: 'true' } }),
    onSuccess: (fresh) => queries.setQueryData(key, fresh),
  });
  const refresh = () => {
    // The other call is the one that may be needed now.
    check.mutate();
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, vault.chain_id, vault.vault_address) });
  };
  return { proof, check, refresh };
}
