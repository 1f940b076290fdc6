import { lazy, Suspense } from 'react';
import { Button } from '../design/button.tsx';

const SignInAgainButton = lazy(() => import('./sign-in-again-button.tsx'));

/** Signs in once more where a session has ended; what wallets need is loaded for it. */
export const SignInAgain = () => (
  <Suspense
    fallback={
      <Button look="primary" isDisabled>
        Sign in again
      </Button>
    }
  >
    <SignInAgainButton />
  </Suspense>
);
