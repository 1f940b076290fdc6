import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useApp } from '../client/services.ts';
import { mandateTitle } from '../data/mandate-title.ts';
import { mandateStatusQuery } from '../data/queries.ts';
import { usePollMs } from '../data/use-live.ts';
import { Skeleton } from '../design/states.tsx';
import { useKeptAfterSession, useViewer } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';

/** Loaded for vaults that promise something: most visitors need none of it. */
const PublicPromises = lazy(async () => ({ default: (await import('./public-promises.tsx')).PublicPromises }));

/** The mandate on the public page; nothing while there is none that may be read. */
export function PublicMandate({ shown }: { shown: Shown }) {
  const { api } = useApp();
  const enabled = useKeptAfterSession();
  const status = useQuery({
    ...mandateStatusQuery(api, useViewer(), shown.vault, usePollMs()),
    enabled,
  });
  if (status.data === undefined || status.data.version === null) return null;
  return (
    <section
      aria-labelledby={mandateTitle}
      className="mx-auto flex w-full max-w-[1200px] flex-col gap-4 px-4 pb-8 sm:px-6 min-[900px]:pl-[196px]"
    >
      <h2 id={mandateTitle} className="text-20 font-semibold">
        Mandate
      </h2>
      <Suspense fallback={<Skeleton className="h-40 w-full" />}>
        <PublicPromises shown={shown} />
      </Suspense>
    </section>
  );
}
