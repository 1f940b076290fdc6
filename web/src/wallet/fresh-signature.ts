import { getConnection } from 'wagmi/actions';
import type { Services } from '../client/services.ts';
import { stepUp } from '../session/step-up.ts';
import { signerOf } from './signer.ts';

/** A fresh signature of the connected wallet, on whichever chain it is. */
export async function giveFreshSignature({ api, session, config, wallets }: Services): Promise<void> {
  const opened = await wallets();
  const chainId = getConnection(opened).chainId ?? config.chains[0]?.chain_id ?? 1;
  await stepUp(api, session, chainId, signerOf(opened));
}
