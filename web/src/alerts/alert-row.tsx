import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { chainById } from '../app/config.ts';
import { useApp } from '../app/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Button } from '../design/button.tsx';
import { Pill, type Tone } from '../design/pill.tsx';
import { Failure } from '../design/states.tsx';
import { formatUtc } from '../format/time.ts';
import { operatePath } from '../vault/paths.ts';
import type { Alert } from './queries.ts';

const tones: Record<Alert['severity'], Tone> = { critical: 'critical', warning: 'warn', info: 'info' };
const words: Record<Alert['severity'], string> = { critical: 'Critical', warning: 'Warning', info: 'Info' };

type Props = { alert: Alert; vaults: readonly MyVault[] };

/** One alert: what, where, since when, who is on it, and what mutes it. */
export function AlertRow({ alert, vaults }: Props) {
  const { config } = useApp();
  const slug = chainById(config, alert.chain_id)?.slug ?? String(alert.chain_id);
  const role = vaults.find(
    ({ chain_id, vault_address }) => chain_id === alert.chain_id && vault_address === alert.vault_address,
  )?.my_role;
  const mayAct = (role === 'primary_manager' || role === 'secondary_manager') && alert.status !== 'resolved';
  return (
    <li className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <Pill tone={tones[alert.severity]}>{words[alert.severity]}</Pill>
        <Link to={operatePath(slug, alert.vault_address)} className="font-medium hover:text-accent">
          {`${alert.vault_name}: ${alert.title}`}
        </Link>
        {alert.subject === 'vault' ? null : (
          <span className="font-mono text-12 break-all text-muted">{alert.subject}</span>
        )}
      </div>
      <p className="text-13 wrap-anywhere">{alert.message}</p>
      {alert.inhibited_by === null ? null : <p className="text-13 text-brass">{alert.inhibited_by.reason}</p>}
      <p className="text-12 wrap-anywhere text-muted">{historyOf(alert)}</p>
      {alert.note === null ? null : <p className="text-13 break-words text-muted">{`“${alert.note}”`}</p>}
      {mayAct ? <Actions alert={alert} /> : null}
    </li>
  );
}

function historyOf(alert: Alert): string {
  return [
    `Since ${formatUtc(alert.opened_at)}`,
    `owner: ${alert.owner}`,
    `runbook: ${alert.runbook_url}`,
    ...(alert.acknowledged_at === null ? [] : [`acknowledged ${formatUtc(alert.acknowledged_at)}`]),
    ...(alert.resolved_at === null
      ? []
      : [`resolved ${formatUtc(alert.resolved_at)}${alert.resolved_by ? ' by hand' : ''}`]),
  ].join(' · ');
}

function Actions({ alert }: { alert: Alert }) {
  const { api } = useApp();
  const queries = useQueryClient();
  const params = { id: alert.alert_id };
  const change = useMutation({
    mutationFn: (to: 'acknowledge' | 'resolve') =>
      to === 'acknowledge' ? api.acknowledgeAlert({ params, body: {} }) : api.resolveAlert({ params, body: {} }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
  return (
    <div className="flex flex-wrap items-center gap-2">
      {alert.status === 'active' ? (
        <Button
          isDisabled={change.isPending}
          aria-label={`Acknowledge ${alert.title}`}
          onPress={() => change.mutate('acknowledge')}
        >
          Acknowledge
        </Button>
      ) : null}
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
