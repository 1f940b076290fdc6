import { clsx } from 'clsx';
import { type ComponentType, lazy, type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Choice } from '../design/choice.tsx';
import { useTick } from '../live/chain-clock.ts';
import { isOld } from '../live/freshness.tsx';
import { MomentBanner } from '../period/moment-banner.tsx';
import { HealthLine } from '../vault/health/health-line.tsx';
import { Overview } from '../vault/overview.tsx';
import { usePrintKey } from '../vault/print-page.ts';
import { Toolbar } from '../vault/toolbar.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { Managers } from './managers.tsx';
import { SectionSlot } from './section-slot.tsx';

type Section = {
  id: string;
  title: string;
  /** Height it keeps until it is read: what it took at 1440 px on the local chain. */
  height: number;
  /** Shown at once, wherever the reader is: what asks for nothing, and warnings. */
  isEager?: boolean;
  View: ComponentType<{ shown: Shown }>;
};

/** The parts of a vault's page in the reader's order (state, money, price, risk, people, work); each is a URL hash. */
export const sections: readonly Section[] = [
  { id: 'overview', title: 'Overview', height: 480, isEager: true, View: Overview },
  { id: 'allocation', title: 'Allocation', height: 780, View: lazy(() => import('../vault/allocation.tsx')) },
  { id: 'pricing', title: 'PPS & Pricing', height: 1_900, View: lazy(() => import('../vault/pricing/pricing.tsx')) },
  { id: 'fees', title: 'Fees & Upkeep', height: 850, View: lazy(() => import('../vault/fees/fees.tsx')) },
  { id: 'managers', title: 'Managers', height: 200, isEager: true, View: Managers },
  {
    id: 'performance',
    title: 'Performance',
    height: 1_560,
    View: lazy(() => import('../vault/performance/performance.tsx')),
  },
  { id: 'risk', title: 'Risk', height: 3_280, View: lazy(() => import('../vault/risk/risk.tsx')) },
  { id: 'users', title: 'Users', height: 2_890, View: lazy(() => import('../vault/users/users.tsx')) },
  {
    id: 'operations',
    title: 'Operations',
    height: 2_830,
    View: lazy(() => import('../vault/operations/operations.tsx')),
  },
  {
    id: 'strategies',
    title: 'Strategies',
    height: 720,
    View: lazy(() => import('../strategies/strategies-section.tsx')),
  },
  { id: 'feed', title: 'Feed', height: 800, View: lazy(() => import('../feed/feed-card.tsx')) },
];

/** Which section is being read: the last whose top has passed the header. */
function useCurrentSection(): string {
  const [current, setCurrent] = useState(sections[0]?.id ?? '');
  useEffect(() => {
    const elements = sections.flatMap(({ id }) => document.getElementById(id) ?? []);
    const choose = () => {
      const passed = elements.filter((element) => element.getBoundingClientRect().top < 220);
      const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 4;
      const chosen = atEnd && window.scrollY > 0 ? elements.at(-1) : (passed.at(-1) ?? elements[0]);
      if (chosen) setCurrent(chosen.id);
    };
    choose();
    window.addEventListener('scroll', choose, { passive: true });
    return () => window.removeEventListener('scroll', choose);
  }, []);
  return current;
}

/**
 * Brings the section that the URL names into view, and keeps it there while the figures above it come in, until the
 * reader moves.
 */
function useKeptInView(hash: string) {
  const isKept = useRef(false);
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(hash.slice(1));
    if (target === null) return;
    target.scrollIntoView();
    isKept.current = true;
    const letGo = () => {
      isKept.current = false;
    };
    const observer = new ResizeObserver(() => {
      if (isKept.current) target.scrollIntoView();
    });
    observer.observe(document.body);
    const moves = ['wheel', 'touchstart', 'keydown', 'pointerdown'] as const;
    for (const move of moves) window.addEventListener(move, letGo, { passive: true });
    return () => {
      observer.disconnect();
      for (const move of moves) window.removeEventListener(move, letGo);
    };
  }, [hash]);
}

export function Sections({ shown }: { shown: Shown }) {
  const { hash } = useLocation();
  const wanted = sections.findIndex(({ id }) => `#${id}` === hash);
  useKeptInView(hash);
  usePrintKey();
  return (
    <div className="mx-auto grid w-full max-w-[1200px] grid-cols-1 gap-x-8 gap-y-4 px-4 py-6 sm:px-6 min-[900px]:grid-cols-[140px_minmax(0,1fr)] print:grid-cols-1!">
      <SectionLinks />
      <Ageing shown={shown}>
        <MomentBanner />
        <HealthLine shown={shown} />
        <Toolbar shown={shown} />
        {sections.map(({ id, title, height, isEager = false, View }, index) => (
          <section
            key={id}
            id={id}
            aria-labelledby={`${id}-title`}
            className="flex scroll-mt-40 flex-col gap-3 lg:scroll-mt-24"
          >
            <h2 id={`${id}-title`} className="text-16 font-semibold">
              {title}
            </h2>
            <SectionSlot isEager={isEager || index <= wanted} height={height} title={title}>
              <View shown={shown} />
            </SectionSlot>
          </section>
        ))}
        <p className="text-12 text-muted">
          {`Read at block ${shown.vault.block_number} of ${shown.chain.name}. Amounts are exact on hover.`}
        </p>
      </Ageing>
    </div>
  );
}

/** The list of sections with the one being read. A component of its own: scrolling renders these links again and no section. */
function SectionLinks() {
  const navigate = useNavigate();
  const current = useCurrentSection();
  return (
    <>
      <Choice
        label="Section"
        hideLabel
        value={current}
        options={sections.map(({ id, title }) => ({ value: id, label: title }))}
        onChange={(id) => navigate({ hash: id })}
        className="min-[900px]:hidden print:hidden"
      />
      <nav aria-label="Sections of this vault" className="hidden min-[900px]:block print:hidden">
        <ol className="sticky top-28 flex flex-col gap-1">
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                aria-current={current === id ? 'location' : undefined}
                className={clsx(
                  'flex min-h-8 items-center border-l-2 px-3 text-13',
                  current === id ? 'border-accent font-medium text-text' : 'border-line text-muted hover:text-text',
                )}
              >
                {title}
              </a>
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
