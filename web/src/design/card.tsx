import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Term } from '../glossary/term.tsx';
import { useFlash } from './flash.ts';

type CardProps = {
  children: ReactNode;
  className?: string;
  /** For who is led to it by an anchor. */
  id?: string;
  /** For what brings its own padding, such as a table. */
  isFlush?: boolean;
  /** Which figure of which read is shown here, to compare page and API. */
  shows?: { read: string; path: string } | undefined;
};

export function Card({ children, className, id, isFlush = false, shows }: CardProps) {
  return (
    <div
      id={id}
      className={clsx('min-w-0 rounded-card border bg-surface', !isFlush && 'p-3 sm:p-4', className)}
      data-read={shows?.read}
      data-path={shows?.path}
    >
      {children}
    </div>
  );
}

/** Label, value and context stand in rows of the grid around, so that values of one row are level whatever their labels take. */
export const figureRows = 'row-span-3 grid grid-rows-subgrid content-start gap-y-1';

type FigureProps = {
  label: string;
  /** What is shown big. */
  value: string;
  /** The whole value, shown on hover and read out. */
  exact?: string | undefined;
  /** One line of context under the value. */
  children?: ReactNode;
  tone?: 'text' | 'accent' | 'brass';
  /** A countdown changes each second; it does not flash. */
  isTicking?: boolean;
  /** Beside the label, e.g. what opens the receipt. */
  action?: ReactNode;
  /** While a newer one is on its way, or its reading failed. */
  isOld?: boolean;
  /** What a page is opened for. */
  isLarge?: boolean;
  shows?: CardProps['shows'];
};

const tones = { text: 'text-text', accent: 'text-accent', brass: 'text-brass' } as const;

/** One labelled figure: label, value, a line of context. Its background flashes once when the value changes. */
export function Figure({ label, value, exact, children, tone = 'text', isTicking = false, ...rest }: FigureProps) {
  const { action, isOld = false, isLarge = false, shows } = rest;
  const flash = useFlash(isTicking ? '' : value);
  return (
    <Card className={clsx(figureRows, isOld && 'opacity-70 grayscale')} shows={shows}>
      <dt className="flex min-h-6 items-start justify-between gap-2 [&>:first-child:not(:has(button))]:pt-1">
        <span className="label-caps">
          <Term>{label}</Term>
        </span>
        {action}
      </dt>
      <dd
        className={clsx(
          'font-semibold tracking-tight',
          isLarge ? 'text-28 sm:text-40' : 'text-20 sm:text-28',
          tones[tone],
        )}
      >
        <span key={flash} className={flash > 0 ? 'flash' : undefined} title={exact}>
          {value}
        </span>
      </dd>
      {children === undefined ? null : <dd className="min-h-5 text-13 text-muted">{children}</dd>}
    </Card>
  );
}

/** Rows of figures, four at most in each. */
export function Figures({ children, columns = 4 }: { children: ReactNode; columns?: 2 | 3 | 4 }) {
  return (
    <dl
      className={clsx(
        'grid grid-cols-2 gap-2 max-lg:[&>*:last-child:nth-child(odd)]:col-span-2 sm:gap-3',
        {
          2: 'max-sm:grid-cols-1',
          3: 'lg:grid-cols-3 lg:[&>*:last-child:nth-child(3n+2)]:col-span-2',
          4: 'lg:grid-cols-4',
        }[columns],
      )}
    >
      {children}
    </dl>
  );
}
