import { lazy, Suspense, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { useGuardedNavigate } from '../design/leaving.ts';
import { chooseTheme, themeAfter, useTheme } from '../design/theme.ts';
import { createKeyReader, type ShortcutName, type VaultPageKey } from '../navigation/keys.ts';
import { openOverlay, useOverlay } from '../navigation/overlay.ts';
import { alertsPath, operatePath, vaultOfPath } from '../navigation/paths.ts';
import { useQueryPart } from '../period/use-view.ts';

const Palette = lazy(() => import('./palette.tsx'));
const Help = lazy(() => import('./help.tsx'));

/** Goes to the section after or before the one that is shown. */
function moveSection(step: 1 | -1) {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav[aria-label="Sections of this vault"] a')];
  const current = links.findIndex((each) => each.getAttribute('aria-current') === 'page');
  links[Math.max(0, current) + step]?.click();
}

/** Listens to the keyboard on every page; the palette and the help load when they are first opened. */
export function Shortcuts() {
  const navigate = useGuardedNavigate();
  const theme = useTheme();
  const overlay = useOverlay();
  const { pathname, search } = useLocation();
  const [read] = useState(createKeyReader);
  const put = useQueryPart();

  const run: Record<ShortcutName, () => void> = {
    palette: () => openOverlay(overlay === 'palette' ? 'none' : 'palette'),
    help: () => openOverlay('help'),
    vaults: () => navigate('/'),
    operate: () => navigate('/operate'),
    compare: () => navigate('/compare'),
    validators: () => navigate('/validators'),
    alerts: () => navigate(alertsPath),
    theme: () => chooseTheme(themeAfter(theme)),
    search: () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
    next: () => moveSection(1),
    previous: () => moveSection(-1),
    now: () => new URLSearchParams(search).has('at') && put({ at: null, vs: null }),
  };
  /** A page of the vault whose page is open; elsewhere there is none. */
  const openPage = (page: VaultPageKey) => {
    const vault = vaultOfPath(pathname);
    if (vault === undefined) return;
    const dashboard = operatePath(vault.slug, vault.address);
    navigate(page === 'dashboard' ? dashboard : `${dashboard}/${page}`);
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const pressed = read(event);
    if (pressed === undefined) return;
    if ('page' in pressed) {
      if (overlay === 'none') openPage(pressed.page);
      return;
    }
    if (overlay !== 'none' && pressed.shortcut !== 'palette') return;
    event.preventDefault();
    run[pressed.shortcut]();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes what was open over the one before, at once: what is opened over the new one stays
  useLayoutEffect(() => openOverlay('none'), [pathname]);

  if (overlay === 'none') return null;
  return <Suspense fallback={null}>{overlay === 'palette' ? <Palette /> : <Help />}</Suspense>;
}
