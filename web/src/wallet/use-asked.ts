import { useState } from 'react';
import { useConfig } from 'wagmi';
import type { TypedData } from '../digests/digests.ts';
import type { MessageSigner } from '../session/sign-in.ts';
import { signerOf } from './signer.ts';

/** What the wallet was asked to sign last. */
export type Asked = { typedData: TypedData } | { text: string };

/** The connected wallet as a signer, and what it was asked: a wallet without typed data is asked for a text after it refused. */
export function useAsked(): { signer: MessageSigner; asked: Asked | undefined } {
  const signer = signerOf(useConfig());
  const [asked, setAsked] = useState<Asked>();
  return {
    asked,
    signer: {
      signTypedData: (typedData) => {
        setAsked({ typedData });
        return signer.signTypedData(typedData);
      },
      signText: (text) => {
        setAsked({ text });
        return signer.signText(text);
      },
    },
  };
}
