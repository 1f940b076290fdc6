import { AppError, type Caller } from '@castellan/contracts';
import type { Directory } from '../vault/adapters/directory.mongo.ts';
import type { Snapshot } from '../vault/adapters/snapshot-store.mongo.ts';
import type { VaultRoleName } from '../vault/domain/access.ts';
import { requireVault, requireWallet, roleOn, type VaultSource } from '../vault/use-cases/vault-view.ts';

export type MerkleAccess = VaultSource & { directory: Directory };
export type VaultParams = { chain_id: number; vault_address: string };

const ranks: readonly (VaultRoleName | null)[] = [null, 'view_only', 'secondary_manager', 'primary_manager'];
const who: Record<VaultRoleName, string> = {
  view_only: 'who has a role on this vault',
  secondary_manager: 'managers of this vault',
  primary_manager: 'the primary manager of this vault',
};

/**
 * The vault, for a caller whose role on it is high enough: any role reads, managers configure and generate, the primary manager
 * publishes.
 * @throws AppError TOKEN_MISSING, CHAIN_NOT_FOUND, NOT_READY, VAULT_NOT_FOUND, ROLE_REQUIRED.
 */
export async function requireRole(
  ports: MerkleAccess,
  { chain_id, vault_address }: VaultParams,
  caller: Caller | undefined,
  least: VaultRoleName,
): Promise<{ wallet: string; snapshot: Snapshot }> {
  const wallet = requireWallet(caller);
  const snapshot = await requireVault(ports, chain_id, vault_address);
  const role = await roleOn(ports.directory, snapshot, caller);
  if (ranks.indexOf(role) < ranks.indexOf(least))
    throw new AppError('ROLE_REQUIRED', `Only ${who[least]} can do this.`, { data: { required_role: least, role } });
  return { wallet, snapshot };
}
