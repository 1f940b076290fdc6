import type { Client } from '@castellan/sdk';
import type { HDAccount } from 'viem';
import type { Recorder } from './recorder.ts';

/** Who asks about which vault, and what to do with a call that is refused. */
export type Scene = {
  readonly anonymous: Client;
  readonly manager: Client;
  readonly wallet: HDAccount;
  readonly vault: { chain_id: string; vault_address: string };
  /** Calls one after the other; a refusal is noted and the next begins. */
  readonly attempt: (call: () => Promise<unknown>) => Promise<void>;
};

/** What a wallet signs to prove itself: the typed data that comes with a nonce. */
export async function signed(anonymous: Client, wallet: HDAccount) {
  const { typed_data } = await anonymous.createNonce({ body: { address: wallet.address, chain_id: 31337 } });
  const signature = await wallet.signTypedData(typed_data as Parameters<typeof wallet.signTypedData>[0]);
  return { method: 'eip712' as const, typed_data, signature };
}

/** Signs in as a script would. */
export async function signIn(recorder: Recorder, wallet: HDAccount): Promise<Client> {
  const anonymous = recorder.client();
  const { access_token } = await anonymous.createToken({ body: await signed(anonymous, wallet) });
  return recorder.client(access_token);
}

/** Notes what was refused, by the call; the recording goes on with the next. */
export const attempts =
  (refused: string[]) =>
  async (call: () => Promise<unknown>): Promise<void> => {
    try {
      await call();
    } catch (error) {
      refused.push(`${call.toString().slice(0, 80)}: ${error}`);
    }
  };
