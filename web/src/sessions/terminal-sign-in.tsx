import { type TerminalRequest, terminalAnswerUrl, terminalCode } from '@castellan/contracts';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { MessagePage } from '../design/message-page.tsx';
import { Failure } from '../design/states.tsx';
import type { Asked } from '../digests/digests.ts';
import { isRejection, proofOf } from '../session/sign-in.ts';
import { useSession } from '../session/use-session.ts';

/** What computes digests is for who signs. */
const AskedToSign = lazy(async () => ({ default: (await import('../digests/digest-list.tsx')).AskedToSign }));

type Props = {
  request: TerminalRequest;
  onCancel: () => void;
  /** Leads the browser to the terminal; replaces this page, so that its address is not in the history. */
  leave?: (url: string) => void;
};

const toTerminal = (url: string) => window.location.replace(url);

/** Has the wallet sign in for a program in a terminal of this machine. What is signed goes there and is not used here. */
export function TerminalSignIn({ request, onCancel, leave = toTerminal }: Props) {
  const app = useApp();
  const session = useSession();
  const [asked, setAsked] = useState<Asked>();
  const sign = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      if (session.status !== 'signed_in') throw new Error('Your session ended. Sign in again first.');
      const { connectedSigner } = await import('../wallet/fresh-signature.ts');
      const { chainId, signer } = await connectedSigner(app, setAsked);
      try {
        const nonce = await app.api.createNonce({ body: { address: session.address, chain_id: chainId } });
        leave(terminalAnswerUrl(request, await proofOf(nonce, signer)));
      } catch (error) {
        if (isRejection(error)) throw new Error('You declined the message in the wallet. Nothing was signed.');
        throw error;
      }
    },
  });
  const isBusy = sign.isPending || sign.isSuccess;
  return (
    <MessagePage
      title="Sign in your terminal"
      action={
        <span className="flex flex-wrap gap-3">
          <Button look="primary" isDisabled={isBusy} onPress={() => sign.mutate()}>
            {isBusy ? 'Waiting for the wallet' : 'The codes are the same: sign in'}
          </Button>
          <Button look="quiet" isDisabled={isBusy} onPress={onCancel}>
            I did not ask for this
          </Button>
        </span>
      }
    >
      <p>
        A program on this computer asks to sign in as{' '}
        <code className="font-mono text-13 break-all">{session.status === 'anonymous' ? '' : session.address}</code>. It
        may then do everything your roles allow, but cannot sign a transaction.
      </p>
      <p>
        Go on only if you ran <code className="font-mono text-13">castellan login --browser</code> yourself, and your
        terminal shows this code:
      </p>
      <p className="font-mono text-28 text-text">{terminalCode(request)}</p>
      {isBusy && asked !== undefined ? (
        <Suspense>
          <AskedToSign asked={asked} />
        </Suspense>
      ) : null}
      {sign.isError ? <Failure error={sign.error} title="The terminal is not signed in" /> : null}
    </MessagePage>
  );
}
