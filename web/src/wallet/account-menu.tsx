import { Wallet } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button } from '../design/button.tsx';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { AccountShort } from './account-short.tsx';

const AccountActions = lazy(() => import('./account-actions.tsx'));

export function AccountMenu() {
  const state = useSession();
  if (state.status !== 'signed_in') {
    return (
      <Button look="primary" onPress={openSignIn}>
        <Wallet size={16} aria-hidden="true" />
        {state.status === 'ended' ? 'Sign in again' : 'Sign in'}
      </Button>
    );
  }
  const waiting = (
    <span className="inline-flex h-9 items-center rounded-control border bg-raised px-1.5 font-mono text-12 sm:px-3 sm:pr-8 sm:text-13">
      <AccountShort address={state.address} />
    </span>
  );
  return (
    <Suspense fallback={waiting}>
      <AccountActions address={state.address} />
    </Suspense>
  );
}
