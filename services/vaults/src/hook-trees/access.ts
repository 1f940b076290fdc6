import type { Caller, Role } from '@castellan/contracts';
import type { Snapshot } from '../vault/adapters/snapshot-store.mongo.ts';
import { type RoleSource, requireRoleOn, sharedAmong } from '../vault/use-cases/require-role.ts';
import type { OfVault } from './models/hook-trees.ts';

export type MerkleAccess = RoleSource;
/** The vault as the collections of this part name it. */
export const ofVault = ({ chain_id, vault }: Snapshot): OfVault => ({ chain_id, vault });

export type VaultParams = { chain_id: number; vault_address: string };

const who: Record<Role, string> = {
  view_only: 'who has a role on this vault',
  secondary_manager: 'managers of this vault',
  primary_manager: 'the primary manager of this vault',
};

/** Any role reads, managers configure and generate, the primary manager publishes. @throws AppError as {@link requireRoleOn}. */
export const requireRole = (ports: MerkleAccess, vault: VaultParams, caller: Caller | undefined, least: Role) =>
  requireRoleOn(ports, vault, caller, { least, message: `Only ${who[least]} can do this.` });

/** A read whose answer is the same for everybody with a role on the vault. @throws AppError as {@link requireRoleOn}. */
export const forReaders = <P extends VaultParams, R>(
  ports: MerkleAccess,
  read: (params: P, snapshot: Snapshot) => Promise<R>,
) => sharedAmong((params: P, caller) => requireRole(ports, params, caller, 'view_only'), read);
