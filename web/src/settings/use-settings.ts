import type { VaultSettings } from '@castellan/contracts';
import type { Asked } from '@castellan/sdk/calls';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { keys } from '../data/queries.ts';
import { usePollMs } from '../data/use-live.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';

export type Role = NonNullable<Shown['vault']['my_role']>;
/** A change somebody asked for on the page, to be prepared and signed. */
export type Ask = (title: string, change: Asked) => void;
/** What each section of the page is given. `ask` is absent for who may not change anything. */
export type SectionProps = { shown: Shown; settings: VaultSettings; role: Role | null; ask: Ask };

export const isPrimary = (role: Role | null): boolean => role === 'primary_manager';
export const isManager = (role: Role | null): boolean => role === 'primary_manager' || role === 'secondary_manager';

/** The settings as the chain has them now, and what brings them and the vault up to date after a change. */
export function useSettings({ vault }: Shown) {
  const { api } = useApp();
  const viewer = useViewer();
  const session = useSession();
  const queries = useQueryClient();
  const key = keys.settings(viewer, vault.chain_id, vault.vault_address);
  const settings = useQuery({
    queryKey: key,
    queryFn: () =>
      api.vaultSettings({ params: { chain_id: String(vault.chain_id), vault_address: vault.vault_address } }),
    enabled: session.status === 'signed_in',
    refetchInterval: usePollMs(),
  });
  const refresh = () => {
    void queries.invalidateQueries({ queryKey: key });
    void queries.invalidateQueries({ queryKey: keys.vault(viewer, vault.chain_id, vault.vault_address) });
  };
  return { settings, refresh };
}
