import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { keys, paramsOf, type Vault } from '../data/queries.ts';
import { useUnstreamedPollMs } from '../data/use-live.ts';
import { useViewer } from '../session/use-session.ts';

/** The sources of a vault with what each holds and is worth, and what reads them anew after a change. */
export function useSources(vault: Pick<Vault, 'chain_id' | 'vault_address'>) {
  const { api } = useApp();
  const viewer = useViewer();
  const queries = useQueryClient();
  const { chain_id, vault_address } = vault;
  const queryKey = ['yield-sources', chain_id, vault_address.toLowerCase()];
  const list = useQuery({
    queryKey,
    queryFn: () => api.yieldSources({ params: paramsOf(vault) }),
    refetchInterval: useUnstreamedPollMs(),
  });
  const refresh = () => {
    void queries.invalidateQueries({ queryKey });
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, chain_id, vault_address) });
  };
  return { list, refresh };
}
