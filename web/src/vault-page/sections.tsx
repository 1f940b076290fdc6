import { type VaultSection as SectionId, vaultSections } from '@castellan/contracts';
import { clsx } from 'clsx';
import { type ComponentType, lazy, type ReactNode, type Ref, Suspense, useEffect, useRef } from 'react';
import { Link, useLocation, useNavigationType } from 'react-router';
import { AwaitedCode } from '../design/awaited-code.tsx';
import { Button } from '../design/button.tsx';
import { Choice } from '../design/choice.tsx';
import { useGuardedNavigate } from '../design/leaving.ts';
import { Skeleton } from '../design/states.tsx';
import { useTick } from '../live/chain-clock.ts';
import { isOld } from '../live/freshness.tsx';
import type { VaultView } from '../navigation/paths.ts';
import { MomentBanner } from '../period/moment-banner.tsx';
import { HealthLine } from '../vault/health/health-line.tsx';
import { Overview } from '../vault/overview.tsx';
import { PendingManagerChange } from '../vault/pending-manager-change.tsx';
import { printWhole, usePrintKey } from '../vault/print-page.ts';
import { useSectionLink } from '../vault/section-link.ts';
import { ObservedThen } from '../vault/time-machine/observed-then.tsx';
import { Toolbar } from '../vault/toolbar.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { viewTitle } from './section-gate.tsx';

type View = {
  View: ComponentType<{ shown: Shown }>;
  /** Height that is kept for it while its code loads: what it takes at 1440 px on the local chain. */
  height: number;
};

const views: Readonly<Record<SectionId, View>> = {
  overview: { height: 1_900, View: Overview },
  allocation: { height: 780, View: lazy(() => import('../vault/allocation.tsx')) },
  pricing: { height: 1_900, View: lazy(() => import('../vault/pricing/pricing.tsx')) },
  fees: { height: 850, View: lazy(() => import('../vault/fees/fees.tsx')) },
  managers: { height: 600, View: lazy(() => import('./managers.tsx')) },
  performance: { height: 1_560, View: lazy(() => import('../vault/performance/performance.tsx')) },
  risk: { height: 3_280, View: lazy(() => import('../vault/risk/risk.tsx')) },
  users: { height: 2_890, View: lazy(() => import('../vault/users/users.tsx')) },
  operations: { height: 2_830, View: lazy(() => import('../vault/operations/operations.tsx')) },
  strategies: { height: 720, View: lazy(() => import('../strategies/strategies-section.tsx')) },
  feed: { height: 800, View: lazy(() => import('../feed/feed-card.tsx')) },
};

const ReportBar = lazy(() => import('../report/report-bar.tsx'));
/** What is kept for it while its code loads. */
const noBar = <div className="h-16 print:hidden" />;

const sections = Object.keys(vaultSections) as SectionId[];

/** What the address names of a vault's page: one section, or all of them for paper. The list of sections stays beside it. */
export function VaultSection({ shown, view }: { shown: Shown; view: VaultView }) {
  usePrintKey();
  const heading = useShownFromTop(view);
  const linkTo = useSectionLink(shown);
  return (
    <div className="mx-auto grid w-full max-w-[1200px] grid-cols-1 gap-x-8 gap-y-4 px-4 py-6 sm:px-6 min-[900px]:grid-cols-[140px_minmax(0,1fr)] print:grid-cols-1!">
      <SectionLinks shown={shown} view={view} />
      <Ageing shown={shown}>
        <MomentBanner>
          <ObservedThen shown={shown} />
        </MomentBanner>
        {view === 'overview' ? <PendingManagerChange vault={shown.vault} /> : null}
        {view === 'overview' || view === 'print' ? <HealthLine shown={shown} /> : null}
        <Toolbar shown={shown} />
        {view === 'performance' || view === 'print' ? (
          <Suspense fallback={noBar}>
            <ReportBar shown={shown} />
          </Suspense>
        ) : null}
        {view === 'print' ? (
          <>
            <div className="flex flex-wrap items-center justify-between gap-3 print:hidden">
              <h2 ref={heading} tabIndex={-1} className="text-16 font-semibold outline-none">
                {viewTitle(view)}
              </h2>
              <Button onPress={() => printWhole(() => window.print())}>Print</Button>
            </div>
            {sections.map((id) => (
              <Part key={id} id={id} shown={shown} />
            ))}
          </>
        ) : (
          // A section of its own for each address: another one shows its skeleton at once.
          <Part key={view} id={view} shown={shown} heading={heading} isAlone />
        )}
        <p className="text-12 text-muted">
          {`Read at block ${shown.vault.block_number} of ${shown.chain.name}. `}
          <span className="[@media(hover:none)]:hidden">Amounts are exact on hover. </span>
          {view === 'print' ? null : (
            <Link to={linkTo('print')} className="link print:hidden">
              All sections under each other, for printing
            </Link>
          )}
        </p>
      </Ageing>
    </div>
  );
}

