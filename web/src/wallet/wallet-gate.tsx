import { lazy, Suspense, useState } from 'react';
import { useApp } from '../client/services.ts';
import { useSignInOpen } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { useWalletsNeeded } from './needed.ts';

const SessionWatch = lazy(() => import('./session-watch.tsx'));
const ConnectedWallet = lazy(() => import('./connected-wallet.tsx'));

/** Stays true once it was. */
function useOnce(isNow: boolean): boolean {
  const [was, setWas] = useState(isNow);
  if (isNow && !was) setWas(true);
  return was;
}

/** Watches over a session from the moment there is one; what wallets need is loaded when something is to be signed. */
export function WalletGate() {
  const isOpen = useSignInOpen();
  const isSigning = useWalletsNeeded(useApp().wallets);
  const hasWallets = useOnce(isOpen || isSigning);
  const hasSession = useOnce(useSession().status !== 'anonymous');
  return (
    <>
      <Suspense fallback={null}>{hasSession ? <SessionWatch hasWallets={hasWallets} /> : null}</Suspense>
      <Suspense fallback={null}>{hasWallets ? <ConnectedWallet /> : null}</Suspense>
    </>
  );
}
