import { clsx } from 'clsx';
import { Search } from 'lucide-react';
import { Button } from 'react-aria-components';
import { NavLink } from 'react-router';
import { Mark } from '../design/mark.tsx';
import { ThemeSwitch } from '../design/theme-switch.tsx';
import { keyText } from '../palette/keys.ts';
import { openOverlay } from '../palette/open.ts';
import { AccountMenu } from '../wallet/account-menu.tsx';

const sections = [
  { to: '/', label: 'Vaults', end: true },
  { to: '/compare', label: 'Compare', end: false },
  { to: '/operate', label: 'Operate', end: false },
];

export function TopBar() {
  return (
    <header className="z-30 border-b bg-surface">
      <div className="flex h-14 items-center gap-2 px-4 sm:gap-6 sm:px-6">
        <NavLink to="/" aria-label="Castellan, home" className="flex items-center gap-2 text-16 font-semibold">
          <Mark />
          <span className="hidden sm:inline">Castellan</span>
        </NavLink>
        <nav aria-label="Sections" className="flex gap-1">
          {sections.map(({ to, label, end }) => (
            <NavLink
              key={to}
              to={to}
              end={end}
              className={({ isActive }) =>
                clsx(
                  'inline-flex min-h-9 items-center rounded-control px-2 text-13 font-medium sm:px-3',
                  isActive ? 'bg-raised text-text' : 'text-muted hover:text-text',
                )
              }
            >
              {label}
            </NavLink>
          ))}
        </nav>
        <div className="ml-auto flex items-center gap-2">
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
    aria-label="Search vaults, sections and actions"
    onPress={() => openOverlay('palette')}
    className="inline-flex h-9 min-w-9 items-center justify-center gap-2 rounded-control border px-2 text-13 text-muted hover:bg-raised hover:text-text"
  >
    <Search size={16} aria-hidden="true" />
    <span aria-hidden="true" className="hidden font-mono text-12 md:inline">
      {`${keyText('Ctrl')} K`}
    </span>
  </Button>
);
