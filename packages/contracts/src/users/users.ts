import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, DisplayName, Eip55, IsoTime, listOf, Role, VaultRef } from '../primitives.ts';
import { VaultRole } from '../vaults/vaults.ts';

/** A person as the vault's users page shows it: one wallet, its name there, its roles there. */
export const VaultUser = z.object({
  user: z.object({
    id: z.string(),
    wallet_address: Eip55,
    display_name: z.string().nullable(),
    /** Of the vault's label; 0 before the first. Sent back with a change, it refuses to overwrite another person's change. */
    label_version: z.int().nonnegative(),
  }),
  roles: z.array(
    z.object({
      vault_address: Eip55,
      chain_id: ChainId,
      role: Role,
      granted_by: Eip55.nullable(),
      granted_at: IsoTime.nullable(),
    }),
  ),
});
export type VaultUser = z.infer<typeof VaultUser>;

/** Everyone with a role on the vault. Any role on it may ask. */
export const ListUsers = action('v1.users.list', {
  callers: { user: 'read' },
  params: z.strictObject({
    ...VaultRef.shape,
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().optional(),
  }),
  result: listOf('users', VaultUser),
});

/** Grants view-only access; the primary manager only. `created` is false when the grant was already there. */
export const GrantViewOnly = action('v1.users.grantViewOnly', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, wallet_address: Address, display_name: DisplayName.optional() }),
  result: z.object({ created: z.boolean(), user: VaultUser }),
});

/** Takes back a view-only grant. `removed` is false when there was none. */
export const RevokeViewOnly = action('v1.users.revokeViewOnly', {
  callers: { user: 'full' },
  params: z.strictObject({ ...VaultRef.shape, wallet_address: Address }),
  result: z.object({ removed: z.boolean() }),
});

/**
 * Names oneself (no vault), or, as primary manager, labels a wallet on one vault. `version` is that of the name it replaces (0:
 * none yet); another one there is VERSION_CONFLICT with the present name.
 */
export const SetDisplayName = action('v1.users.setDisplayName', {
  callers: { user: 'full' },
  params: z
    .strictObject({
      wallet_address: Address,
      display_name: DisplayName,
      vault_address: Address.optional(),
      chain_id: ChainId.optional(),
      version: z.int().nonnegative().optional(),
    })
    .refine((body) => (body.vault_address === undefined) === (body.chain_id === undefined), {
      message: 'vault_address and chain_id go together',
      path: ['chain_id'],
    }),
  result: z.object({
    wallet_address: Eip55,
    display_name: z.string(),
    scope: z.enum(['self', 'vault']),
    version: z.int().positive(),
  }),
});

/** All roles of one wallet: chain-derived and view-only. */
export const GetRoles = action('v1.users.roles', {
  callers: { services: ['auth'] },
  params: z.strictObject({ wallet_address: Address }),
  result: z.object({ roles: z.array(VaultRole) }),
});
