import { Navigate, Route, Routes, useLocation } from 'react-router';
import { NotFoundPage } from '../design/not-found.tsx';
import { dashboardStep } from '../navigation/paths.ts';
import { BrokenPage, ErrorBoundary } from './error-boundary.tsx';
import { Layout } from './layout.tsx';
import * as pages from './pages.ts';

/** An address that is followed within the page; at its start the browser has the present one already. */
function ToPresentPath() {
  const { pathname, search, hash } = useLocation();
  return <Navigate replace to={{ pathname: pages.presentPath(pathname), search, hash }} />;
}

/**
 * Each page is loaded when it is opened. Routes as elements and not as data: nothing is loaded by a route here, and the
 * router that could costs every visitor a third of the framework's bytes.
 */
export const AppRoutes = () => (
  <ErrorBoundary where="layout" fallback={(error) => <BrokenPage error={error} />}>
    <Routes>
      <Route element={<Layout />}>
        <Route path="/" element={<pages.home.Page />} />
        <Route path="/compare" element={<pages.compare.Page />} />
        <Route path="/validators" element={<pages.validators.Page />} />
        <Route path="/validators/history" element={<pages.validatorHistory.Page />} />
        <Route path="/validators/rounds/:digest/:epoch/:round" element={<pages.round.Page />} />
        <Route path="/managed-vaults/:chainName/:vaultAddress/:section?" element={<pages.publicVault.Page />} />
        <Route path="/vaults" element={<Navigate replace to="/" />} />
        <Route path="/vaults/:chainName/:vaultAddress" element={<ToPresentPath />} />
        <Route path="/operate" element={<pages.operateShell.Page />}>
          <Route index element={<pages.desk.Page />} />
          <Route path="alerts" element={<pages.alerts.Page />} />
          <Route path="sessions" element={<pages.sessions.Page />} />
          <Route path="review/:id" element={<pages.review.Page />} />
          <Route path=":chainName/:vaultAddress" element={<pages.vaultShell.Page />}>
            <Route index element={<pages.operateVault.Page />} />
            <Route path={`${dashboardStep}/:section`} element={<pages.operateVault.Page />} />
            <Route path=":page" element={<pages.operatePages.Page />} />
          </Route>
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  </ErrorBoundary>
);
