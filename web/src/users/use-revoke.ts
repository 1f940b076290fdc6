import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { keys, type Vault } from '../data/queries.ts';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { nameOf } from '../format/address.ts';
import { useViewer } from '../session/use-session.ts';
import type { Row } from './access.ts';

export function useRevokeViewer(vault: Vault) {
  const { api } = useApp();
  const viewer = useViewer();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ user }: Row) =>
      api.revokeViewOnly({
        params: { wallet_address: user.wallet_address },
        query: { vault_address: vault.vault_address, chain_id: String(vault.chain_id) },
      }),
    onSuccess: (_, { user }) => {
      toast({ tone: 'info', title: `${nameOf(user)} no longer sees this vault in Operate` });
      return queries.invalidateQueries({ queryKey: keys.users(viewer, vault.chain_id, vault.vault_address) });
    },
    onError: (error) => {
      const { detail, requestId } = explain(error);
      toast({
        tone: 'critical',
        title: 'Access was not revoked',
        detail: requestId === undefined ? detail : `${detail} Request ${requestId}.`,
      });
    },
  });
}
