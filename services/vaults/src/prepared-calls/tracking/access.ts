import { AppError, type Caller, isWithinBinding, type PreparedResource } from '@castellan/contracts';
import { getAddress } from 'viem/utils';
import type { Snapshot } from '../../vault/adapters/snapshot-store.mongo.ts';
import { requireWallet } from '../../vault/use-cases/caller.ts';
import { type RoleSource, requireRoleOn } from '../../vault/use-cases/require-role.ts';
import type { PreparedStore } from './adapters/prepared-store.mongo.ts';
import { isOwn, type PreparedDocument } from './domain/prepared-call.ts';

export type AccessPorts = RoleSource & { prepared: PreparedStore };

/** @throws AppError ROLE_REQUIRED for anybody but a manager of the vault; TOKEN_MISSING; VAULT_NOT_FOUND. */
export const requireManager = (
  ports: AccessPorts,
  ref: { chain_id: number; vault_address: string },
  caller: Caller | undefined,
): Promise<{ wallet: string; snapshot: Snapshot }> =>
  requireRoleOn(ports, ref, caller, {
    least: 'secondary_manager',
    message: 'Only managers of this vault see the calls prepared for it.',
  });

/**
 * A prepared call, for the wallet that prepared it and, unless it is of that wallet's own position, any manager of its vault.
 * @throws AppError PREPARED_NOT_FOUND, ROLE_REQUIRED, TOKEN_MISSING.
 */
export async function requirePrepared(
  ports: AccessPorts,
  id: string,
  caller: Caller | undefined,
): Promise<{ document: PreparedDocument; wallet: string }> {
  const wallet = requireWallet(caller);
  const document = await ports.prepared.get(id);
  if (!document)
    throw new AppError(
      'PREPARED_NOT_FOUND',
      'There is no prepared call of this id. Check the link, or prepare it again.',
    );
  // The id hides the vault from the gateway, which checks this for requests that name one.
  if (!isWithinBinding(caller, { chain_id: document.chain_id, vault_address: document.vault }))
    throw new AppError('ROLE_REQUIRED', 'This token is for another vault or chain. Sign in without that limit.');
  if (document.prepared_by === wallet) return { document, wallet };
  if (isOwn(document)) throw new AppError('ROLE_REQUIRED', 'Only the wallet that prepared this call sees it.');
  await requireManager(ports, { chain_id: document.chain_id, vault_address: document.vault }, caller);
  return { document, wallet };
}

export const resourceOf = (document: PreparedDocument): PreparedResource => ({
  ...document.call,
  expires_at: document.expires_at.toISOString(),
  kind: document.request.kind,
  vault_address: document.target.vault,
  prepared_by: getAddress(document.prepared_by),
  prepared_at: document.prepared_at.toISOString(),
  block_number: document.block_number,
  forced: document.forced,
  reason: document.reason,
  status: document.status,
  tx_hash: document.tx?.hash ?? null,
  revert_reason: document.revert_reason,
  post_condition: { ...document.call.post_condition, ok: document.post.ok, actual: document.post.actual },
  history: document.history,
});
