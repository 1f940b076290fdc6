import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { AddressTag } from '../design/address-tag.tsx';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Pill } from '../design/pill.tsx';
import { Failure } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { formatUtc } from '../format/time.ts';
import { typeset } from '../format/typeset.ts';
import { operatePath } from '../navigation/paths.ts';
import { severityTones, severityWords } from './alert-labels.ts';
import type { Alert } from './queries.ts';
import { RunbookLink } from './runbook.tsx';

const LONGEST_NOTE = 500;

type Props = {
  alert: Alert;
  vaults: readonly MyVault[];
  /** Who is on duty for its vault now; undefined where nobody is, or that is not known. */
  onDuty: string | undefined;
  /** Called once the server has what the reader did with it, before the list is read again. */
  onChanged: () => void;
};

/** Where the focus of the row goes: the row itself may be gone from the list. */
export const alertLinkId = (alertId: string): string => `alert-${alertId}`;

/** The vault is named beside it, and a proposal in the message. */
const isSaidAnyway = (subject: string) => subject === 'vault' || subject.startsWith('proposal:');

/** One alert: what, where, since when, who is on it, and what mutes it. */
export function AlertRow({ alert, vaults, onDuty, onChanged }: Props) {
  const { config } = useApp();
  const slug = chainById(config, alert.chain_id)?.slug ?? String(alert.chain_id);
  const role = vaults.find(
    ({ chain_id, vault_address }) => chain_id === alert.chain_id && vault_address === alert.vault_address,
  )?.my_role;
  const mayAct = (role === 'primary_manager' || role === 'secondary_manager') && alert.status !== 'resolved';
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <Pill tone={severityTones[alert.severity]}>{severityWords[alert.severity]}</Pill>
        <Link
          id={alertLinkId(alert.alert_id)}
          to={operatePath(slug, alert.vault_address)}
          className="font-medium hover:text-accent"
        >
          {`${alert.vault_name}: ${alert.title}`}
        </Link>
        {isSaidAnyway(alert.subject) ? null : (
          <span className="font-mono text-12 break-all text-muted">{alert.subject}</span>
        )}
        <RunbookLink url={alert.runbook_url} of={alert.title} />
      </div>
      <p className="text-13 wrap-anywhere">{typeset(alert.message)}</p>
      {alert.inhibited_by === null ? null : <p className="text-13 text-brass">{typeset(alert.inhibited_by.reason)}</p>}
      <People alert={alert} onDuty={onDuty} />
      {alert.note === null ? null : <p className="text-13 break-words text-muted">{`“${alert.note}”`}</p>}
      {mayAct ? <Actions alert={alert} onChanged={onChanged} /> : null}
    </li>
  );
}

function People({ alert, onDuty }: Pick<Props, 'alert' | 'onDuty'>) {
  const { acknowledged_by: acknowledgedBy, acknowledged_at: acknowledgedAt } = alert;
  const { resolved_by: resolvedBy, resolved_at: resolvedAt } = alert;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-12 text-muted">
      <span>{`Since ${formatUtc(alert.opened_at)}`}</span>
      <span>{`Owner: ${alert.owner}`}</span>
      {onDuty === undefined || alert.status === 'resolved' ? null : <span>{`On duty now: ${onDuty}`}</span>}
      {acknowledgedAt === null || acknowledgedBy === null ? null : (
        <span className="inline-flex flex-wrap items-center gap-1">
          {`Acknowledged ${formatUtc(acknowledgedAt)} by `}
          <AddressTag value={acknowledgedBy} what="wallet that acknowledged" />
        </span>
      )}
      {resolvedAt === null ? null : (
        <span className="inline-flex flex-wrap items-center gap-1">
          {`Resolved ${formatUtc(resolvedAt)}`}
          {resolvedBy === null ? (
            ', the condition is over'
          ) : (
            <>
              {' by '}
              <AddressTag value={resolvedBy} what="wallet that resolved" />
            </>
          )}
        </span>
      )}
    </p>
  );
}

function Actions({ alert, onChanged }: Pick<Props, 'alert' | 'onChanged'>) {
  const { api } = useApp();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const note = text.trim();
  const isAcknowledged = alert.status === 'acknowledged';
  const input = { params: { id: alert.alert_id }, body: note === '' ? {} : { note } };
  const change = useMutation({
    mutationFn: (to: 'acknowledge' | 'resolve') =>
      to === 'acknowledge' ? api.acknowledgeAlert(input) : api.resolveAlert(input),
    onSuccess: (_, to) => {
      setText('');
      const done = to === 'resolve' ? 'Resolved' : isAcknowledged ? 'Note saved' : 'Acknowledged';
      toast({ tone: 'info', title: `${done}: ${alert.title}` });
      onChanged();
      return queries.invalidateQueries({ queryKey: ['alerts'] });
    },
  });
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field
        label={`Note on ${alert.title}`}
        placeholder="For the others, and for the audit log"
        maxLength={LONGEST_NOTE}
        value={text}
        onChange={setText}
        className="min-w-56 flex-1"
      />
      <Button
        isDisabled={change.isPending || (isAcknowledged && note === '')}
        aria-label={`${isAcknowledged ? 'Save note on' : 'Acknowledge'} ${alert.title}`}
        onPress={() => change.mutate('acknowledge')}
      >
        {isAcknowledged ? 'Save note' : 'Acknowledge'}
      </Button>
      <Button
        look="quiet"
        isDisabled={change.isPending}
        aria-label={`Resolve ${alert.title}`}
        onPress={() => change.mutate('resolve')}
      >
        Resolve
      </Button>
      {change.isError ? <Failure error={change.error} title="The alert was not changed" /> : null}
    </div>
  );
}
