import { z } from 'zod';
import { action } from '../action.ts';
import { ChainId, Eip55, VaultRef } from '../primitives.ts';
import { route } from '../route.ts';
import { VaultDetail } from './vaults.ts';

/** A field of a vault's detail, by its name in the answer. */
export const VaultField = VaultDetail.keyof();
export type VaultField = z.infer<typeof VaultField>;

/** A vault that has no detail now, and the code of the error. */
export const UnreadVault = z.object({ chain_id: ChainId, vault_address: Eip55, code: z.string() });

/** Details of up to 100 vaults, as the caller sees each. One that cannot be read is among `unread` and takes no other with it. */
export const LookupVaults = action('v1.vaults.lookup', {
  callers: { user: 'read', services: ['gateway'] },
  params: z.strictObject({
    /** Up to 100; one that is named twice is answered once. */
    vaults: z.array(VaultRef).min(1).max(100),
    /** Only these fields of each vault, and always chain, address, block, chain time and how fresh the price is; without it all of them. */
    fields: z.array(VaultField).min(1).optional(),
  }),
  result: z.object({
    /** In the order in which they were asked for. */
    vaults: z.array(
      z.object({
        ...VaultDetail.partial().shape,
        chain_id: VaultDetail.shape.chain_id,
        vault_address: VaultDetail.shape.vault_address,
      }),
    ),
    unread: z.array(UnreadVault),
  }),
});

const none = z.strictObject({});

/** Many vaults in one call, for those who poll them. */
export const lookupRoutes = {
  /**
   * @example
   * const { vaults, unread } = await client.lookupVaults({
   *   body: { vaults: [{ chain_id: 1, vault_address }], fields: ['current_pps', 'is_paused'] },
   * });
   */
  lookupVaults: route({
    id: 'lookupVaults',
    method: 'POST',
    path: '/api/v1/vaults/lookup',
    auth: 'optional',
    scope: 'read',
    params: none,
    query: none,
    body: LookupVaults.params,
    result: LookupVaults.result,
    action: LookupVaults,
    cache: 'etag',
  }),
};
