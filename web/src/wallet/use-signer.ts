import type { TypedDataDomain } from 'viem';
import { useConfig } from 'wagmi';
import { signMessage, signTypedData } from 'wagmi/actions';
import type { MessageSigner } from '../session/sign-in.ts';

/** The connected wallet as something that signs sign-in messages. */
export function useSigner(): MessageSigner {
  const config = useConfig();
  return {
    signTypedData: (typedData) =>
      signTypedData(config, {
        domain: typedData.domain as TypedDataDomain,
        types: typedData.types,
        primaryType: typedData.primaryType,
        message: typedData.message,
      }),
    signText: (message) => signMessage(config, { message }),
  };
}
