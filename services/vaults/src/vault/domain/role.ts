import type { Managers } from './vault-facts.ts';

export type VaultRoleName = 'primary_manager' | 'secondary_manager' | 'view_only';

/** The role of a manager (wallet in lower case) on a vault; null for any other wallet. */
export function managerRoleOf(wallet: string, managers: Managers): Exclude<VaultRoleName, 'view_only'> | null {
  if (managers.primary.wallet === wallet) return 'primary_manager';
  return managers.secondary.some((manager) => manager.wallet === wallet) ? 'secondary_manager' : null;
}

/** The highest role a wallet (lower case) has on a vault; null without one. This alone decides a role in this service. */
export function roleOf(
  wallet: string | undefined,
  managers: Managers,
  viewers: ReadonlySet<string>,
): VaultRoleName | null {
  if (wallet === undefined) return null;
  return managerRoleOf(wallet, managers) ?? (viewers.has(wallet) ? 'view_only' : null);
}

const ranks: readonly (VaultRoleName | null)[] = [null, 'view_only', 'secondary_manager', 'primary_manager'];

/** Whether a role may do what takes another one: each may do what those below it may. */
export const isAtLeast = (role: VaultRoleName | null, least: VaultRoleName): boolean =>
  ranks.indexOf(role) >= ranks.indexOf(least);
