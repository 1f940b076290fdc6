import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { type Alert, alertsQuery } from '../alerts/queries.ts';
import { openChat, useChatPane } from '../chat/open.ts';
import { useApp } from '../client/services.ts';
import { myVaultsQuery, publicVaultsQuery } from '../data/queries.ts';
import { useAlertsPollMs } from '../data/streamed.ts';
import { explain } from '../design/explain.ts';
import { useGuardedNavigate } from '../design/leaving.ts';
import { chooseTheme, useTheme } from '../design/theme.ts';
import { toast } from '../design/toast.tsx';
import { openOverlay } from '../navigation/overlay.ts';
import { vaultOfPath } from '../navigation/paths.ts';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { alertCommands } from './alert-commands.ts';
import type { Command } from './commands.ts';
import { useFoundByHash } from './found-by-hash.ts';
import { pageCommands, plainActions, sectionCommands } from './general-commands.ts';
import { listedCommands, ownCommands } from './vault-commands.ts';

async function copy(text: string, what: string) {
  try {
    await navigator.clipboard.writeText(text);
    toast({ tone: 'info', title: `Copied the ${what}`, key: 'copy' });
  } catch {
    toast({ tone: 'warn', title: `The browser did not allow copying. The ${what} is ${text}`, key: 'copy' });
  }
}

const openOutside = (url: string) => void window.open(url, '_blank', 'noopener');

/** The sections of the page that is open, as its index links to them. */
const sectionsOnPage = () => [
  ...document.querySelectorAll<HTMLAnchorElement>('nav[aria-label="Sections of this vault"] a'),
];

/** Takes an alert on without a note, which its page has a field for. */
function useAcknowledge() {
  const { api } = useApp();
  const queries = useQueryClient();
  return async ({ alert_id: id, title }: Alert) => {
    try {
      await api.acknowledgeAlert({ params: { id }, body: {} });
      toast({ tone: 'info', title: `Acknowledged: ${title}` });
    } catch (error) {
      toast({ tone: 'critical', title: `${title} was not acknowledged`, detail: explain(error).detail });
    }
    await queries.invalidateQueries({ queryKey: ['alerts'] });
  };
}

/** Everything that can be found and done from the keyboard on this page. */
export function useCommands(text: string): Command[] {
  const { api, config } = useApp();
  const viewer = useViewer();
  const navigate = useGuardedNavigate();
  const { pathname } = useLocation();
  const isSignedIn = useSession().status === 'signed_in';
  const listed = useQuery(publicVaultsQuery(api)).data;
  const own = useQuery({ ...myVaultsQuery(api, viewer), enabled: isSignedIn }).data?.vaults;
  const alertsPollMs = useAlertsPollMs();
  const active = useQuery({
    ...alertsQuery(api, viewer, 'active'),
    enabled: isSignedIn,
    refetchInterval: alertsPollMs,
  }).data?.alerts;
  const [links] = useState(sectionsOnPage);
  const { isOffered } = useChatPane();
  const acknowledge = useAcknowledge();
  const go = (path: string) => navigate(path);
  // Made anew with what was read, not with each letter that is typed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is called, not shown, may be of an earlier render
  const known = useMemo(() => {
    const vaults = { config, listed: listed ?? [], own: own ?? [], here: vaultOfPath(pathname), go, copy };
    const general = {
      listed: vaults.listed,
      isSignedIn,
      sections: links.map(({ textContent, pathname: page, search, hash }) => ({
        name: textContent,
        open: () => navigate({ pathname: page, search, hash }),
      })),
      chat: isOffered ? openChat : undefined,
      go,
      setTheme: chooseTheme,
      copyLink: () => void copy(window.location.href, 'link of this page'),
      signIn: openSignIn,
      showHelp: () => openOverlay('help'),
    };
  const theme = useTheme();
    return [
      ...sectionCommands(general),
      ...ownCommands(vaults, 'here'),
      ...plainActions(general),
      ...alertCommands({ alerts: active ?? [], own: vaults.own, go, acknowledge }),
      ...listedCommands(vaults),
      ...ownCommands(vaults, 'elsewhere'),
      ...pageCommands(general),
    ];
  }, [config, listed, own, active, pathname, isSignedIn, isOffered, theme, links]);
  const vaults = useMemo(() => knownVaults(config, { listed: listed ?? [], own: own ?? [] }), [config, listed, own]);
  const byHash = useFoundByHash({ text, config, vaults, go, copy, openOutside });
  return {
    commands: [...byHash, ...known],
    ...unread({ 'the listed vaults': list, 'your vaults': mine, 'the alerts': alerts }),
  };
}
      theme,
