import { useQuery } from '@tanstack/react-query';
import { useApp } from '../client/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { Figure, Figures } from '../design/card.tsx';
import { useHead } from '../design/head.ts';
import { formatCount } from '../format/figures.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { AlertList } from './alert-list.tsx';
import { ChannelsCard } from './channels-card.tsx';
import { alertsQuery } from './queries.ts';
import { RulesCard } from './rules-card.tsx';

/** Alerts of the own vaults, their rules, and where they are sent. */
export function AlertsPage() {
  useHead('Alerts');
  const { api } = useApp();
  const viewer = useViewer();
  const isSignedIn = useSession().status === 'signed_in';
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
      <Figures>
        <Figure
          label="Active"
          value={shown(counts?.by_status.active)}
          tone={counts?.by_status.active ? 'brass' : 'text'}
        >
          {counts === undefined || counts.by_status.active === 0
            ? ''
            : `${counts.by_severity.critical} critical, ${counts.by_severity.warning} warning, ${counts.by_severity.info} info`}
        </Figure>
        <Figure label="Acknowledged" value={shown(counts?.by_status.acknowledged)} />
        <Figure label="Muted" value={shown(counts?.by_status.muted)} />
        <Figure label="Resolved" value={shown(counts?.by_status.resolved)} />
      </Figures>
      <AlertList vaults={vaults.data?.vaults ?? []} />
      <ChannelsCard vaults={vaults.data?.vaults ?? []} />
      <RulesCard vaults={vaults.data?.vaults ?? []} />
    </div>
  );
}
