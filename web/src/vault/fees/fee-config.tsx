import type { Vault } from '../../data/queries.ts';
import { AddressTag } from '../../design/address-tag.tsx';
import { Card } from '../../design/card.tsx';
import { Notice } from '../../design/states.tsx';
import { formatBpsShare } from '../../format/figures.ts';
import { formatDuration, formatUtc } from '../../format/time.ts';
import { Term } from '../../glossary/term.tsx';
import { useChainNow } from '../../live/chain-clock.ts';
import { useMoment } from '../../moment/use-moment.ts';
import type { Shown } from '../vault-gate.tsx';

/** What is charged and who receives it, and a change that waits. */
export function FeeConfig({ shown: { vault, chain } }: { shown: Shown }) {
  const { at } = useMoment();
  const { fee_config: fees } = vault;
  const ofNow = (text: string) => (at === undefined ? text : 'As configured now, not at the moment shown');
  return (
    <>
      <PendingFees vault={vault} />
      <Card>
        <dl className="grid grid-cols-1 gap-4 sm:grid-cols-3">
          <Fact name="Performance fee" value={formatBpsShare(fees.performance_fee_bps)}>
            {ofNow('Of gains above the high-water mark')}
          </Fact>
          <Fact name="Entry fee" value={formatBpsShare(fees.management_fee_bps)}>
            {ofNow('Of each deposit, taken at once; never accrues')}
          </Fact>
          <div className="flex flex-col gap-1">
            <dt className="label-caps">Recipient</dt>
            <dd className="min-h-7">
              <AddressTag value={fees.recipient} what="fee recipient" explorerUrl={chain.explorer_url} />
            </dd>
            <dd className="text-13 text-muted">{ofNow('Receives what is left after the protocol’s share')}</dd>
          </div>
        </dl>
      </Card>
    </>
  );
}

const Fact = ({ name, value, children }: { name: string; value: string; children: string }) => (
  <div className="flex flex-col gap-1">
    <dt className="label-caps [&_button]:-my-1">
      <Term>{name}</Term>
    </dt>
    <dd className="text-20 font-semibold tracking-tight">{value}</dd>
    <dd className="text-13 text-muted">{children}</dd>
  </div>
);

function PendingFees({ vault }: { vault: Vault }) {
  const now = useChainNow(vault.chain_time);
  const { fee_config: before, pending_fee_config: pending } = vault;
  if (pending === null) return null;
  const seconds = (Date.parse(pending.effective_at) - now) / 1_000;
  const changes = [
    change('Performance fee', before.performance_fee_bps, pending.performance_fee_bps),
    change('entry fee', before.management_fee_bps, pending.management_fee_bps),
  ].filter((each) => each !== undefined);
  return (
    <Notice
      tone="warn"
      title={
        seconds > 0
          ? `A fee change is proposed and can take effect in ${formatDuration(seconds)}`
          : 'A proposed fee change can take effect now'
      }
    >
      <p>{changes.length === 0 ? 'The rates stay as they are.' : `${changes.join(', ')}.`}</p>
      <p>{`From ${formatUtc(pending.effective_at)}. Taking effect sets the high-water mark to the price of that moment.`}</p>
      {pending.recipient === before.recipient ? null : (
        <p className="flex flex-wrap items-center gap-x-2">
          New recipient <AddressTag value={pending.recipient} what="new recipient" />
        </p>
      )}
    </Notice>
  );
}

const change = (name: string, before: number, after: number): string | undefined =>
  before === after ? undefined : `${name} ${formatBpsShare(before)} → ${formatBpsShare(after)}`;
