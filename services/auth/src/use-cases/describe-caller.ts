import {
  type Caller,
  type GetMe,
  isWithinBinding,
  type ResultOf,
  type Role,
  type VerifyToken,
} from '@castellan/contracts';
import { known } from './full-session.ts';

type WalletRole = { chain_id: number; vault_address: string; role: Role };

/** Asks the owner of roles on every call: a role taken away is gone at once. */
export type RolesOf = (walletAddress: string) => Promise<readonly WalletRole[]>;

/** A token bound to a vault has its wallet's role there, and none elsewhere. */
export const describeCaller =
  (rolesOf: RolesOf) =>
  async (asking: Caller | undefined): Promise<ResultOf<typeof GetMe>> => {
    const caller = known(asking);
    const roles = await rolesOf(caller.wallet_address);
    const vaults = roles.filter((role) => isWithinBinding(caller, role));
    return {
      wallet_address: caller.wallet_address,
      is_manager: vaults.some(({ role }) => role !== 'view_only'),
      vaults,
    };
  };

export const verifyCaller =
  (rolesOf: RolesOf) =>
  async (caller: Caller | undefined): Promise<ResultOf<typeof VerifyToken>> => {
    const { wallet_address, is_manager, vaults } = await describeCaller(rolesOf)(caller);
    return {
      verified: true,
      walletAddress: wallet_address,
      isManager: is_manager,
      vaults: [...new Set(vaults.map(({ vault_address }) => vault_address))],
    };
  };
