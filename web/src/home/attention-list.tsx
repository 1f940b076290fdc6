import { useQueries } from '@tanstack/react-query';
import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { useApp } from '../app/services.ts';
import { type MyVault, POLL_MS, type Vault, vaultQuery } from '../data/queries.ts';
import { Skeleton } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { useViewer } from '../session/use-session.ts';
import { operatePath } from '../vault/paths.ts';
import { PendingManagerChange } from '../vault/pending-manager-change.tsx';
import { type Concern, concernsOf } from './attention.ts';

/** More than this are watched by the list of vaults alone. */
const MOST_WATCHED = 24;

const icons = { critical: TriangleAlert, warn: TriangleAlert, info: Info } as const;
const looks = { critical: 'text-danger', warn: 'text-brass', info: 'text-info' } as const;
const words = { critical: 'Critical', warn: 'Warning', info: 'Note' } as const;

/** What in the own vaults must not be overlooked; a pending change of a primary manager is said loudest. */
export function AttentionList({ vaults }: { vaults: readonly MyVault[] }) {
  const { api } = useApp();
  const viewer = useViewer();
  const watched = vaults.slice(0, MOST_WATCHED);
  const reads = useQueries({
    queries: watched.map((vault) => ({
      ...vaultQuery(api, viewer, vault.chain_id, vault.vault_address),
      refetchInterval: POLL_MS,
    })),
  });
  const details = reads.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const concerns = details.flatMap((vault) => concernsOf(vault).map((concern) => ({ vault, concern })));
  const pending = details.filter((vault) => vault.pending_manager_change !== null);
  const unread = reads.filter(({ isError, data }) => isError && data === undefined).length;
  return (
    <>
      {pending.map((vault) => (
        <PendingManagerChange key={keyOf(vault)} vault={vault} named />
      ))}
      <section aria-labelledby="attention-title" className="rounded-card border bg-surface">
        <h3 id="attention-title" className="border-b px-4 py-3 text-14 font-semibold">
          {`Needs attention (${formatCount(concerns.length + pending.length)})`}
        </h3>
        {reads.some(({ isPending }) => isPending) ? (
          <div role="status" aria-label="Reading your vaults" className="p-4">
            <Skeleton className="h-6 w-full max-w-96" />
          </div>
        ) : concerns.length === 0 ? (
          <p className="flex items-center gap-2 px-4 py-3 text-13 text-muted">
            <CircleCheck size={16} aria-hidden="true" className="shrink-0 text-accent" />
            {pending.length === 0
              ? `Nothing, in ${formatCount(details.length)} ${details.length === 1 ? 'vault' : 'vaults'}.`
              : 'Nothing besides the change above.'}
          </p>
        ) : (
          <ul className="divide-y">
            {concerns.map(({ vault, concern }) => (
              <ConcernRow key={`${keyOf(vault)}:${concern.id}`} vault={vault} concern={concern} />
            ))}
          </ul>
        )}
        {unread === 0 && vaults.length <= MOST_WATCHED ? null : (
          <p className="border-t px-4 py-2 text-13 text-brass">
            {[
              ...(unread === 0 ? [] : [`${formatCount(unread)} could not be read and may need attention too.`]),
              ...(vaults.length <= MOST_WATCHED ? [] : [`Only the first ${MOST_WATCHED} vaults are watched here.`]),
            ].join(' ')}
          </p>
        )}
      </section>
    </>
  );
}

const keyOf = (vault: Vault): string => `${vault.chain_id}:${vault.vault_address}`;

function ConcernRow({ vault, concern }: { vault: Vault; concern: Concern }) {
  const Icon = icons[concern.tone];
  return (
    <li className="relative flex gap-3 px-4 py-3 focus-within:bg-raised hover:bg-raised">
      <Icon size={18} aria-hidden="true" className={`mt-0.5 shrink-0 ${looks[concern.tone]}`} />
      <div className="min-w-0">
        <p className="font-medium">
          <span className="sr-only">{`${words[concern.tone]}: `}</span>
          <Link
            to={`${operatePath(vault.chain_slug, vault.vault_address)}#${concern.section}`}
            className="after:absolute after:inset-0 hover:text-accent"
          >
            {`${vault.name}: ${concern.title}`}
          </Link>
        </p>
        <p className="text-13 text-muted">{concern.detail}</p>
      </div>
    </li>
  );
}
