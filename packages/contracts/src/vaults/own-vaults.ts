import { z } from 'zod';
import { action } from '../action.ts';
import { ChainId, Eip55, IsoTime, listOf, Role } from '../primitives.ts';
import { PublicVault, VaultDetail } from './vaults.ts';

/** What takes effect, or can be executed from `effective_at` on; null while no time is set. */
export const Proposal = z.object({
  kind: z.enum(['primary_manager', 'fees', 'hooks_root', 'upkeep_withdrawal']),
  effective_at: IsoTime.nullable(),
});
export type Proposal = z.infer<typeof Proposal>;

/** Vaults where the caller has a role. `minimal` leaves the money fields out. */
export const ListMyVaults = action('v1.vaults.list', {
  callers: { user: 'read', relayedBy: ['ai'] },
  params: z.strictObject({
    detail: z.enum(['minimal', 'full']).default('full'),
    limit: z.int().min(1).max(500).default(100),
    cursor: z.string().optional(),
  }),
  result: listOf(
    'vaults',
    z.object({
      ...PublicVault.partial().shape,
      ...VaultDetail.pick({
        chain_time: true,
        last_oracle_update_timestamp: true,
        remaining_staleness_time: true,
        pending_manager_change: true,
      }).partial().shape,
      proposals: z.array(Proposal).optional(),
      vault_address: Eip55,
      chain_id: ChainId,
      name: z.string(),
      my_role: Role,
    }),
  ),
});
