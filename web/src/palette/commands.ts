import { CHAT_KEY, chatWords } from '../chat/open.ts';
import type { AppConfig } from '../client/config.ts';
import { chainById } from '../client/config.ts';
import { comparePath } from '../compare/chosen.ts';
import type { MyVault, PublicVault } from '../data/queries.ts';
import type { Theme } from '../design/theme.ts';
import { shortHex } from '../format/address.ts';
import { analysisPath, feedPath, operatePath, strategiesPath, usersPath, vaultPath } from '../navigation/paths.ts';

export type Command = {
  id: string;
  group: 'This vault' | 'Vaults' | 'Your vaults' | 'Go to' | 'Actions';
  name: string;
  /** Shown beside the name. */
  detail?: string;
  /** Found by this too, but too long to show. */
  also?: string;
  run: () => void;
};

type Inputs = {
  config: AppConfig;
  listed: readonly PublicVault[];
  own: readonly MyVault[];
  /** Sections of the vault whose page is open. */
  sections: readonly { path: string; title: string }[];
  isSignedIn: boolean;
  /** Opens the chat, where the page has one. */
  chat?: (() => void) | undefined;
  go: (path: string) => void;
  setTheme: (theme: Theme) => void;
  copyLink: () => void;
  signIn: () => void;
  showHelp: () => void;
};

const themeNames: Record<Theme, string> = {
  system: 'Follow the system theme',
  light: 'Light theme',
  dark: 'Dark theme',
};

const vaultCommands = ({ listed, config, go }: Inputs): Command[] =>
  listed.map((vault) => ({
    id: `vault:${vault.chain_id}:${vault.vault_address}`,
    group: 'Vaults',
    name: vault.name,
    detail: `${vault.symbol} · ${chainById(config, vault.chain_id)?.name ?? vault.chain_slug} · ${shortHex(vault.vault_address)}`,
    also: vault.vault_address,
    run: () => go(vaultPath(vault.chain_slug, vault.vault_address)),
  }));

const ownCommands = ({ own, config, go }: Inputs): Command[] =>
  own.flatMap((vault) => {
    const slug = vault.chain_slug ?? chainById(config, vault.chain_id)?.slug ?? String(vault.chain_id);
    const id = `${vault.chain_id}:${vault.vault_address}`;
    return [
      {
        id: `operate:${id}`,
        group: 'Your vaults' as const,
        name: `Operate ${vault.name}`,
        run: () => go(operatePath(slug, vault.vault_address)),
      },
      {
        id: `users:${id}`,
        group: 'Your vaults' as const,
        name: `Users of ${vault.name}`,
        run: () => go(usersPath(slug, vault.vault_address)),
      },
      {
        id: `analysis:${id}`,
        group: 'Your vaults' as const,
        name: `Analysis of ${vault.name}`,
        run: () => go(analysisPath(slug, vault.vault_address)),
      },
      {
        id: `strategies:${id}`,
        group: 'Your vaults' as const,
        name: `Strategies of ${vault.name}`,
        also: 'canvas rules keeper kill switch',
        run: () => go(strategiesPath(slug, vault.vault_address)),
      },
      {
        id: `feed:${id}`,
        group: 'Your vaults' as const,
        name: `Feed of ${vault.name}`,
        run: () => go(feedPath(slug, vault.vault_address)),
      },
    ];
  });

const chatCommands = ({ chat }: Inputs): Command[] =>
  chat === undefined
    ? []
    : [
        {
          id: 'chat',
          group: 'This vault',
          name: chatWords,
          detail: `${CHAT_KEY} on the keyboard`,
          also: 'chat question assistant analyst',
          run: chat,
        },
      ];

/** Everything that can be done from the keyboard on this page, in the order it is offered. */
export const commandsOf = (inputs: Inputs): Command[] => [
  ...chatCommands(inputs),
  ...inputs.sections.map(
    ({ path, title }): Command => ({
      id: `section:${path}`,
      group: 'This vault',
      name: title,
      run: () => inputs.go(path),
    }),
  ),
  ...vaultCommands(inputs),
  ...ownCommands(inputs),
  { id: 'go:vaults', group: 'Go to', name: 'All vaults', run: () => inputs.go('/') },
  {
    id: 'go:compare',
    group: 'Go to',
    name: 'Compare vaults',
    run: () => inputs.go(comparePath(inputs.listed.slice(0, 4))),
  },
  {
    id: 'go:validators',
    group: 'Go to',
    name: 'Validators',
    also: 'oracle network nodes rounds',
    run: () => inputs.go('/validators'),
  },
  { id: 'go:operate', group: 'Go to', name: 'Operate', run: () => inputs.go('/operate') },
  ...(['system', 'light', 'dark'] as const).map(
    (theme): Command => ({
      id: `theme:${theme}`,
      group: 'Actions',
      name: themeNames[theme],
      run: () => inputs.setTheme(theme),
    }),
  ),
  { id: 'copy', group: 'Actions', name: 'Copy the link of this page', run: inputs.copyLink },
  ...(inputs.isSignedIn
    ? []
    : [{ id: 'sign-in', group: 'Actions', name: 'Sign in with a wallet', run: inputs.signIn } as const]),
  { id: 'help', group: 'Actions', name: 'Keyboard shortcuts', run: inputs.showHelp },
];

/** Commands in which every word of the text occurs. */
export function findCommands(commands: readonly Command[], text: string): Command[] {
  const words = text.trim().toLowerCase().split(/\s+/);
  return commands.filter(({ name, detail = '', also = '', group }) => {
    const found = `${name} ${detail} ${also} ${group}`.toLowerCase();
    return words.every((word) => found.includes(word));
  });
}
