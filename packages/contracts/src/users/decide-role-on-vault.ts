import { type Role, roles } from '../primitives.ts';

/** Managers of a vault as the chain has them. Addresses are compared as they are written, so all are in one form (EIP-55 or lower case). */
type ManagerWallets = { primary: string; secondary: readonly string[] };

/** The role of a manager on a vault; null for any other wallet. */
export function managerRoleOnVault(
  wallet: string,
  { primary, secondary }: ManagerWallets,
): Exclude<Role, 'view_only'> | null {
  if (wallet === primary) return 'primary_manager';
  return secondary.includes(wallet) ? 'secondary_manager' : null;
}

/**
 * What decides a role on a vault: who is the primary manager is that before all else, then a secondary manager, then a viewer.
 * @param isViewer - Whether the wallet was granted view-only access.
 * @returns the highest role of the wallet; null without one.
 */
export const roleOnVault = (wallet: string, managers: ManagerWallets, isViewer: boolean): Role | null =>
  managerRoleOnVault(wallet, managers) ?? (isViewer ? 'view_only' : null);

/** Whether a role on a vault may do what takes another one: each may do what those below it may. */
export const isRoleAtLeast = (role: Role | null, least: Role): boolean =>
  role !== null && roles.indexOf(role) <= roles.indexOf(least);
