import { Component, type ReactNode } from 'react';
import { Button } from '../design/button.tsx';
import { explain } from '../design/explain.ts';
import { MessagePage } from '../design/message-page.tsx';

type Props = {
  /** The place this guards; another place is tried anew. */
  where: string;
  fallback: (error: unknown) => ReactNode;
  children: ReactNode;
};
type State = { where: string; failed?: { error: unknown } | undefined };

/** Keeps what breaks inside from taking the rest of the page with it. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { where: this.props.where };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { failed: { error } };
  }

  static getDerivedStateFromProps({ where }: Props, state: State): State | null {
    return where === state.where ? null : { where, failed: undefined };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    return failed === undefined ? this.props.children : this.props.fallback(failed.error);
  }
}

/** What a page shows when it broke: the reason, the request id when an answer caused it, and the way on. */
export function BrokenPage({ error }: { error: unknown }) {
  const { detail, requestId } = explain(error);
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
