import { useEffect, useEffectEvent } from 'react';
import { useConnection, useDisconnect } from 'wagmi';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { sameAddress, shortHex } from '../format/address.ts';
import { refreshRoles } from '../session/sign-in.ts';
import { openSignIn, SESSION_TOAST } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { useLogout } from './use-logout.ts';
import { useSignIn } from './use-sign-in.ts';
import { WithWallets } from './with-wallets.tsx';

/** One click when the same wallet is still connected; else the dialog. */
export function SignInAgain() {
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

/** The same outside a wallet provider, for example in a toast. */
const SignInAgainAnywhere = () => (
  <WithWallets>
    <SignInAgain />
  </WithWallets>
);

/** Watches what ends a session: a 401, another account in the wallet. Refreshes the role hints once at start. */
export function SessionWatch() {
  const { session, api } = useApp();
  const state = useSession();
  const connection = useConnection();
  const logout = useLogout();
  const { mutate: disconnect } = useDisconnect();

  useEffect(
    () =>
      session.onEnd((reason, address) => {
        if (reason === 'logout') disconnect({});
        if (reason === 'unauthorized') {
          toast({
            key: SESSION_TOAST,
            tone: 'warn',
            title: 'Session ended',
            detail: `${shortHex(address)} is signed out. The page and what you typed stay.`,
            // Operate shows the same button in its own banner.
            ...(window.location.pathname.startsWith('/operate') ? {} : { action: <SignInAgainAnywhere /> }),
          });
        }
        if (reason === 'account_changed') {
          toast({
            key: SESSION_TOAST,
            tone: 'info',
            title: 'The account in your wallet changed',
            detail: `${shortHex(address)} is signed out.`,
            action: (
              <Button look="primary" onPress={openSignIn}>
                Sign in
              </Button>
            ),
          });
        }
      }),
    [session, disconnect],
  );

  const refresh = useEffectEvent(() => {
    if (session.get().status !== 'signed_in') return;
    refreshRoles(api, session).catch((error: unknown) => {
      // A 401 has ended the session and said so; anything else leaves the stored hints as they are.
      console.info('roles were not refreshed', explain(error).detail);
    });
  });
  useEffect(() => refresh(), []);

  const connected = connection.status === 'connected' ? connection.address : undefined;
  const signedInAs = state.status === 'signed_in' ? state.address : undefined;
  const leave = useEffectEvent(async () => {
    const revoked = logout();
    session.end('account_changed');
    await revoked;
  });
  useEffect(() => {
    if (connected === undefined || signedInAs === undefined || sameAddress(connected, signedInAs)) return;
    void leave();
  }, [connected, signedInAs]);
  return null;
}
