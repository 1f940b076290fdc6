import type { ReactNode } from 'react';
import type { Vault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Notice } from '../design/states.tsx';
import { formatDuration, formatUtc } from '../format/time.ts';
import { useChainNow } from '../live/chain-clock.ts';

type Props = {
  vault: Pick<Vault, 'name' | 'chain_time' | 'pending_manager_change'>;
  named?: boolean;
  action?: ReactNode;
};

/** A change of the primary manager that waits: said loudly, because it removes every secondary manager too. */
export function PendingManagerChange({ vault, named = false, action }: Props) {
  const now = useChainNow(vault.chain_time);
  const pending = vault.pending_manager_change;
  if (pending === null) return null;
  const seconds = (Date.parse(pending.effective_at) - now) / 1_000;
  const when = seconds > 0 ? `in ${formatDuration(seconds)}` : 'now, by anyone';
  return (
    <Notice
      tone="critical"
      action={action}
      title={`${named ? `${vault.name}: a` : 'A'} new primary manager is proposed and can take over ${when}`}
    >
      <p className="flex flex-wrap items-center gap-x-2">
        Proposed <AddressTag value={pending.proposed_manager} what="proposed manager" />
        {pending.proposer === null ? null : (
          <>
            by <AddressTag value={pending.proposer} what="proposer" />
          </>
        )}
        effective {formatUtc(pending.effective_at)}.
      </p>
      <p>When it takes effect, every secondary manager loses the role. If you did not expect this, act before then.</p>
    </Notice>
  );
}
