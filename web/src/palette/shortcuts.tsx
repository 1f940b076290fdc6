import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { useLocation } from 'react-router';
import { chainBySlug } from '../client/config.ts';
import { useApp } from '../client/services.ts';
import { myVaultsQuery } from '../data/queries.ts';
import { explain } from '../design/explain.ts';
import { useGuardedNavigate } from '../design/leaving.ts';
import { chooseTheme, themeAfter, useTheme } from '../design/theme.ts';
import { toast } from '../design/toast.tsx';
import { sameAddress } from '../format/address.ts';
import { createKeyReader, type ShortcutName, type VaultActionId, type VaultPageKey } from '../navigation/keys.ts';
import { openOverlay, useOverlay } from '../navigation/overlay.ts';
import { alertsPath, operatePath, sessionsPath, vaultOfPath } from '../navigation/paths.ts';
import { useQueryPart } from '../period/use-view.ts';
import { useViewer } from '../session/use-session.ts';

const Palette = lazy(() => import('./palette.tsx'));
const Help = lazy(() => import('./help.tsx'));

/** Goes to the section after or before the one that is shown. */
function moveSection(step: 1 | -1) {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav[aria-label="Sections of this vault"] a')];
  const current = links.findIndex((each) => each.getAttribute('aria-current') === 'page');
  links[Math.max(0, current) + step]?.click();
}

/** The vault whose page is open; in the table of own vaults the one whose row has the focus. */
function vaultAtHand(pathname: string): ReturnType<typeof vaultOfPath> {
  const row = document.activeElement?.closest('tr')?.querySelector<HTMLAnchorElement>('a[href^="/operate/"]');
  return vaultOfPath(pathname) ?? vaultOfPath(row?.pathname ?? '');
}

/** Does an action on the vault at hand for who is signed in, by the role that the list of own vaults has read. */
function useActions() {
  const { api, config, session } = useApp();
  const queries = useQueryClient();
  const { queryKey } = myVaultsQuery(api, useViewer());
  const navigate = useGuardedNavigate();
  return async (id: VaultActionId, vault: NonNullable<ReturnType<typeof vaultOfPath>>) => {
    if (session.get().status !== 'signed_in') return;
    const chainId = chainBySlug(config, vault.slug)?.chain_id;
    const mine = queries.getQueryData(queryKey);
    const own = mine?.vaults.find(
      ({ chain_id, vault_address }) => chain_id === chainId && sameAddress(vault_address, vault.address),
    );
    // Of very many vaults the list has only the first.
    const role = own?.my_role ?? (mine?.has_more === false ? null : undefined);
    try {
      const { runAction } = await import('./run-action.ts');
      runAction(id, { vault, role, go: (path) => navigate(path) });
    } catch (error) {
      const { headline, detail } = explain(error);
      toast({ tone: 'critical', title: headline, detail });
    }
  };
}

/** Listens to the keyboard on every page; the palette and the help load when they are first opened. */
export function Shortcuts() {
  const navigate = useGuardedNavigate();
  const theme = useTheme();
  const overlay = useOverlay();
  const { pathname, search } = useLocation();
  const [read] = useState(createKeyReader);
  const put = useQueryPart();
  const act = useActions();

  const run: Record<ShortcutName, () => void> = {
    palette: () => openOverlay(overlay === 'palette' ? 'none' : 'palette'),
    help: () => openOverlay('help'),
    vaults: () => navigate('/'),
    operate: () => navigate('/operate'),
    compare: () => navigate('/compare'),
    validators: () => navigate('/validators'),
    alerts: () => navigate(alertsPath),
    sessions: () => navigate(sessionsPath),
    theme: () => chooseTheme(themeAfter(theme)),
    search: () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
    next: () => moveSection(1),
    previous: () => moveSection(-1),
    now: () => new URLSearchParams(search).has('at') && put({ at: null, vs: null }),
  };
  const openPage = (page: VaultPageKey) => {
    const vault = vaultAtHand(pathname);
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
    if ('action' in pressed) {
      const vault = overlay === 'none' ? vaultAtHand(pathname) : undefined;
      if (vault !== undefined) void act(pressed.action, vault);
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
