import { AppError, type Caller, type GetMe, type ResultOf, type Role, type VerifyToken } from '@castellan/contracts';
import { isManagerRole } from '../domain/wallet-roles.ts';

type WalletRole = { chain_id: number; vault_address: string; role: Role };

/** Asks the owner of roles on every call: a role taken away is gone at once. */
export type RolesOf = (walletAddress: string) => Promise<readonly WalletRole[]>;

const known = (caller: Caller | undefined): Caller => {
  if (!caller) throw new AppError('TOKEN_MISSING', 'Send a bearer token.');
  return caller;
};

export const describeCaller =
  (rolesOf: RolesOf) =>
  async (caller: Caller | undefined): Promise<ResultOf<typeof GetMe>> => {
    const { wallet_address } = known(caller);
    const vaults = await rolesOf(wallet_address);
    return { wallet_address, is_manager: vaults.some(({ role }) => isManagerRole(role)), vaults: [...vaults] };
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
