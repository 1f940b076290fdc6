import { z } from 'zod';
import { action } from '../action.ts';
import { Address, ChainId, Eip55, UintString } from '../primitives.ts';

/** What alerts need to know of a vault beyond the log. Between services only: no route leads here. */
export const GetAlertReadings = action('v1.vaults.alertReadings', {
  callers: { services: ['users'] },
  params: z.strictObject({ chain_id: ChainId, vault_address: Address, wallets: z.array(Address).max(100) }),
  result: z.object({
    /** Null before the first trial. */
    pause_proof: z.object({ ok: z.boolean(), is_old: z.boolean(), reason: z.string().nullable() }).nullable(),
    /** Who sends for the strategies of the chain, whether or not this vault admits it; null where none ever worked. */
    keeper: Eip55.nullable(),
    /** Of the native coin, in wei: of the wallets and of the keeper. */
    balances: z.array(z.object({ wallet_address: Eip55, balance: UintString })),
  }),
});
