import { useRouteError } from 'react-router';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { MessagePage } from './message-page.tsx';

/** What a page shows when it broke: the reason, the request id when an answer caused it, and the way on. */
export function BrokenPage() {
  const { detail, requestId } = explain(useRouteError());
  return (
    <MessagePage
      title="This page broke"
      action={
        <Button look="primary" onPress={() => window.location.reload()}>
          Load it again
        </Button>
      }
    >
      <p>The vaults are not affected; only their display is. The reason given was:</p>
      <p role="alert" className="text-text">
        {detail}
      </p>
      {requestId === undefined ? null : (
        <p className="text-13">
          Request <code className="font-mono break-all">{requestId}</code>
        </p>
      )}
    </MessagePage>
  );
}
