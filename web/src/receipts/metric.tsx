import { clsx } from 'clsx';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AnalyticsId, AnalyticsQuery, AnalyticsResult, Answer, useAnalytics } from '../data/use-analytics.ts';
import { Card, Figure, figureRows } from '../design/card.tsx';
import { Skeleton } from '../design/states.tsx';
import { NONE } from '../format/figures.ts';
import type { ReceiptOf } from './receipt.ts';
import { ReceiptButton } from './receipt-button.tsx';
import { qualityWords } from './receipt-text.ts';

/** One analytics read as a section uses it: its parameters for receipts, and what came of it. */
export type Read<K extends AnalyticsId> = {
  source: ReceiptOf<K>['source'];
  id: K;
  query: AnalyticsQuery<K>;
  result: Pick<
    ReturnType<typeof useAnalytics<K>>,
    'data' | 'error' | 'isError' | 'isPlaceholderData' | 'refetch' | 'dataUpdatedAt'
  >;
};

type Props<K extends AnalyticsId, T> = {
  of: Read<K>;
  label: string;
  /** Path of the figure in the answer, as `quality` and `receipts` name it. */
  path: string;
  value: (answer: AnalyticsResult<K>) => T | null;
  show: (value: T) => string;
  exact?: (value: T) => string;
  /** One line of context. What `quality` says goes before it. */
  context?: (answer: AnalyticsResult<K>) => ReactNode;
  /** Why there is none, where `quality` does not say it. */
  whyNone?: string;
  tone?: 'text' | 'accent' | 'brass';
  isLarge?: boolean;
};

/** One figure of an answer: its value or a dash with the reason, and its receipt. Never blank. */
export function Metric<K extends AnalyticsId, T>(props: Props<K, T>) {
  const { of, label, path, value, show, exact, context, whyNone = 'No data yet', tone, isLarge = false } = props;
  const { data, isError, isPlaceholderData } = of.result;
  if (data === undefined)
    return isError ? <Missing label={label} /> : <MetricSkeleton label={label} isLarge={isLarge} />;
  const found = value(data);
  const { quality }: Answer = data;
  const reason = qualityWords(quality[path]);
  return (
    <Figure
      label={label}
      value={found === null ? NONE : show(found)}
      exact={found === null ? undefined : exact?.(found)}
      {...(tone ? { tone } : {})}
      isLarge={isLarge}
      isOld={isPlaceholderData || isError}
      shows={{ read: of.id, path }}
      action={<ReceiptButton source={of.source} id={of.id} query={of.query} path={path} label={label} />}
    >
      {found === null ? (
        (reason ?? whyNone)
      ) : (
        <>
          {reason === undefined ? null : (
            <span className="inline-flex items-center gap-1 text-brass">
              <TriangleAlert size={13} aria-hidden="true" className="shrink-0" />
              {reason}
            </span>
          )}
          {reason === undefined || context === undefined ? null : ' · '}
          {context?.(data)}
        </>
      )}
    </Figure>
  );
}

const Missing = ({ label }: { label: string }) => (
  <Figure label={label} value={NONE}>
    Could not be read; see the message of this section
  </Figure>
);

/** The size of the figure that will stand there. */
export const MetricSkeleton = ({ label, isLarge = false }: { label: string; isLarge?: boolean }) => (
  <Card className={figureRows}>
    <dt className="min-h-6 pt-1 label-caps">{label}</dt>
    <dd role="status" aria-label={`Loading ${label}`}>
      <Skeleton className={clsx('w-24 sm:w-32', isLarge ? 'my-1 h-7 sm:h-10' : 'my-0.5 h-6 sm:my-1 sm:h-7')} />
    </dd>
    <dd aria-hidden="true">
      <Skeleton className="h-5 w-full max-w-40" />
    </dd>
  </Card>
);
