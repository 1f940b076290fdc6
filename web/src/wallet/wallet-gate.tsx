import { lazy, Suspense, useState } from 'react';
import { useSignInOpen } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';

const ConnectedWallet = lazy(() => import('./connected-wallet.tsx'));

/** Loads what wallets need with the first sign-in or stored session, and keeps it from then on. */
export function WalletGate() {
  const isOpen = useSignInOpen();
  const isNeeded = useSession().status !== 'anonymous' || isOpen;
  const [wasNeeded, setWasNeeded] = useState(isNeeded);
  if (isNeeded && !wasNeeded) setWasNeeded(true);
  if (!wasNeeded) return null;
  return (
    <Suspense fallback={null}>
      <ConnectedWallet />
    </Suspense>
  );
}
