import { type ComponentType, lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { AuditPage } from '../audit/audit-page.tsx';
import { CallsPage } from '../calls/calls-page.tsx';
import { AwaitedCode } from '../design/awaited-code.tsx';
import { NotFoundPage } from '../design/not-found.tsx';
import { RowSkeletons } from '../design/states.tsx';
import { operatePath } from '../navigation/paths.ts';
import { PausePage } from '../pause/pause-page.tsx';
import { RedemptionsPage } from '../redemptions/redemptions-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';
import { UsersPage } from '../users/users-page.tsx';
import type { Shown } from '../vault/vault-gate.tsx';
import { YieldSourcesPage } from '../yield-sources/yield-sources-page.tsx';
import { VaultPageFrame } from './vault-frame.tsx';
import { type VaultPageStep, vaultPages } from './vault-pages.ts';

const AnalysisPage = lazy(async () => ({ default: (await import('../ai/analysis-page.tsx')).AnalysisPage }));
const FeedPage = lazy(async () => ({ default: (await import('../feed/feed-page.tsx')).FeedPage }));

const DutyPage = lazy(async () => ({ default: (await import('../duty/duty-page.tsx')).DutyPage }));
const MandatePage = lazy(async () => ({ default: (await import('../mandate/mandate-page.tsx')).MandatePage }));
const MerklePage = lazy(async () => ({ default: (await import('../merkle/merkle-page.tsx')).MerklePage }));

const StrategiesPage = lazy(async () => ({
  default: (await import('../strategies/strategies-page.tsx')).StrategiesPage,
}));
const IntentsPage = lazy(async () => ({
  default: (await import('../strategies/intents/intents-page.tsx')).IntentsPage,
}));
const KeeperPage = lazy(async () => ({ default: (await import('../strategies/keeper/keeper-page.tsx')).KeeperPage }));
const SimulationPage = lazy(async () => ({
  default: (await import('../strategies/simulation/simulation-page.tsx')).SimulationPage,
}));

/** What each page about one vault shows. */
const components: Readonly<Record<VaultPageStep, ComponentType<{ shown: Shown }>>> = {
  analysis: AnalysisPage,
  feed: FeedPage,
  users: UsersPage,
  mandate: MandatePage,
  settings: SettingsPage,
  redemptions: RedemptionsPage,
  pause: PausePage,
  'yield-sources': YieldSourcesPage,
  merkle: MerklePage,
  strategies: StrategiesPage,
  intents: IntentsPage,
  keeper: KeeperPage,
  simulation: SimulationPage,
  duty: DutyPage,
  calls: CallsPage,
  audit: AuditPage,
};

const isPage = (step: string): step is VaultPageStep => Object.hasOwn(vaultPages, step);

/** The page that the path names. */
export function OperatePages() {
  const { page = '' } = useParams();
  if (!isPage(page)) return <NotFoundPage />;
  const Page = components[page];
  return (
    <VaultPageFrame
      key={page}
      title={vaultPages[page].title}
      path={(chain, address) => `${operatePath(chain, address)}/${page}`}
    >
      {(shown) => (
        <Suspense
          fallback={
            <AwaitedCode>
              <RowSkeletons rows={8} />
            </AwaitedCode>
          }
        >
          <Page shown={shown} />
        </Suspense>
      )}
    </VaultPageFrame>
  );
}
