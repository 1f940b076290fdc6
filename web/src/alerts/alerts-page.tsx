import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../client/services.ts';
import { type MyVault, myVaultsQuery } from '../data/queries.ts';
import { Card, Figure, Figures } from '../design/card.tsx';
import { Choice } from '../design/choice.tsx';
import { useHead } from '../design/head.ts';
import { Empty, RowSkeletons } from '../design/states.tsx';
import { formatCount } from '../format/figures.ts';
import { ReadTrouble } from '../live/read-trouble.tsx';
import { useSession, useViewer } from '../session/use-session.ts';
import { AlertRow } from './alert-row.tsx';
import { ChannelsCard } from './channels-card.tsx';
import { type Alert, type AlertStatusFilter, alertsQuery } from './queries.ts';
import { RulesCard } from './rules-card.tsx';

const filters: readonly { value: AlertStatusFilter; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'acknowledged', label: 'Acknowledged' },
  { value: 'muted', label: 'Muted' },
  { value: 'resolved', label: 'Resolved' },
];

/** Alerts of the own vaults, their rules, and where they are sent. */
export function AlertsPage() {
  useHead('Alerts');
  const { api } = useApp();
  const viewer = useViewer();
  const isSignedIn = useSession().status === 'signed_in';
  const [status, setStatus] = useState<AlertStatusFilter>('active');
  const list = useQuery({ ...alertsQuery(api, viewer, status), enabled: isSignedIn });
  const vaults = useQuery({ ...myVaultsQuery(api, viewer), enabled: isSignedIn });
  // Whatever is listed, counted is what the badge counts.
  const { data: active } = useQuery({ ...alertsQuery(api, viewer, 'active'), enabled: isSignedIn });
  const counts = active?.counts;
  const shown = (count: number | undefined) => (count === undefined ? '–' : formatCount(count));
  return (
    <div className="mx-auto flex w-full max-w-[1200px] flex-col gap-6 px-4 py-6 sm:px-6">
      <div>
        <h1 className="text-20 font-semibold">Alerts</h1>
        <p className="text-13 text-muted">Of every vault you have a role on. What mutes an alert is said beside it.</p>
      </div>
      <ReadTrouble of={list} what="The alerts" />
      <Figures>
        <Figure
          label="Active"
          value={shown(counts?.by_status.active)}
          tone={counts?.by_status.active ? 'brass' : 'text'}
        >
          {counts === undefined
            ? ''
            : `${counts.by_severity.critical} critical, ${counts.by_severity.warning} warning, ${counts.by_severity.info} info`}
        </Figure>
        <Figure label="Acknowledged" value={shown(counts?.by_status.acknowledged)} />
        <Figure label="Muted" value={shown(counts?.by_status.muted)} />
        <Figure label="Resolved" value={shown(counts?.by_status.resolved)} />
      </Figures>
      <Card isFlush>
        <div className="flex items-center justify-between gap-3 border-b px-4 py-2">
          <h2 className="text-14 font-semibold">List</h2>
          <Choice label="Status" hideLabel value={status} options={filters} onChange={setStatus} className="w-40" />
        </div>
        {list.data === undefined ? (
          <Unread isError={list.isError} />
        ) : (
          <Listed alerts={list.data.alerts} status={status} vaults={vaults.data?.vaults ?? []} />
        )}
        {list.data?.has_more ? (
          <p className="border-t px-4 py-2 text-13 text-muted">{`The newest 100 of ${formatCount(list.data.total)}.`}</p>
        ) : null}
      </Card>
      <ChannelsCard vaults={vaults.data?.vaults ?? []} />
      <RulesCard vaults={vaults.data?.vaults ?? []} />
    </div>
  );
}

const Unread = ({ isError }: { isError: boolean }) =>
  isError ? (
    <Empty title="Nothing to show">The list appears here once it can be read.</Empty>
  ) : (
    <RowSkeletons rows={4} />
  );

type ListedProps = { alerts: readonly Alert[]; status: AlertStatusFilter; vaults: readonly MyVault[] };

function Listed({ alerts, status, vaults }: ListedProps) {
  if (alerts.length === 0)
    return status === 'active' ? (
      <Empty title="No active alert">Nothing is wrong with your vaults, or somebody is already working on it.</Empty>
    ) : (
      <Empty title="None" />
    );
  return (
    <ul aria-label="Alerts" className="divide-y">
      {alerts.map((alert) => (
        <AlertRow key={alert.alert_id} alert={alert} vaults={vaults} />
      ))}
    </ul>
  );
}
