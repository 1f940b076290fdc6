import { Link, Outlet } from 'react-router';
import { Button } from '../design/button.tsx';
import { MessagePage } from '../design/message-page.tsx';
import { Notice } from '../design/states.tsx';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession } from '../session/use-session.ts';
import { SignInAgain } from '../wallet/sign-in-again.tsx';

/** What all pages for people with a role begin with: somebody is signed in, or is asked to. */
export function OperateShell() {
  const session = useSession();
  if (session.status === 'anonymous') return <SignInFirst />;
  return (
    <>
      {session.status === 'ended' ? (
        <div className="px-4 pt-4 sm:px-6">
          <Notice tone="warn" title="Your session ended" action={<SignInAgain />}>
            What you see and typed stays. Sign in again to go on; figures do not update until then.
          </Notice>
        </div>
      ) : null}
      <Outlet />
    </>
  );
}

function SignInFirst() {
  return (
    <MessagePage
      title="Sign in to operate"
      action={
        <Button look="primary" onPress={openSignIn}>
          Connect and sign in
        </Button>
      }
    >
      <p>Operate is for wallets with a role on a vault. You come back to this page once you are signed in.</p>
      <p>
        Everything public is on the{' '}
        <Link to="/" className="link">
          list of vaults
        </Link>
        .
      </p>
    </MessagePage>
  );
}
