import { z } from 'zod';
import { action } from '../action.ts';
import { Eip55, VaultRef } from '../primitives.ts';
import { ListMyVaults } from './own-vaults.ts';

/** An entity tag as the gateway sends it: the SHA-256 of the bytes it stands for, in base64url and quotes. */
const Tag = z.string().regex(/^"[A-Za-z0-9_-]{43}"$/);

/**
 * What one wallet asks, by a token for all vaults: `detail` as GetVault, `list` as ListMyVaults. `known`: tags of answers that the gateway
 * holds.
 */
const Asked = z.discriminatedUnion('read', [
  z.strictObject({
    read: z.literal('detail'),
    wallet_address: Eip55,
    params: VaultRef,
    known: z.array(Tag).max(8),
  }),
  z.strictObject({
    read: z.literal('list'),
    wallet_address: Eip55,
    params: ListMyVaults.params,
    known: z.array(Tag).max(8),
  }),
]);

/**
 * What several wallets ask at the same moment, answered as it is now. An answer that the gateway holds is named by its tag alone.
 * The gateway names the wallets without envelopes, which it would sign itself.
 */
export const ReadTogether = action('v1.vaults.readTogether', {
  callers: { services: ['gateway'] },
  params: z.strictObject({ reads: z.array(Asked).min(1).max(200) }),
  result: z.object({
    /** In the order of the reads; null for one that has to be asked by itself, which says what is wrong with it. */
    answers: z.array(
      z
        .object({
          etag: Tag,
          /** The answer in JSON; null when its tag was among the known. */
          body: z.string().nullable(),
          /** Of a detail: where the vault was read. */
          block_number: z.int().nullable(),
        })
        .nullable(),
    ),
  }),
});
