import { getConnection } from 'wagmi/actions';
import type { Services } from '../client/services.ts';
import type { Asked } from '../digests/digests.ts';
import { stepUp } from '../session/step-up.ts';
import { signerOf } from './signer.ts';

/** The connected wallet, and the chain that it is on. */
export async function connectedSigner({ config, wallets }: Services, onAsked: (asked: Asked) => void) {
  const opened = await wallets();
  const chainId = getConnection(opened).chainId ?? config.chains[0]?.chain_id ?? 1;
  return { chainId, signer: signerOf(opened, onAsked) };
}

/** A fresh signature of the connected wallet, on whichever chain it is. */
export async function giveFreshSignature(services: Services, onAsked: (asked: Asked) => void): Promise<void> {
  const { chainId, signer } = await connectedSigner(services, onAsked);
  await stepUp(services.api, services.session, chainId, signer);
}
