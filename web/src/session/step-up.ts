import type { Api } from '../client/api.ts';
import type { Session } from '../client/session.ts';
import { sameAddress } from '../format/address.ts';
import { type MessageSigner, proofOf } from './sign-in.ts';

/** A fresh signature of the signed-in wallet; the session goes on under the token that is issued for it. */
export async function stepUp(api: Api, session: Session, chainId: number, signer: MessageSigner) {
  const before = session.get();
  if (before.status !== 'signed_in') throw new Error('Your session ended. Sign in again first.');
  const nonce = await api.createNonce({ body: { address: before.address, chain_id: chainId } });
  const issued = await api.stepUp({ body: await proofOf(nonce, signer) });
  const now = session.get();
  if (now.status !== 'signed_in' || !sameAddress(now.address, issued.wallet_address)) {
    throw new Error('Another wallet signed in meanwhile. Nothing was changed.');
  }
  const { address, isManager, vaults } = now;
  session.begin({ token: issued.access_token, address, isManager, vaults });
}
