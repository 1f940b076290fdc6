import { useConnection } from 'wagmi';
import { useApp } from '../app/services.ts';
import { useSigner } from '../wallet/use-signer.ts';
import { proofOf } from './sign-in.ts';

/** Signs in place, so that the running session counts as freshly signed. */
export function useStepUp(): { run: () => Promise<void> } {
  const { api, session, config } = useApp();
  const { address, chainId } = useConnection();
  const signer = useSigner();
  return {
    run: async () => {
      const current = session.get();
      if (address === undefined || current.status !== 'signed_in')
        throw new Error('Connect your wallet and sign in first.');
      const chain_id = chainId ?? config.chains[0]?.chain_id ?? 1;
      const nonce = await api.createNonce({ body: { address, chain_id } });
      const { access_token: token } = await api.stepUp({ body: await proofOf(nonce, signer) });
      session.begin({ ...current, token });
    },
  };
}
