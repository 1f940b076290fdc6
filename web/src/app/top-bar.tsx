import { clsx } from 'clsx';
import { Bell, Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Button } from 'react-aria-components';
import { NavLink } from 'react-router';
import { Mark } from '../design/mark.tsx';
import { ThemeSwitch } from '../design/theme-switch.tsx';
import { keyText } from '../palette/keys.ts';
import { openOverlay } from '../palette/open.ts';
import { useSession } from '../session/use-session.ts';
import { alertsPath } from '../vault/paths.ts';
import { AccountMenu } from '../wallet/account-menu.tsx';

const AttentionBadge = lazy(() => import('../home/attention-badge.tsx'));

const sections = [
  { to: '/', label: 'Vaults', end: true, isWide: false },
  // A phone has no room for it; the list of vaults and the palette lead there too.
  { to: '/compare', label: 'Compare', end: false, isWide: true },
  { to: '/validators', label: 'Validators', end: false, isWide: true },
  { to: '/operate', label: 'Operate', end: true, isWide: false },
  { to: alertsPath, label: 'Alerts', end: false, isWide: false },
];

export function TopBar() {
  const isSignedIn = useSession().status === 'signed_in';
  return (
    <header className="z-30 border-b bg-surface">
      <div className="flex h-14 items-center gap-1 px-2 sm:gap-6 sm:px-6">
        <NavLink to="/" aria-label="Castellan, home" className="flex items-center gap-2 text-16 font-semibold">
          <Mark />
          <span className="hidden sm:inline">Castellan</span>
        </NavLink>
        <nav aria-label="Sections" className="flex sm:gap-1">
          {sections
            .filter(({ to }) => to !== alertsPath || isSignedIn)
            .map(({ to, label, end, isWide }) => (
              <NavLink
                key={to}
                to={to}
                end={end}
                className={({ isActive }) =>
                  clsx(
                    'min-h-9 items-center rounded-control px-1 text-13 font-medium sm:px-3',
                    isWide ? 'hidden sm:inline-flex' : 'inline-flex',
                    isActive ? 'bg-raised text-text' : 'text-muted hover:text-text',
                  )
                }
              >
                {to === alertsPath ? <AlertsLabel label={label} /> : label}
              </NavLink>
            ))}
        </nav>
        <div className="ml-auto flex items-center gap-1 sm:gap-2">
          <PaletteButton />
          <ThemeSwitch />
          <AccountMenu />
        </div>
      </div>
    </header>
  );
}

/** On a phone the word gives way to a bell, so that the bar fits with the badge beside it. */
const AlertsLabel = ({ label }: { label: string }) => (
  <>
    <Bell size={16} aria-hidden="true" className="sm:hidden" />
    <span className="sr-only sm:not-sr-only">{label}</span>
    <Suspense fallback={null}>
      <AttentionBadge />
    </Suspense>
  </>
);

const PaletteButton = () => (
  <Button
    onPress={() => openOverlay('palette')}
    className="inline-flex h-9 min-w-9 items-center justify-center gap-2 rounded-control border px-2 text-13 text-muted hover:bg-raised hover:text-text"
  >
    <Search size={16} aria-hidden="true" />
    <span className="sr-only">Search vaults, sections and actions</span>
    <span className="hidden font-mono text-12 md:inline">{`${keyText('Ctrl')} K`}</span>
  </Button>
);
