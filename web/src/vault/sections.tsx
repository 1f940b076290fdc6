import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Choice } from '../design/choice.tsx';
import { isOld } from '../live/freshness.tsx';
import { Allocation } from './allocation.tsx';
import { useTick } from './chain-clock.ts';
import { Managers } from './managers.tsx';
import { Overview } from './overview.tsx';
import type { Shown } from './vault-gate.tsx';

type Section = { id: string; title: string; render: (shown: Shown) => ReactNode };

/** The parts of a vault's page in the reader's order; each is a URL hash. */
export const sections: readonly Section[] = [
  { id: 'overview', title: 'Overview', render: ({ vault }) => <Overview vault={vault} /> },
  {
    id: 'allocation',
    title: 'Allocation',
    render: ({ vault, chain }) => <Allocation vault={vault} explorerUrl={chain.explorer_url} />,
  },
  {
    id: 'managers',
    title: 'Managers',
    render: ({ vault, chain }) => <Managers vault={vault} explorerUrl={chain.explorer_url} />,
  },
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

export function Sections({ shown }: { shown: Shown }) {
  const { hash } = useLocation();
  const navigate = useNavigate();
  const current = useCurrentSection();
  useEffect(() => {
    if (hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);
  return (
    <div className="mx-auto grid w-full max-w-[1200px] grid-cols-1 gap-x-8 gap-y-4 px-4 py-6 sm:px-6 min-[900px]:grid-cols-[140px_minmax(0,1fr)]">
      <Choice
        label="Section"
        hideLabel
        value={current}
        options={sections.map(({ id, title }) => ({ value: id, label: title }))}
        onChange={(id) => navigate({ hash: id })}
        className="min-[900px]:hidden"
      />
      <nav aria-label="Sections of this vault" className="hidden min-[900px]:block">
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
      <Ageing shown={shown}>
        {sections.map(({ id, title, render }) => (
          <section
            key={id}
            id={id}
            aria-labelledby={`${id}-title`}
            className="flex scroll-mt-40 flex-col gap-3 lg:scroll-mt-24"
          >
            <h2 id={`${id}-title`} className="text-16 font-semibold">
              {title}
            </h2>
            {render(shown)}
          </section>
        ))}
        <p className="text-12 text-muted">
          {`Read at block ${shown.vault.block_number} of ${shown.chain.name}. Amounts are exact on hover.`}
        </p>
      </Ageing>
    </div>
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
