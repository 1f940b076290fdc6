import { ShieldCheck, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { AddressTag } from '../design/address-tag.tsx';
import { Card } from '../design/card.tsx';
import { formatCount } from '../format/figures.ts';
import { OfNow } from '../moment/of-now.tsx';
import { PendingManagerChange } from '../vault/pending-manager-change.tsx';
import { StateThen } from '../vault/time-machine/state-then.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { ProofsAndSettings } from './proof-status.tsx';

export default function Managers({ shown }: { shown: Shown }) {
  const { vault, chain } = shown;
  const explorerUrl = chain.explorer_url;
  const { primary, secondary, view_only_count: viewers } = vault.managers;
  return (
    <div className="flex flex-col gap-3">
      <StateThen shown={shown} />
      <PendingManagerChange vault={vault} />
      <div className="grid grid-cols-1 gap-3 lg:grid-cols-2">
        <Group title="Primary manager" icon={<ShieldCheck size={16} aria-hidden="true" />}>
          <Person wallet={primary} explorerUrl={explorerUrl} />
        </Group>
        <Group
          title={`Secondary managers, ${formatCount(secondary.length)} of 5`}
          icon={<UserRound size={16} aria-hidden="true" />}
        >
          {secondary.length === 0 ? (
            <p className="text-13 text-muted">
              None. The primary manager can add up to five, so that the vault can be paused when one is away.
            </p>
          ) : (
            secondary.map((wallet) => <Person key={wallet.wallet_address} wallet={wallet} explorerUrl={explorerUrl} />)
          )}
        </Group>
      </div>
      <p className="text-13 text-muted">
        {`${formatCount(viewers)} ${viewers === 1 ? 'wallet has' : 'wallets have'} view-only access, which changes nothing on chain.`}
      </p>
      <ProofsAndSettings vault={vault} explorerUrl={explorerUrl} />
    </div>
  );
}

function Group({ title, icon, children }: { title: string; icon: ReactNode; children: ReactNode }) {
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex min-h-6 items-center justify-between gap-2">
        <h3 className="flex items-center gap-2 label-caps">
          {icon}
          {title}
        </h3>
        <OfNow />
      </div>
      {children}
    </Card>
  );
}

type PersonProps = {
  wallet: { wallet_address: string; display_name: string | null };
  explorerUrl: string | null | undefined;
};

/** A person by name when there is one; the address always. */
export function Person({ wallet, explorerUrl }: PersonProps) {
  return (
    <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3">
      {wallet.display_name === null ? null : <span className="truncate font-medium">{wallet.display_name}</span>}
      <AddressTag value={wallet.wallet_address} what="wallet address" explorerUrl={explorerUrl} />
    </div>
  );
}
