import { useEffect, useEffectEvent } from 'react';
import { useApp } from '../client/services.ts';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { toast } from '../design/toast.tsx';
import { shortHex } from '../format/address.ts';
import { refreshRoles } from '../session/sign-in.ts';
import { openSignIn, SESSION_TOAST } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { followLastAccount } from './last-account.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { useAccountCheck } from './use-account-check.ts';

/** Says what ended a session, and disconnects its wallet after a logout. */
function useEndOfSession(): void {
  const { session, wallets } = useApp();
  useEffect(
    () =>
      session.onEnd((reason, address) => {
        if (reason === 'logout') {
          const leave = async () => (await import('./leave-wallet.ts')).leaveWallet(await wallets());
          leave().catch((error: unknown) => console.info('the wallet stays connected', explain(error).detail));
        }
        if (reason === 'unauthorized') {
          toast({
            key: SESSION_TOAST,
            tone: 'warn',
            title: 'Session ended',
            detail: `${shortHex(address)} is signed out. The page and what you typed stay.`,
            // Operate shows the same button in its own banner.
            ...(window.location.pathname.startsWith('/operate') ? {} : { action: <SignInAgain /> }),
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
    [session, wallets],
  );
}

type Props = {
  /** Whether what signs is loaded, which then follows the connected wallet itself. */
  hasWallets: boolean;
};

/** Watches what ends a session: a 401, another account in the wallet. Refreshes the role hints once at start. */
export default function SessionWatch({ hasWallets }: Props) {
  const { session, api } = useApp();
  const state = useSession();
  const signedInAs = state.status === 'signed_in' ? state.address : undefined;
  useEndOfSession();

  const refresh = useEffectEvent(() => {
    if (session.get().status !== 'signed_in') return;
    refreshRoles(api, session).catch((error: unknown) => {
      // A 401 has ended the session and said so; anything else leaves the stored hints as they are.
      console.info('roles were not refreshed', explain(error).detail);
    });
  });
  useEffect(() => refresh(), []);

  const check = useEffectEvent(useAccountCheck());
  useEffect(() => {
    if (hasWallets || signedInAs === undefined) return;
    return followLastAccount(localStorage, (account) => void check(account));
  }, [hasWallets, signedInAs]);
  return null;
}
