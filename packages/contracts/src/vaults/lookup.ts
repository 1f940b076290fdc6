import { z } from 'zod';
import { action } from '../action.ts';
import { ChainId, Eip55, VaultRef } from '../primitives.ts';
import { VaultDetail } from './vaults.ts';

/** A field of a vault's detail, by its name in the answer. */
export const VaultField = VaultDetail.keyof();
export type VaultField = z.infer<typeof VaultField>;

/** What is asked of many vaults. */
export const LookupBody = z.strictObject({
  /** Up to 100; one that is named twice is answered once. */
  vaults: z.array(VaultRef).min(1).max(100),
  /** Only these fields of each vault, besides `chain_id` and `vault_address`; without it all of them. */
  fields: z.array(VaultField).min(1).optional(),
});

/** A vault that has no detail now, and the code of the error. */
const UnreadVault = z.object({ chain_id: ChainId, vault_address: Eip55, code: z.string() });

/** Details of up to 100 vaults, as the caller sees each. One that cannot be read is among `unread` and takes no other with it. */
export const LookupVaults = action('v1.vaults.lookup', {
  callers: { user: 'read', services: ['gateway'] },
  params: LookupBody,
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
