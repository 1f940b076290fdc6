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
import { printWhole } from '../vault/print-page.ts';
import { useLeave } from '../wallet/use-logout.ts';
import { alertCommands } from './alert-commands.ts';
import type { Command } from './commands.ts';
import { useFoundByHash } from './found-by-hash.ts';
import { pageCommands, plainActions, sectionCommands } from './general-commands.ts';
import { knownVaults } from './known-vaults.ts';
import { listedCommands, ownCommands } from './vault-commands.ts';
import { viewCommands } from './view-commands.ts';

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

type Listing = { data: unknown; isLoading: boolean; isError: boolean };

/** Which lists are still read, and which could not be: what belongs to them is not found without being missing. */
function unread(lists: Readonly<Record<string, Listing>>): Pick<Commands, 'reading' | 'failed'> {
  const named = (isOf: (list: Listing) => boolean) =>
    Object.entries(lists).flatMap(([name, list]) => (list.data === undefined && isOf(list) ? [name] : []));
  return { reading: named(({ isLoading }) => isLoading), failed: named(({ isError }) => isError) };
}

type Commands = {
  commands: Command[];
  /** What is not among the commands yet, and what could not be read. */
  reading: string[];
  failed: string[];
};

/** Everything that can be found and done from the keyboard on this page. */
export function useCommands(text: string): Commands {
  const { api, config } = useApp();
  const viewer = useViewer();
  const navigate = useGuardedNavigate();
  const { pathname, search } = useLocation();
  const isSignedIn = useSession().status === 'signed_in';
  const list = useQuery(publicVaultsQuery(api));
  const mine = useQuery({ ...myVaultsQuery(api, viewer), enabled: isSignedIn });
  const refetchInterval = useAlertsPollMs();
  const alerts = useQuery({ ...alertsQuery(api, viewer, 'active'), enabled: isSignedIn, refetchInterval });
  const listed = list.data;
  const own = mine.data?.vaults;
  const active = alerts.data?.alerts;
  const [links] = useState(sectionsOnPage);
  const { isOffered } = useChatPane();
  const theme = useTheme();
  const acknowledge = useAcknowledge();
  const leave = useLeave();
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
      theme,
      setTheme: chooseTheme,
      copyLink: () => void copy(window.location.href, 'link of this page'),
      signIn: openSignIn,
      logOut: () => void leave(),
      showHelp: () => openOverlay('help'),
    };
    const isSection = links.length > 0;
    const print = () => printWhole(() => window.print());
    return [
      ...sectionCommands(general),
      ...viewCommands({ pathname, search, isSection, go: navigate, print }),
      ...ownCommands(vaults, 'here'),
      ...plainActions(general),
      ...alertCommands({ alerts: active ?? [], own: vaults.own, go, acknowledge }),
      ...listedCommands(vaults),
      ...ownCommands(vaults, 'elsewhere'),
      ...pageCommands(general),
    ];
  }, [config, listed, own, active, pathname, search, isSignedIn, isOffered, theme, links]);
  const vaults = useMemo(() => knownVaults(config, { listed: listed ?? [], own: own ?? [] }), [config, listed, own]);
  const byHash = useFoundByHash({ text, config, vaults, go, copy, openOutside });
  return {
    commands: [...byHash, ...known],
    ...unread({ 'the listed vaults': list, 'your vaults': mine, 'the alerts': alerts }),
  };
}
