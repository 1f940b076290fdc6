import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { type Alert, alertsQuery } from '../alerts/queries.ts';
import { chainById } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import type { MyVault } from '../data/queries.ts';
import { Skeleton } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { typeset } from '../format/typeset.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { alertsPath, operatePath } from '../navigation/paths.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { PendingManagerChange } from '../vault/pending-manager-change.tsx';

const icons = { critical: TriangleAlert, warning: TriangleAlert, info: Info } as const;
const looks = { critical: 'text-danger', warning: 'text-brass', info: 'text-info' } as const;
const words = { critical: 'Critical', warning: 'Warning', info: 'Note' } as const;
const worstFirst = ['critical', 'warning', 'info'] as const;

/** More alerts than this are left to their page. */
const MOST_SHOWN = 8;

/** Primary managers that may be replaced, said loudest. By the vaults: acknowledging the alert does not end the danger. */
export const ManagerChanges = ({ vaults }: { vaults: readonly MyVault[] }) =>
  vaults.map(({ chain_id, vault_address, name, chain_time, pending_manager_change }) =>
    chain_time === undefined || pending_manager_change === undefined ? null : (
      <PendingManagerChange
        key={`${chain_id}:${vault_address}`}
        vault={{ name, chain_time, pending_manager_change }}
        named
      />
    ),
  );

/** The active alerts, the worst first. Where the newest hundred lack some of a severity, these are asked for by themselves. */
function useWorst() {
  const { api } = useApp();
  const viewer = useViewer();
  const enabled = useSession().status === 'signed_in';
  const list = useQuery({ ...alertsQuery(api, viewer, 'active'), enabled });
  const alerts = list.data?.alerts ?? [];
  const counts = list.data?.counts;
  const ofSeverity = (severity: Alert['severity']) => {
    const read = alerts.filter((alert) => alert.severity === severity).length;
    const isShort =
      counts !== undefined &&
      alerts.length < counts.by_status.active &&
      read < Math.min(MOST_SHOWN, counts.by_severity[severity]);
    const query = alertsQuery(api, viewer, 'active', { severity, limit: String(MOST_SHOWN) });
    return { ...query, enabled: enabled && isShort };
  };
  const critical = useQuery(ofSeverity('critical'));
  const warning = useQuery(ofSeverity('warning'));
  const known = [...alerts, ...(critical.data?.alerts ?? []), ...(warning.data?.alerts ?? [])];
  const shown = [...new Map(known.map((alert) => [alert.alert_id, alert])).values()]
    .sort((left, right) => worstFirst.indexOf(left.severity) - worstFirst.indexOf(right.severity))
    .slice(0, MOST_SHOWN);
  return { list, shown };
}

/** The active alerts of the own vaults, the worst first. */
export function AttentionList({ heading: Heading = 'h3' }: { heading?: 'h2' | 'h3' }) {
  const { list, shown } = useWorst();
  const { active: count, acknowledged = 0 } = list.data?.counts.by_status ?? {};
  return (
    <section aria-labelledby="attention-title" className="rounded-card border bg-surface">
      <div className="flex items-center justify-between gap-3 border-b px-4 py-3">
        <Heading id="attention-title" className="text-14 font-semibold">
          {count === undefined ? 'Needs attention' : `Needs attention (${formatCount(count)})`}
        </Heading>
        <Link to={alertsPath} className="text-13 text-accent hover:underline">
          All alerts
        </Link>
      </div>
      <ReadTrouble of={list} what="The alerts" />
      {list.isPending ? (
        <div role="status" aria-label="Reading your alerts" className="p-4">
          <Skeleton className="h-6 w-full max-w-96" />
        </div>
      ) : null}
      {count === 0 ? <NoneActive acknowledged={acknowledged} /> : null}
      {shown.length === 0 ? null : (
        <ul aria-labelledby="attention-title" className="divide-y">
          {shown.map((alert) => (
            <AlertLine key={alert.alert_id} alert={alert} />
          ))}
        </ul>
      )}
      {count === undefined || count <= shown.length ? null : (
        <p className="border-t px-4 py-2 text-13 text-muted">
          {`And ${formatCount(count - shown.length)} more among all alerts.`}
        </p>
      )}
    </section>
  );
}

/** What somebody is on still holds: that is no all-clear. */
const NoneActive = ({ acknowledged }: { acknowledged: number }) => (
  <p className="flex items-center gap-2 px-4 py-3 text-13 text-muted">
    {acknowledged === 0 ? (
      <CircleCheck size={16} aria-hidden="true" className="shrink-0 text-accent" />
    ) : (
      <TriangleAlert size={16} aria-hidden="true" className="shrink-0 text-brass" />
    )}
    {acknowledged === 0 ? (
      'No active alert.'
    ) : (
      <span>
        {'No active alert, '}
        <Link to={`${alertsPath}?status=acknowledged`} className="text-accent hover:underline">
          {`${formatCount(acknowledged)} acknowledged`}
        </Link>
        {'.'}
      </span>
    )}
  </p>
);

function AlertLine({ alert }: { alert: Alert }) {
  const { config } = useApp();
  const Icon = icons[alert.severity];
  const slug = chainById(config, alert.chain_id)?.slug ?? String(alert.chain_id);
  return (
    <li className="relative flex gap-3 px-4 py-3 focus-within:bg-raised hover:bg-raised">
      <Icon size={18} aria-hidden="true" className={`mt-0.5 shrink-0 ${looks[alert.severity]}`} />
      <div className="min-w-0">
        <p className="font-medium">
          <span className="sr-only">{`${words[alert.severity]}: `}</span>
          <Link to={operatePath(slug, alert.vault_address)} className="after:absolute after:inset-0 hover:text-accent">
            {`${alert.vault_name}: ${alert.title}`}
          </Link>
        </p>
        <p className="text-13 break-words text-muted">{typeset(alert.message)}</p>
      </div>
    </li>
  );
}
