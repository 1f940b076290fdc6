import { clsx } from 'clsx';
import { Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button } from 'react-aria-components';
import { NavLink, useLocation } from 'react-router';
import { Mark } from '../design/mark.tsx';
import { ThemeSwitch } from '../design/theme-switch.tsx';
import { ariaKeys, keysText, shortcuts } from '../navigation/keys.ts';
import { openOverlay } from '../navigation/overlay.ts';
import { alertsPath } from '../navigation/paths.ts';
import { useSession } from '../session/use-session.ts';
import { AccountMenu } from '../wallet/account-menu.tsx';

const AttentionBadge = lazy(() => import('../home/attention-badge.tsx'));

const operateHome = '/operate';
const sections = [
  { to: '/', label: 'Vaults', end: true, keys: shortcuts.vaults.keys },
  { to: '/compare', label: 'Compare', end: false, keys: shortcuts.compare.keys },
  { to: '/validators', label: 'Validators', end: false, keys: shortcuts.validators.keys },
  { to: operateHome, label: 'Operate', end: false, keys: shortcuts.operate.keys },
  { to: alertsPath, label: 'Alerts', end: false, keys: shortcuts.alerts.keys },
];

/**
 * One row from 1024 px on. Below, which is also a usual window at 200 % zoom, the sections have a row of their own, so that a
 * phone has all of them and nothing is wider than the screen.
 */
export function TopBar() {
  const isSignedIn = useSession().status === 'signed_in';
  // Alerts are below Operate in the address, and a section of their own for who has them.
  const isOfAlerts = useLocation().pathname.startsWith(alertsPath) && isSignedIn;
  return (
    <header className="z-30 border-b bg-surface print:hidden">
      <div className="flex flex-wrap items-center gap-x-1 px-2 sm:px-6 lg:h-14 lg:flex-nowrap lg:gap-x-6">
        <NavLink to="/" aria-label="Castellan, home" className="flex h-14 items-center gap-2 text-16 font-semibold">
          <Mark />
          <span className="hidden sm:inline">Castellan</span>
        </NavLink>
        <nav aria-label="Sections" className="order-last flex w-full pb-1 sm:gap-1 lg:order-none lg:w-auto lg:pb-0">
          {sections
            .filter(({ to }) => to !== alertsPath || isSignedIn)
            .map(({ to, label, end, keys }) => (
              <NavLink
                key={to}
                to={to}
                end={end || (to === operateHome && isOfAlerts)}
                title={keys.join(' ')}
                className={({ isActive }) =>
                  clsx(
                    'inline-flex min-h-9 items-center rounded-control px-1.5 text-13 font-medium sm:px-3',
                    isActive ? 'bg-raised text-text' : 'text-muted hover:text-text',
                  )
                }
              >
                {label}
                {to === alertsPath ? (
                  <Suspense fallback={null}>
                    <AttentionBadge />
                  </Suspense>
                ) : null}
              </NavLink>
            ))}
        </nav>
        <div className="ml-auto flex h-14 items-center gap-1 sm:gap-2">
          <PaletteButton />
          <ThemeSwitch />
          <AccountMenu />
        </div>
      </div>
    </header>
  );
}

const PaletteButton = () => (
  <Button
    render={(props) => <button {...props} aria-keyshortcuts={ariaKeys(shortcuts.palette.keys)} />}
    onPress={() => openOverlay('palette')}
    className="inline-flex h-9 min-w-9 items-center justify-center gap-2 rounded-control border px-2 text-13 text-muted hover:bg-raised hover:text-text"
  >
    <Search size={16} aria-hidden="true" />
    <span className="sr-only">Find pages, vaults and actions</span>
    <span className="hidden font-mono text-12 lg:inline">{keysText(shortcuts.palette.keys)}</span>
  </Button>
);
