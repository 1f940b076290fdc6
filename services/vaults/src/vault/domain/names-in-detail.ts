import type { Role, VaultDetail } from '@castellan/contracts';

/** Names of wallets (lower case) on one vault: the vault's label first, else the wallet's own name. */
export type NameOf = (wallet: string) => string | null;

/** The detail with people's names, and with the caller's role. */
export function withPeople(
  detail: VaultDetail,
  people: { nameOf: NameOf; viewOnlyCount: number; role: Role | null },
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
