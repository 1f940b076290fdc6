import { WifiOff } from 'lucide-react';
import { Suspense, useSyncExternalStore } from 'react';
import { Outlet, useLocation } from 'react-router';
import { Announcer } from '../design/announce.tsx';
import { Loading } from '../design/mark.tsx';
import { Toasts } from '../design/toast.tsx';
import { OutageStrip } from '../live/outage-strip.tsx';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { WalletGate } from '../wallet/wallet-gate.tsx';
import { BrokenPage, ErrorBoundary } from './error-boundary.tsx';
import { TopBar } from './top-bar.tsx';

const watchOnline = (listener: () => void) => {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
};

function OfflineBanner() {
  const online = useSyncExternalStore(watchOnline, () => navigator.onLine);
  if (online) return null;
  return (
    <p
      role="status"
      className="flex items-center justify-center gap-2 bg-brass px-4 py-1.5 text-13 font-medium text-bg"
    >
      <WifiOff size={14} aria-hidden="true" className="shrink-0" />
      You are offline. Figures stay as they were and catch up when the connection is back.
    </p>
  );
}

export function Layout() {
  const { pathname } = useLocation();
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-control focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        Skip to content
      </a>
      <TopBar />
      <OfflineBanner />
      <OutageStrip />
      <main id="main" tabIndex={-1} className="flex flex-1 flex-col outline-none">
        <ErrorBoundary where={pathname} fallback={(error) => <BrokenPage error={error} />}>
          <Suspense fallback={<Loading what="the page" />}>
            <Outlet />
          </Suspense>
        </ErrorBoundary>
      </main>
      <WalletGate />
      <Shortcuts />
      <Toasts />
      <Announcer />
    </div>
  );
}
