import { lazy } from 'react';
import { Navigate, Route, Routes, useLocation, useParams } from 'react-router';
import { NotFoundPage } from '../design/not-found.tsx';
import { dashboardStep, vaultPath } from '../navigation/paths.ts';
import { BrokenPage, ErrorBoundary } from './error-boundary.tsx';
import { Layout } from './layout.tsx';

const HomePage = lazy(async () => ({ default: (await import('../home/home-page.tsx')).HomePage }));
const ComparePage = lazy(async () => ({ default: (await import('../compare/compare-page.tsx')).ComparePage }));
const PublicVaultPage = lazy(async () => ({
  default: (await import('../vault-page/public-page.tsx')).PublicVaultPage,
}));
const ValidatorsPage = lazy(async () => ({
  default: (await import('../validators/validators-page.tsx')).ValidatorsPage,
}));
const ValidatorHistoryPage = lazy(async () => ({
  default: (await import('../validators/history/history-page.tsx')).ValidatorHistoryPage,
}));
const RoundPage = lazy(async () => ({ default: (await import('../validators/history/round-page.tsx')).RoundPage }));
const OperateShell = lazy(async () => ({ default: (await import('../operate/operate.tsx')).OperateShell }));
const DeskPage = lazy(async () => ({ default: (await import('../desk/desk-page.tsx')).DeskPage }));
const VaultShell = lazy(async () => ({ default: (await import('../operate/vault-shell.tsx')).VaultShell }));
const OperateVault = lazy(async () => ({ default: (await import('../operate/operate-vault.tsx')).OperateVault }));
const OperatePages = lazy(async () => ({ default: (await import('../operate/operate-pages.tsx')).OperatePages }));
const AlertsPage = lazy(async () => ({ default: (await import('../alerts/alerts-page.tsx')).AlertsPage }));
const ReviewPage = lazy(async () => ({ default: (await import('../calls/review-page.tsx')).ReviewPage }));
const SessionsPage = lazy(async () => ({ default: (await import('../sessions/sessions-page.tsx')).SessionsPage }));

/** The address other products of this field give a vault. */
function ToVault() {
  const { chainName = '', vaultAddress = '' } = useParams();
  const { search, hash } = useLocation();
  return <Navigate replace to={{ pathname: vaultPath(chainName, vaultAddress), search, hash }} />;
}

/**
 * Each page is loaded when it is opened. Routes as elements and not as data: nothing is loaded by a route here, and the
 * router that could costs every visitor a third of the framework's bytes.
 */
export const AppRoutes = () => (
  <ErrorBoundary where="layout" fallback={(error) => <BrokenPage error={error} />}>
    <Routes>
      <Route element={<Layout />}>
        <Route path="/" element={<HomePage />} />
        <Route path="/compare" element={<ComparePage />} />
        <Route path="/validators" element={<ValidatorsPage />} />
        <Route path="/validators/history" element={<ValidatorHistoryPage />} />
        <Route path="/validators/rounds/:digest/:epoch/:round" element={<RoundPage />} />
        <Route path="/managed-vaults/:chainName/:vaultAddress/:section?" element={<PublicVaultPage />} />
        <Route path="/vaults" element={<Navigate replace to="/" />} />
        <Route path="/vaults/:chainName/:vaultAddress" element={<ToVault />} />
        <Route path="/operate" element={<OperateShell />}>
          <Route index element={<DeskPage />} />
          <Route path="alerts" element={<AlertsPage />} />
          <Route path="sessions" element={<SessionsPage />} />
          <Route path="review/:id" element={<ReviewPage />} />
          <Route path=":chainName/:vaultAddress" element={<VaultShell />}>
            <Route index element={<OperateVault />} />
            <Route path={`${dashboardStep}/:section`} element={<OperateVault />} />
            <Route path=":page" element={<OperatePages />} />
          </Route>
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  </ErrorBoundary>
);
