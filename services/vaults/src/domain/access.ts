import { roleOnVault, type VaultDetail } from '@castellan/contracts';
import type { Managers } from './vault-facts.ts';

export type VaultRoleName = 'primary_manager' | 'secondary_manager' | 'view_only';

/** The highest role a wallet (lower case) has on a vault; null without one. */
export function roleOf(
  wallet: string | undefined,
  managers: Managers,
  viewers: ReadonlySet<string>,
): VaultRoleName | null {
  if (wallet === undefined) return null;
  return roleOnVault(wallet, {
    primary: managers.primary.wallet,
    secondary: managers.secondary.map((manager) => manager.wallet),
    isViewer: viewers.has(wallet),
  });
}

/** Names of wallets (lower case) on one vault: the vault's label first, else the wallet's own name. */
export type NameOf = (wallet: string) => string | null;

/** The detail with people's names, and with the role of whoever asks. */
export function withPeople(
  detail: VaultDetail,
  people: { nameOf: NameOf; viewOnlyCount: number; role: VaultRoleName | null },
): VaultDetail {
  const named = ({ wallet_address }: { wallet_address: string }) => ({
    wallet_address,
    display_name: people.nameOf(wallet_address.toLowerCase()),
  });
  return {
    ...detail,
    managers: {
      primary: named(detail.managers.primary),
      secondary: detail.managers.secondary.map(named),
      view_only_count: people.viewOnlyCount,
    },
    my_role: people.role,
  };
}
