import type { Caller, Role } from '@castellan/contracts';
import { type RoleSource, requireRoleOn } from '../vault/use-cases/require-role.ts';

export type MerkleAccess = RoleSource;
export type VaultParams = { chain_id: number; vault_address: string };

const who: Record<Role, string> = {
  view_only: 'who has a role on this vault',
  secondary_manager: 'managers of this vault',
  primary_manager: 'the primary manager of this vault',
};

/** Any role reads, managers configure and generate, the primary manager publishes. @throws AppError as {@link requireRoleOn}. */
export const requireRole = (ports: MerkleAccess, vault: VaultParams, caller: Caller | undefined, least: Role) =>
  requireRoleOn(ports, vault, caller, { least, message: `Only ${who[least]} can do this.` });
