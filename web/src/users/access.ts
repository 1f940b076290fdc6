import type { VaultUser } from '../data/queries.ts';
import { sameAddress } from '../format/address.ts';

export type Role = 'primary_manager' | 'secondary_manager' | 'view_only';
export type Grant = VaultUser['roles'][number];
export type Row = { user: VaultUser['user']; grant: Grant };

const order: readonly Role[] = ['primary_manager', 'secondary_manager', 'view_only'];

/** One row per person and role on this vault, managers first. */
export function rowsOf(users: readonly VaultUser[], chainId: number, vaultAddress: string): Row[] {
  return users
    .flatMap(({ user, roles }) =>
      roles
        .filter((grant) => grant.chain_id === chainId && sameAddress(grant.vault_address, vaultAddress))
        .map((grant) => ({ user, grant })),
    )
    .sort((left, right) => order.indexOf(left.grant.role) - order.indexOf(right.grant.role));
}

/** What the page offers. The server decides anew on each call; this only keeps dead ends off the screen. */
export const canChangeAccess = (role: Role | null): boolean => role === 'primary_manager';

/** Oneself always; anyone as primary manager. */
export const canRename = (role: Role | null, wallet: string, self: string | undefined): boolean =>
  canChangeAccess(role) || sameAddress(wallet, self);

export const MAX_SECONDARY_MANAGERS = 5;
