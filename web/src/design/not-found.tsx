import { Link, useLocation } from 'react-router';
import { MessagePage } from './message-page.tsx';

export function NotFoundPage() {
  const { pathname } = useLocation();
  return (
    <MessagePage
      title="There is no page here"
      action={
        <Link to="/" className="link">
          See all vaults
        </Link>
      }
    >
      <p>
        Nothing is at <code className="font-mono text-13 break-all">{pathname}</code>.
      </p>
    </MessagePage>
  );
}
