import { CHAT_KEY, chatWords } from '../chat/open.ts';
import { comparePath } from '../compare/chosen.ts';
import type { PublicVault } from '../data/queries.ts';
import { type Theme, themeAfter } from '../design/theme.ts';
import { shortcuts } from '../navigation/keys.ts';
import { alertsPath, sessionsPath } from '../navigation/paths.ts';
import type { Command } from './commands.ts';

/** The command that ends the session. */
export const LOG_OUT = 'log-out';

type Inputs = {
  listed: readonly PublicVault[];
  isSignedIn: boolean;
  /** Sections of the page that is open, when it is a vault's. */
  sections: readonly { name: string; open: () => void }[];
  /** Opens the chat, where the page has one. */
  chat: (() => void) | undefined;
  go: (path: string) => void;
  theme: Theme;
  setTheme: (theme: Theme) => void;
  copyLink: () => void;
  signIn: () => void;
  logOut: () => void;
  showHelp: () => void;
};

const themeNames: Record<Theme, string> = {
  system: 'Follow the system theme',
  light: 'Light theme',
  dark: 'Dark theme',
};

const chatCommands = ({ chat }: Inputs): Command[] =>
  chat === undefined
    ? []
    : [
        {
          id: 'chat',
          group: 'This vault',
          name: chatWords,
          keys: [CHAT_KEY],
          also: 'chat question assistant analyst',
          run: chat,
        },
      ];

export const sectionCommands = (inputs: Inputs): Command[] => [
  ...chatCommands(inputs),
  ...inputs.sections.map(
    ({ name, open }): Command => ({ id: `section:${name}`, group: 'This vault', name, detail: 'section', run: open }),
  ),
];

/** Pages that are about no single vault. */
export const pageCommands = ({ listed, isSignedIn, go }: Inputs): Command[] => [
  {
    id: 'go:vaults',
    group: 'Go to',
    name: 'All vaults',
    also: 'home list',
    keys: shortcuts.vaults.keys,
    run: () => go('/'),
  },
  {
    id: 'go:compare',
    group: 'Go to',
    name: 'Compare vaults',
    also: 'comparison side by side',
    keys: shortcuts.compare.keys,
    run: () => go(comparePath(listed.slice(0, 4))),
  },
  {
    id: 'go:validators',
    group: 'Go to',
    name: 'Validators',
    also: 'oracle network nodes rounds',
    keys: shortcuts.validators.keys,
    run: () => go('/validators'),
  },
  {
    id: 'go:validators-history',
    group: 'Go to',
    name: 'Validators over time',
    also: 'participation latency spread agreement gas balance missed late rounds sre',
    run: () => go('/validators/history'),
  },
  {
    id: 'go:operate',
    group: 'Go to',
    name: 'Operate',
    also: 'your vaults table desk',
    keys: shortcuts.operate.keys,
    run: () => go('/operate'),
  },
  ...(isSignedIn
    ? [
        {
          id: 'go:alerts',
          group: 'Go to',
          name: 'Alerts',
          also: 'rules channels notifications slack webhook',
          keys: shortcuts.alerts.keys,
          run: () => go(alertsPath),
        } as const,
        {
          id: 'go:sessions',
          group: 'Go to',
          name: 'Sessions and tokens',
          also: 'api keys access account devices',
          keys: shortcuts.sessions.keys,
          run: () => go(sessionsPath),
        } as const,
      ]
    : []),
];

/** What is done on the page itself. */
export const plainActions = ({
  isSignedIn,
  theme: current,
  setTheme,
  copyLink,
  signIn,
  logOut,
  showHelp,
}: Inputs): Command[] => [
  ...(['system', 'light', 'dark'] as const).map(
    (theme): Command => ({
      id: `theme:${theme}`,
      group: 'Actions',
      name: themeNames[theme],
      also: 'switch appearance mode colours',
      // The key goes on to the next one.
      ...(theme === themeAfter(current) ? { keys: shortcuts.theme.keys } : {}),
      run: () => setTheme(theme),
    }),
  ),
  { id: 'copy', group: 'Actions', name: 'Copy the link of this page', also: 'address share url', run: copyLink },
  isSignedIn
    ? {
        id: LOG_OUT,
        group: 'Actions',
        name: 'Log out',
        also: 'logout sign out disconnect leave session',
        run: logOut,
      }
    : { id: 'sign-in', group: 'Actions', name: 'Sign in with a wallet', also: 'login connect', run: signIn },
  { id: 'help', group: 'Actions', name: 'Keyboard shortcuts', keys: shortcuts.help.keys, run: showHelp },
];
