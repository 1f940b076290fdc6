import type { VaultSettings } from '@castellan/contracts';
import { useState } from 'react';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { sameAddress } from '../format/address.ts';
import { formatPps, ppsPlaces } from '../format/amount.ts';
import { formatBpsShare } from '../format/figures.ts';
import { formatDuration, formatUtc } from '../format/time.ts';
import { typedBpsPercent } from '../format/typed.ts';
import { readWallet } from '../users/wallet-input.ts';
import { skimReason } from '../vault/fees/fee-labels.ts';
import { assetsExact, assetsText } from '../vault/money.ts';
import { readPercent } from './inputs.ts';
import { Block, Facts, Pending, PrepareForm, Section } from './parts.tsx';
import { type Ask, isManager, isPrimary, type SectionProps } from './use-settings.ts';

export function FeesSection({ shown, settings, role, ask }: SectionProps) {
  const { fees } = settings;
  const { pending } = fees;
  return (
    <Section
      id="fees"
      title="Fees"
      text={`A change is proposed, waits ${formatDuration(fees.limits.timelock_seconds)} and is then executed by the primary manager.`}
    >
      <Block title="Fee configuration">
        <Facts
          rows={[
            { name: 'Performance fee, on gains', value: formatBpsShare(fees.current.performance_fee_bps) },
            { name: 'Entry fee, on deposits', value: formatBpsShare(fees.current.management_fee_bps) },
            {
              name: 'Paid to',
              value: (
                <AddressTag
                  value={fees.current.recipient}
                  what="fee recipient"
                  explorerUrl={shown.chain.explorer_url}
                />
              ),
            },
          ]}
        />
        {pending === null ? null : (
          <Pending
            what={`Performance fee ${formatBpsShare(pending.performance_fee_bps)}, entry fee ${formatBpsShare(pending.management_fee_bps)}, paid to ${pending.recipient}. Executing sets the high-water mark to the price of that moment: a fee not taken before then is forfeited. This cannot be undone.`}
            effectiveAt={pending.effective_at}
            canExecute={pending.can_execute}
            chainTime={settings.chain_time}
            onExecute={
              isPrimary(role) ? () => ask('Execute the proposed fees', { kind: 'execute_fees', args: {} }) : undefined
            }
          />
        )}
        {isPrimary(role) ? <ProposeFees fees={fees} ask={ask} /> : null}
      </Block>
      <Skim shown={shown} role={role} ask={ask} />
    </Section>
  );
}

type Rates = { performance_fee_bps: number; management_fee_bps: number; recipient: string };
const areEqual = (left: Rates, right: Rates): boolean =>
  left.performance_fee_bps === right.performance_fee_bps &&
  left.management_fee_bps === right.management_fee_bps &&
  sameAddress(left.recipient, right.recipient);

function ProposeFees({ fees: { current, pending, limits }, ask }: { fees: VaultSettings['fees']; ask: Ask }) {
  const [performance, setPerformance] = useState(typedBpsPercent(current.performance_fee_bps));
  const [entry, setEntry] = useState(typedBpsPercent(current.management_fee_bps));
  const [recipient, setRecipient] = useState(current.recipient);
  const [isTried, setTried] = useState(false);
  const read = {
    performance: readPercent(performance, limits.max_performance_fee_bps),
    entry: readPercent(entry, limits.max_management_fee_bps),
    recipient: readWallet(recipient),
  };
  const [sameAs, setSameAs] = useState('');
  const errorOf = (field: object) => (isTried && 'error' in field ? String(field.error) : undefined);
  const submit = () => {
    setTried(true);
    if ('error' in read.performance || 'error' in read.entry || 'error' in read.recipient) return;
    const args = {
      performance_fee_bps: read.performance.value,
      management_fee_bps: read.entry.value,
      recipient: read.recipient.address,
    };
    const isSame = areEqual(args, pending ?? current);
    setSameAs(
      isSame ? (pending === null ? 'These fees are in force already.' : 'These fees are proposed already.') : '',
    );
    if (!isSame) ask('Propose fees', { kind: 'propose_fees', args });
  };
  return (
    <PrepareForm anchor="propose-fees" label="Propose fees" submit="Prepare proposal" onSubmit={submit}>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <Field
          label="Performance fee, %"
          value={performance}
          onChange={setPerformance}
          error={errorOf(read.performance)}
          hint={`Share of gains above the high-water mark, up to ${formatBpsShare(limits.max_performance_fee_bps)}.`}
          inputMode="decimal"
          autoComplete="off"
        />
        <Field
          label="Entry fee, %"
          value={entry}
          onChange={setEntry}
          error={errorOf(read.entry)}
          hint={`Share of each deposit, up to ${formatBpsShare(limits.max_management_fee_bps)}.`}
          inputMode="decimal"
          autoComplete="off"
        />
      </div>
      <Field
        label="Fee recipient"
        value={recipient}
        onChange={setRecipient}
        error={errorOf(read.recipient)}
        hint={pending === null ? 'Any wallet or contract.' : 'A new proposal replaces the pending one.'}
        mono
        autoComplete="off"
      />
      {sameAs === '' ? null : (
        <p role="alert" className="text-13 text-danger">
          {sameAs}
        </p>
      )}
      <p className="text-12 text-muted">
        A proposal cannot be cancelled: it waits until it is executed or another one replaces it.
      </p>
    </PrepareForm>
  );
}

function Skim({ shown: { vault }, role, ask }: Pick<SectionProps, 'shown' | 'role' | 'ask'>) {
  const due = vault.pending_performance_fee;
  const places = ppsPlaces([vault.hwm_pps, vault.current_pps], vault.pps_precision);
  const amounts = (raw: string) => ({ value: assetsText(vault, raw), title: assetsExact(vault, raw) });
  return (
    <Block title="Performance fee due">
      <Facts
        rows={[
          { name: 'Due now', ...amounts(due.total) },
          { name: 'To the recipient', ...amounts(due.recipient_share) },
          { name: 'To the protocol', ...amounts(due.protocol_share) },
          { name: 'High-water mark', value: formatPps(vault.hwm_pps, vault.pps_precision, places) },
          { name: 'Price per share', value: formatPps(vault.current_pps, vault.pps_precision, places) },
        ]}
      />
      <p role="status" className="text-13">
        {due.can_skim
          ? 'It can be taken now. The high-water mark then moves to the price after the fee; this cannot be undone.'
          : `It cannot be taken now: ${skimReason(due.reason)}.`}
        {due.can_skim_at === null || due.can_skim ? '' : ` Possible from ${formatUtc(due.can_skim_at)}.`}
      </p>
      {isManager(role) ? (
        <div>
          <Button
            look="primary"
            isDisabled={!due.can_skim}
            onPress={() => ask('Skim the performance fee', { kind: 'skim_fees', args: {} })}
          >
            Prepare skim
          </Button>
        </div>
      ) : null}
    </Block>
  );
}
