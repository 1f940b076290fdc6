import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConnection } from 'wagmi';
import { useApp } from '../client/services.ts';
import { dismissToast } from '../design/toast.tsx';
import { isRejection, type Nonce, signIn } from '../session/sign-in.ts';
import { SESSION_TOAST } from '../session/sign-in-prompt.ts';
import { useAsked } from './use-asked.ts';

/** Signs in with the connected wallet; asks for a nonce first when none is given. `asked`: what the wallet was asked to sign. */
export function useSignIn(onDone?: () => void) {
  const { api, session, config } = useApp();
  const queries = useQueryClient();
  const { address, chainId } = useConnection();
  const { signer, asked } = useAsked();
  const signing = useMutation({
    mutationFn: async (given?: Nonce) => {
      if (address === undefined) throw new Error('Connect a wallet first.');
      const chain_id = chainId ?? config.chains[0]?.chain_id ?? 1;
      const nonce = given ?? (await api.createNonce({ body: { address, chain_id } }));
      try {
        await signIn(api, session, nonce, signer);
      } catch (error) {
        if (isRejection(error)) throw new Error('You declined the message in the wallet. Nothing was signed.');
        throw error;
      }
    },
    onSuccess: async () => {
      dismissToast(({ key }) => key === SESSION_TOAST);
      onDone?.();
      await queries.invalidateQueries();
    },
  });
  return { ...signing, asked };
}
