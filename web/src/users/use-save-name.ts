import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Api } from '../client/api.ts';
import { useApp } from '../client/services.ts';
import type { Vault, VaultUser } from '../data/queries.ts';
import { isConflict } from '../design/explain.ts';
import { sameAddress } from '../format/address.ts';

type User = VaultUser['user'];
/** The name that is there now, and the version that replaces it. */
export type Conflict = { name: string | null; version: number };

/** The present label of a wallet, read anew: the refusal says that it changed, not to what. */
async function presentName(api: Api, vault: Vault, wallet: string): Promise<Conflict> {
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<Api['users']>> = await api.users({
      query: {
        chain_id: String(vault.chain_id),
        vault_address: vault.vault_address,
        limit: '500',
        ...(cursor === null ? {} : { cursor }),
      },
    });
    const found = page.users.find(({ user }) => sameAddress(user.wallet_address, wallet));
    if (found) return { name: found.user.display_name, version: found.user.label_version };
    cursor = page.next_cursor;
  } while (cursor !== null);
  throw new Error('This wallet no longer has a role on the vault, so there is nothing to name.');
}

/** Saves a name over the version that was seen; another one there is a conflict, and nothing is written. */
export function useSaveName(vault: Vault, { wallet_address }: User, isSelf: boolean, onSaved: () => void) {
  const { api } = useApp();
  const [conflict, setConflict] = useState<Conflict>();
  const save = useMutation({
    mutationFn: async ({ name, version }: { name: string; version: number }): Promise<Conflict | undefined> => {
      const label = { vault_address: vault.vault_address, chain_id: vault.chain_id, version };
      try {
        await api.setDisplayName({
          params: { wallet_address },
          body: { display_name: name, ...(isSelf ? {} : label) },
        });
        return undefined;
      } catch (error) {
        if (!isConflict(error)) throw error;
        return presentName(api, vault, wallet_address);
      }
    },
    onSuccess: (found) => {
      setConflict(found);
      if (found === undefined) onSaved();
    },
    onError: () => setConflict(undefined),
  });
  return { save, conflict };
}
