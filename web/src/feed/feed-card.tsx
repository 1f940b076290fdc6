import { useState } from 'react';
import { Link } from 'react-router';
import { useMoment } from '../moment/use-moment.ts';
import { feedPath } from '../navigation/paths.ts';
import { useSession } from '../session/use-session.ts';
import type { Shown } from '../vault/vault-gate.tsx';
import type { Kind } from './feed-labels.ts';
import { FeedView, KindChoice } from './feed-view.tsx';
import { everything } from './filter.ts';

const PAGE = 5;

/** The newest of what happened to the vault and what its managers wrote. */
export default function FeedCard({ shown }: { shown: Shown }) {
  const [kind, setKind] = useState<Kind | ''>('');
  const { vault } = shown;
  const { at } = useMoment();
  const canOperate = useSession().status === 'signed_in' && vault.my_role !== null;
  return (
    <FeedView
      shown={shown}
      filter={{ ...everything, kind }}
      pageSize={PAGE}
      until={at}
      head={
        <div className="flex flex-wrap items-end justify-between gap-3 border-b p-4">
          <KindChoice value={kind} onChange={setKind} />
          {canOperate ? (
            <Link
              to={feedPath(vault.chain_slug, vault.vault_address)}
              className="inline-flex min-h-6 items-center link text-13"
            >
              Open the whole feed
            </Link>
          ) : null}
        </div>
      }
    />
  );
}
