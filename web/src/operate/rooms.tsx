import { type ComponentType, lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { AuditPage } from '../audit/audit-page.tsx';
import { CallsPage } from '../calls/calls-page.tsx';
import { NotFoundPage } from '../design/not-found.tsx';
import { RowSkeletons } from '../design/states.tsx';
import {
  analysisPath,
  auditPath,
  callsPath,
  feedPath,
  intentsPath,
  merklePath,
  pausePath,
  settingsPath,
  simulationPath,
  strategiesPath,
  usersPath,
  yieldSourcesPath,
} from '../navigation/paths.ts';
import { PausePage } from '../pause/pause-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { UsersPage } from '../users/users-page.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { YieldSourcesPage } from '../yield-sources/yield-sources-page.tsx';
import { OperateRoom } from './operate.tsx';

const AnalysisPage = lazy(async () => ({ default: (await import('../ai/analysis-page.tsx')).AnalysisPage }));
const FeedPage = lazy(async () => ({ default: (await import('../feed/feed-page.tsx')).FeedPage }));

const MerklePage = lazy(async () => ({ default: (await import('../merkle/merkle-page.tsx')).MerklePage }));

const StrategiesPage = lazy(async () => ({
  default: (await import('../strategies/strategies-page.tsx')).StrategiesPage,
}));
const IntentsPage = lazy(async () => ({
  default: (await import('../strategies/intents/intents-page.tsx')).IntentsPage,
}));
const SimulationPage = lazy(async () => ({
  default: (await import('../strategies/simulation/simulation-page.tsx')).SimulationPage,
}));

type Room = {
  title: string;
  path: (chain: string, address: string) => string;
  Page: ComponentType<{ shown: Shown }>;
};

/** Pages about one vault by the last step of their path. */
const rooms: Readonly<Record<string, Room>> = {
  analysis: { title: 'Analysis', path: analysisPath, Page: AnalysisPage },
  feed: { title: 'Feed', path: feedPath, Page: FeedPage },
  users: { title: 'User management', path: usersPath, Page: UsersPage },
  settings: { title: 'Settings', path: settingsPath, Page: SettingsPage },
  pause: { title: 'Pause', path: pausePath, Page: PausePage },
  'yield-sources': { title: 'Yield sources', path: yieldSourcesPath, Page: YieldSourcesPage },
  merkle: { title: 'Merkle trees', path: merklePath, Page: MerklePage },
  strategies: { title: 'Strategies', path: strategiesPath, Page: StrategiesPage },
  intents: { title: 'Intent history', path: intentsPath, Page: IntentsPage },
  simulation: { title: 'Simulation', path: simulationPath, Page: SimulationPage },
  calls: { title: 'Prepared calls', path: callsPath, Page: CallsPage },
  audit: { title: 'Timeline and audit', path: auditPath, Page: AuditPage },
};

/** The room that the path names. */
export function OperateRooms() {
  const { room = '' } = useParams();
  const found = Object.hasOwn(rooms, room) ? rooms[room] : undefined;
  if (found === undefined) return <NotFoundPage />;
  const { title, path, Page } = found;
  return (
    <OperateRoom key={room} title={title} path={path}>
      {(shown) => (
        <Suspense fallback={<RowSkeletons rows={8} />}>
          <Page shown={shown} />
        </Suspense>
      )}
    </OperateRoom>
  );
}
