import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import type { MyVault, Vault } from '../data/queries.ts';
import { Skeleton } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { operatePath } from '../vault/paths.ts';
import { PendingManagerChange } from '../vault/pending-manager-change.tsx';
import type { Concern } from './attention.ts';
import { MOST_WATCHED, useConcerns } from './use-concerns.ts';

const icons = { critical: TriangleAlert, warn: TriangleAlert, info: Info } as const;
const looks = { critical: 'text-danger', warn: 'text-brass', info: 'text-info' } as const;
const words = { critical: 'Critical', warn: 'Warning', info: 'Note' } as const;

/** What in the own vaults must not be overlooked; a pending change of a primary manager is said loudest. */
export function AttentionList({ vaults }: { vaults: readonly MyVault[] }) {
  const { details, concerns, pending, count, isPending, unread } = useConcerns(vaults);
  return (
    <>
      {pending.map((vault) => (
        <PendingManagerChange key={keyOf(vault)} vault={vault} named />
      ))}
      <section aria-labelledby="attention-title" className="rounded-card border bg-surface">
        <h3 id="attention-title" className="border-b px-4 py-3 text-14 font-semibold">
          {`Needs attention (${formatCount(count)})`}
        </h3>
        {isPending ? (
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
