import type { TypedDataDomain } from 'viem';
import type { Config } from 'wagmi';
import { signMessage, signTypedData } from 'wagmi/actions';
import type { MessageSigner } from '../session/sign-in.ts';

/** The connected wallet as something that signs sign-in messages. */
export const signerOf = (wallets: Config): MessageSigner => ({
  signTypedData: (typedData) =>
    signTypedData(wallets, {
      domain: typedData.domain as TypedDataDomain,
      types: typedData.types,
      primaryType: typedData.primaryType,
      message: typedData.message,
    }),
  signText: (message) => signMessage(wallets, { message }),
});
