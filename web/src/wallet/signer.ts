import type { TypedDataDomain } from 'viem';
import type { Config } from 'wagmi';
import { signMessage, signTypedData } from 'wagmi/actions';
import type { Asked } from '../digests/digests.ts';
import type { MessageSigner } from '../session/sign-in.ts';

/** The connected wallet as something that signs sign-in messages; `onAsked` learns what it is asked, so that the page shows the same. */
export const signerOf = (wallets: Config, onAsked: (asked: Asked) => void): MessageSigner => ({
  signTypedData: (typedData) => {
    onAsked({ typedData });
    return signTypedData(wallets, {
      domain: typedData.domain as TypedDataDomain,
      types: typedData.types,
      primaryType: typedData.primaryType,
      message: typedData.message,
    });
  },
  signText: (message) => {
    onAsked({ text: message });
    return signMessage(wallets, { message });
  },
});
