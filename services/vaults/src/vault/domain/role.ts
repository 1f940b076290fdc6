import { roleOnVault } from '@castellan/contracts';
import type { Managers } from './vault-facts.ts';

/** What a wallet is to a vault. */
export type VaultRoleName = 'primary_manager' | 'secondary_manager' | 'view_only';

const rolesOf = ({ primary, secondary }: Managers) => ({
  primary: primary.wallet,
  secondary: secondary.map(({ wallet }) => wallet),
});

/** The role of a manager (wallet in lower case) on a vault; null for any other wallet. */
export function managerRoleOf(wallet: string, managers: Managers): Exclude<VaultRoleName, 'view_only'> | null {
  const role = roleOnVault(wallet, { ...rolesOf(managers), isViewer: false });
  return role === 'view_only' ? null : role;
}

/** The highest role a wallet (lower case) has on a vault; null without one. */
export const roleOf = (
  wallet: string | undefined,
  managers: Managers,
  viewers: ReadonlySet<string>,
): VaultRoleName | null =>
  wallet === undefined ? null : roleOnVault(wallet, { ...rolesOf(managers), isViewer: viewers.has(wallet) });

const ranks: readonly (VaultRoleName | null)[] = [null, 'view_only', 'secondary_manager', 'primary_manager'];

/** Whether a role may do what takes another one: each may do what those below it may. */
export const isAtLeast = (role: VaultRoleName | null, least: VaultRoleName): boolean =>
  ranks.indexOf(role) >= ranks.indexOf(least);