type PartProps = {
  id: SectionId;
  shown: Shown;
  heading?: Ref<HTMLHeadingElement>;
  /** What is below it is then below the screen from the start, so that nothing moves while it loads. */
  isAlone?: boolean;
};

function Part({ id, shown, heading, isAlone = false }: PartProps) {
  const { View, height } = views[id];
  return (
    <section aria-labelledby={`${id}-title`} className={clsx('flex flex-col gap-3', isAlone && 'min-h-[80dvh]')}>
      <h2 id={`${id}-title`} ref={heading} tabIndex={-1} className="text-16 font-semibold outline-none">
        {vaultSections[id]}
      </h2>
      <Suspense
        fallback={
          <AwaitedCode>
            <div role="status" aria-label={`Loading ${vaultSections[id]}`} style={{ height }}>
              <Skeleton className="h-full max-h-96 w-full" />
            </div>
          </AwaitedCode>
        }
      >
        <View shown={shown} />
      </Suspense>
    </section>
  );
}

/**
 * After a step to another section it is shown from its top, and its heading is read out; who still chooses from the list goes on, and an
 * anchor is of a part that brings itself into view.
 */
function useShownFromTop(view: VaultView) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(view);
  const hasAnchor = useLocation().hash !== '';
  const isStep = useNavigationType() === 'PUSH' && !hasAnchor;
  useEffect(() => {
    if (before.current === view) return;
    before.current = view;
    if (!isStep) return;
    document.documentElement.scrollTop = 0;
    if (!(document.activeElement instanceof HTMLSelectElement)) heading.current?.focus({ preventScroll: true });
  }, [view, isStep]);
  return heading;
}

function SectionLinks({ shown, view }: { shown: Shown; view: VaultView }) {
  const navigate = useGuardedNavigate();
  const linkTo = useSectionLink(shown);
  const options = sections.map((value) => ({ value, label: vaultSections[value] }));
  return (
    <>
      {view === 'print' ? null : (
        <Choice
          label="Section"
          hideLabel
          value={view}
          options={options}
          onChange={(id) => navigate(linkTo(id))}
          className="min-[900px]:hidden print:hidden"
        />
      )}
      <nav aria-label="Sections of this vault" className="hidden min-[900px]:block print:hidden">
        <ol className="sticky top-28 flex flex-col gap-1">
          {sections.map((id) => (
            <li key={id}>
              <Link
                to={linkTo(id)}
                aria-current={view === id ? 'page' : undefined}
                className={clsx(
                  'flex min-h-8 items-center border-l-2 px-3 text-13',
                  view === id ? 'border-accent font-medium text-text' : 'border-line text-muted hover:text-text',
                )}
              >
                {vaultSections[id]}
              </Link>
            </li>
          ))}
        </ol>
      </nav>
    </>
  );
}

/** What is too old turns grey by the passing of time alone; only this wrapper renders each second. */
function Ageing({ shown: { updatedAt, live }, children }: { shown: Shown; children: ReactNode }) {
  useTick();
  return (
    <div className={clsx('flex min-w-0 flex-col gap-8', isOld(updatedAt, live) && 'opacity-80 grayscale')}>
      {children}
    </div>
  );
}
