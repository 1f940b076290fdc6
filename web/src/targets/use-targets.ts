import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { paramsOf, type Vault } from '../data/queries.ts';
import { useUnstreamedPollMs } from '../data/use-live.ts';
import { isConflict } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { useViewer } from '../session/use-session.ts';
import type { Targets } from './aims.ts';

type Ref = Pick<Vault, 'chain_id' | 'vault_address'>;
const keyOf = (viewer: string, { chain_id, vault_address }: Ref) =>
  ['allocation-targets', viewer, chain_id, vault_address.toLowerCase()] as const;

/** Targets and caps of a vault, for those with a role on it. */
export function useTargets(vault: Ref) {
  const { api } = useApp();
  const viewer = useViewer();
  return useQuery({
    queryKey: keyOf(viewer, vault),
    queryFn: () => api.allocationTargets({ params: paramsOf(vault) }),
    refetchInterval: useUnstreamedPollMs(),
  });
}

type Body = Parameters<ReturnType<typeof useApp>['api']['setAllocationTargets']>[0]['body'];

/** Sets all of them at once; those that somebody else set meanwhile are read, and not written over without a word. */
export function useSetTargets(vault: Ref, onSaved: () => void) {
  const { api } = useApp();
  const viewer = useViewer();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => api.setAllocationTargets({ params: paramsOf(vault), body }),
    onSuccess: (fresh) => {
      queries.setQueryData<Targets>(keyOf(viewer, vault), fresh);
      // Variables of the strategy language follow from them.
      void queries.invalidateQueries({ queryKey: ['strategies', viewer] });
      toast({ tone: 'info', title: 'Targets and caps are set', key: 'targets' });
      onSaved();
    },
    onError: (error) => {
      if (isConflict(error)) void queries.invalidateQueries({ queryKey: keyOf(viewer, vault) });
    },
  });
}
