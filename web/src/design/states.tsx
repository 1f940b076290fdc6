import { clsx } from 'clsx';
import { CircleX, Inbox, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { Button } from './button.tsx';
import { explain, isSignedOut } from './explain.ts';

export function Skeleton({ className }: { className: string }) {
  return <span aria-hidden="true" className={clsx('skeleton block', className)} />;
}

/** Cards the size of the figures that will stand there. */
export function FigureSkeletons({ count, columns = 4 }: { count: number; columns?: 3 | 4 }) {
  return (
    <div
      role="status"
      aria-label="Loading"
      className={clsx('grid grid-cols-2 gap-2 sm:gap-3', columns === 3 ? 'lg:grid-cols-3' : 'lg:grid-cols-4')}
    >
      {Array.from({ length: count }, (_, index) => index).map((index) => (
        <div key={index} className="flex flex-col gap-1 rounded-card border bg-surface p-3 sm:p-4">
          <Skeleton className="h-4 w-24" />
          <Skeleton className="my-1 h-7 w-full max-w-36" />
          <Skeleton className="h-5 w-full max-w-28" />
        </div>
      ))}
    </div>
  );
}

export function RowSkeletons({ rows }: { rows: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2 p-4">
      {Array.from({ length: rows }, (_, index) => index).map((index) => (
        <Skeleton key={index} className="h-11 w-full" />
      ))}
    </div>
  );
}

/** Nothing yet: what will appear here, and after what. */
export function Empty({
  title,
  children,
  isCompact = false,
}: {
  title: string;
  children?: ReactNode;
  /** One of several on a page. */
  isCompact?: boolean;
}) {
  return (
    <div className={clsx('flex flex-col items-center gap-2 px-4 text-center text-muted', isCompact ? 'py-5' : 'py-12')}>
      <Inbox size={24} aria-hidden="true" />
      <p className="text-14 font-medium text-text">{title}</p>
      {children === undefined ? null : <p className="max-w-prose text-13">{children}</p>}
    </div>
  );
}

/** Something failed: what, what to do, and the id to ask about it with. */
export function Failure({ error, retry, title }: { error: unknown; retry?: () => void; title?: string }) {
  const { headline, detail, requestId } = explain(error);
  return (
    <div role="alert" className="flex items-start gap-3 rounded-card border border-danger bg-surface p-4">
      <CircleX size={20} aria-hidden="true" className="mt-0.5 shrink-0 text-danger" />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="font-medium">{title ?? headline}</p>
        <p className="break-words text-13 text-muted">{detail}</p>
        {requestId === undefined ? null : (
          <p className="text-12 text-muted">
            Request <code className="font-mono break-all">{requestId}</code>
          </p>
        )}
        {isSignedOut(error) ? (
          <div className="pt-2">
            <Button look="primary" onPress={openSignIn}>
              Sign in again
            </Button>
          </div>
        ) : retry === undefined ? null : (
          <div className="pt-2">
            <Button onPress={retry}>Try again</Button>
          </div>
        )}
      </div>
    </div>
  );
}

const noticeTones = {
  info: { icon: Info, look: 'border-info', text: 'text-info' },
  warn: { icon: TriangleAlert, look: 'border-brass', text: 'text-brass' },
  critical: { icon: TriangleAlert, look: 'border-danger', text: 'text-danger' },
} as const;

type NoticeProps = {
  tone: keyof typeof noticeTones;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
};

export function Notice({ tone, title, children, action }: NoticeProps) {
  const { icon: Icon, look, text } = noticeTones[tone];
  return (
    <div
      role={tone === 'critical' ? 'alert' : 'status'}
      className={clsx('flex flex-wrap items-start gap-3 rounded-card border bg-surface p-4', look)}
    >
      <Icon size={20} aria-hidden="true" className={clsx('mt-0.5 shrink-0', text)} />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium">{title}</p>
        {children === undefined ? null : <div className="text-13 text-muted">{children}</div>}
      </div>
      {action}
    </div>
  );
}
