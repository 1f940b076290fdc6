import { useConnection } from 'wagmi';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { sameAddress } from '../format/address.ts';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { useSignIn } from './use-sign-in.ts';
import { WithWallets } from './with-wallets.tsx';

function SignInAgain() {
  const state = useSession();
  const { status, address } = useConnection();
  const signIn = useSignIn();
  const canSign = status === 'connected' && state.status === 'ended' && sameAddress(address, state.address);
  const again = () =>
    canSign
      ? signIn.mutate(undefined, {
          onError: (error) => toast({ tone: 'warn', title: 'You are not signed in', detail: explain(error).detail }),
        })
      : openSignIn();
  return (
    <Button look="primary" isDisabled={signIn.isPending} onPress={again}>
      {signIn.isPending ? 'Waiting for the wallet' : 'Sign in again'}
    </Button>
  );
}

/** One click when the same wallet is still connected; else the dialog. */
export default function SignInAgainButton() {
  return (
    <WithWallets>
      <SignInAgain />
    </WithWallets>
  );
}
