import type { Role } from './primitives.ts';

/**
 * What decides a role on a vault: who is the primary manager is that before all else, then a secondary manager, then a viewer.
 * Addresses are compared as they are written, so all of them are in one form (EIP-55 or lower case).
 * @param standing - Managers as the chain has them; `isViewer` whether the wallet was granted view-only access.
 * @returns the highest role of the wallet; null without one.
 */
export function roleOnVault(
  wallet: string,
  { primary, secondary, isViewer }: { primary: string; secondary: readonly string[]; isViewer: boolean },
): Role | null {
  if (wallet === primary) return 'primary_manager';
  if (secondary.includes(wallet)) return 'secondary_manager';
  return isViewer ? 'view_only' : null;
}
