import {
  AppError,
  GetVaultManagers,
  isWithinBinding,
  managerRoleOnVault,
  type ResultOf,
  type Role,
  roles,
} from '@castellan/contracts';
import { type Call, sharedByParams } from '@castellan/service-kit';
import type { AccessCollections } from '../models/collections.ts';

export type Managers = ResultOf<typeof GetVaultManagers>;
type Vault = { chain_id: number; vault_address: string };

/**
 * Who manages the vault, asked of the service that derives it from the chain; nothing is kept here.
 * @throws AppError VAULT_NOT_FOUND, CHAIN_NOT_FOUND, or SERVICE_UNAVAILABLE: without an answer nobody is let in.
 */
export const managersOf = (call: Call, { chain_id, vault_address }: Vault): Promise<Managers> =>
  call.callAction(GetVaultManagers, { chain_id, vault_address }, { isShared: true });

/** The caller's role on the vault, null without one; a token for another vault has none here. */
export async function callerRole(collections: AccessCollections, call: Call, managers: Managers): Promise<Role | null> {
  const wallet = call.caller?.wallet_address;
  if (!wallet || !isWithinBinding(call.caller, managers)) return null;
  const managing = {
    primary: managers.primary.wallet_address,
    secondary: managers.secondary.map(({ wallet_address }) => wallet_address),
  };
  const role = managerRoleOnVault(wallet, managing);
  // A manager's role does not wait for the store.
  if (role !== null) return role;
  const key = {
    chain_id: managers.chain_id,
    vault: managers.vault_address.toLowerCase(),
    wallet: wallet.toLowerCase(),
  };
  const isViewer = (await collections.grants.findOne({ ...key, granted: true })) !== null;
  return isViewer ? 'view_only' : null;
}

type Need = { roles: readonly Role[]; text: string };

/** What an action can need, and how a refusal names it. */
export const needs = {
  primary: { roles: ['primary_manager'], text: 'the role primary_manager' },
  manager: {
    roles: ['primary_manager', 'secondary_manager'],
    text: 'the role primary_manager or secondary_manager',
  },
  anyRole: { roles, text: 'a role on the vault (primary_manager, secondary_manager or view_only)' },
} as const satisfies Record<string, Need>;

/** @throws AppError ROLE_REQUIRED naming the role that is needed and the one the caller has. */
export async function requireRole(
  collections: AccessCollections,
  call: Call,
  vault: Vault,
  need: Need,
): Promise<Managers> {
  const managers = await managersOf(call, vault);
  const role = await callerRole(collections, call, managers);
  if (role !== null && need.roles.includes(role)) return managers;
  throw new AppError('ROLE_REQUIRED', `This needs ${need.text}; you have ${role ?? 'no role'} on this vault.`);
}

/**
 * A read whose answer is the same for all with a role that suffices: those who ask together share it.
 * @param read - `call` is that of one of them. What it asks of other services it asks as this service (`isShared`), or the rest would
 * wait no longer than that one may.
 */
export function forRole<P extends Vault, R>(
  collections: AccessCollections,
  need: Need,
  read: (params: P, call: Call) => Promise<R>,
): (params: P, call: Call) => Promise<R> {
  const shared = sharedByParams(read);
  return async (params, call) => {
    await requireRole(collections, call, params, need);
    return shared(params, call);
  };
}

export function requireCaller({ caller }: Call): string {
  if (!caller) throw new AppError('TOKEN_MISSING', 'Sign in first.');
  return caller.wallet_address;
}
