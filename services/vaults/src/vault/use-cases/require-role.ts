import { AppError, type Caller, isRoleAtLeast, managerRoleOnVault, type Role, roleOnVault } from '@castellan/contracts';
import { sharedByParams } from '@castellan/service-kit';
import type { Directory } from '../adapters/directory.mongo.ts';
import type { Snapshot } from '../adapters/snapshot-store.mongo.ts';
import { walletsOf } from '../domain/vault-facts.ts';
import { requireWallet, walletAt } from './caller.ts';
import { requireVault, type VaultSource } from './vault-view.ts';

export type RoleSource = VaultSource & { directory: Directory };

/** The caller's role on a vault. */
export async function roleOn(
  directory: Directory,
  snapshot: Snapshot,
  caller: Caller | undefined,
): Promise<Role | null> {
  const { chain_id, vault, managers } = snapshot;
  const wallet = walletAt(caller, snapshot);
  if (wallet === undefined) return null;
  const wallets = walletsOf(managers);
  // Neither the public nor a manager waits for the store.
  const managing = managerRoleOnVault(wallet, wallets);
  return managing ?? roleOnVault(wallet, wallets, (await directory.viewers(chain_id, vault)).has(wallet));
}

/**
 * The vault, for a caller whose role on it is high enough.
 * @param message - For the others; says who may do this.
 * @throws AppError TOKEN_MISSING, CHAIN_NOT_FOUND, NOT_READY, VAULT_NOT_FOUND, ROLE_REQUIRED.
 */
export async function requireRoleOn(
  source: RoleSource,
  { chain_id, vault_address }: { chain_id: number; vault_address: string },
  caller: Caller | undefined,
  { least, message }: { least: Role; message: string },
): Promise<{ wallet: string; snapshot: Snapshot; role: Role }> {
  const wallet = requireWallet(caller);
  const snapshot = await requireVault(source, chain_id, vault_address);
  const role = await roleOn(source.directory, snapshot, caller);
  if (role === null || !isRoleAtLeast(role, least))
    throw new AppError('ROLE_REQUIRED', message, { data: { required_role: least, role } });
  return { wallet, snapshot, role };
}

/**
 * A read whose answer is the same for all who may have it: those who ask together share it, where they were checked against the same
 * reading of the vault.
 * @param check - Is made for each of them.
 */
export function sharedAmong<P, R>(
  check: (params: P, caller: Caller | undefined) => Promise<{ snapshot: Snapshot }>,
  read: (params: P, snapshot: Snapshot) => Promise<R>,
): (params: P, caller: Caller | undefined) => Promise<R> {
  const ofSnapshot = new WeakMap<Snapshot, (params: P) => Promise<R>>();
  return async (params, caller) => {
    const { snapshot } = await check(params, caller);
    const shared = ofSnapshot.get(snapshot) ?? sharedByParams((asked: P) => read(asked, snapshot));
    ofSnapshot.set(snapshot, shared);
    return shared(params);
  };
}
