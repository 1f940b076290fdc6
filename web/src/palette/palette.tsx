import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  TextField,
} from 'react-aria-components';
import { useNavigate } from 'react-router';
import { openChat, useChatPane } from '../chat/open.ts';
import { useApp } from '../client/services.ts';
import { myVaultsQuery, publicVaultsQuery } from '../data/queries.ts';
import { chooseTheme } from '../design/theme.ts';
import { toast } from '../design/toast.tsx';
import { openOverlay } from '../navigation/overlay.ts';
import { openSignIn } from '../session/sign-in-prompt.ts';
import { useSession, useViewer } from '../session/use-session.ts';
import { type Command, commandsOf, findCommands } from './commands.ts';

const close = () => openOverlay('none');

async function copyLink() {
  try {
    await navigator.clipboard.writeText(window.location.href);
    toast({ tone: 'info', title: 'Copied the link of this page', key: 'copy' });
  } catch {
    toast({
      tone: 'warn',
      title: `The browser did not allow copying. The link is ${window.location.href}`,
      key: 'copy',
    });
  }
}

/** The sections of the vault whose page is open, as its list of them names them. */
const sectionsOnPage = () =>
  [...document.querySelectorAll<HTMLAnchorElement>('nav[aria-label="Sections of this vault"] a')].map((link) => ({
    path: `${link.pathname}${link.search}`,
    title: link.textContent,
  }));

function useCommands(): Command[] {
  const { api, config } = useApp();
  const session = useSession();
  const viewer = useViewer();
  const navigate = useNavigate();
  const isSignedIn = session.status === 'signed_in';
  const listed = useQuery(publicVaultsQuery(api));
  const own = useQuery({ ...myVaultsQuery(api, viewer), enabled: isSignedIn });
  const [sections] = useState(sectionsOnPage);
  const { isOffered } = useChatPane();
  return commandsOf({
    config,
    listed: listed.data ?? [],
    own: own.data?.vaults ?? [],
    sections,
    isSignedIn,
    chat: isOffered ? openChat : undefined,
    go: (path) => void navigate(path),
    setTheme: chooseTheme,
    copyLink: () => void copyLink(),
    signIn: openSignIn,
    showHelp: () => openOverlay('help'),
  });
}

/** Finds vaults, sections and actions by typing; arrows choose, Enter does it. */
export default function Palette() {
  const [text, setText] = useState('');
  const commands = useCommands();
  const found = findCommands(commands, text);
  const groups = [...new Set(found.map(({ group }) => group))];
  const run = (id: string) => {
    close();
    commands.find((command) => command.id === id)?.run();
  };
  return (
    <ModalOverlay
      isOpen
      onOpenChange={(isOpen) => !isOpen && close()}
      isDismissable
      className="fixed inset-0 z-50 flex items-start justify-center bg-[rgb(4_8_11/60%)] px-4 pt-[12vh]"
    >
      <Modal className="w-full max-w-xl overflow-hidden rounded-card border bg-surface shadow-[var(--shadow)]">
        <Dialog aria-label="Command palette" className="flex max-h-[70dvh] flex-col outline-none">
          <Autocomplete inputValue={text} onInputChange={setText}>
            <TextField aria-label="Search vaults, sections and actions" autoFocus className="relative border-b">
              <Search size={16} aria-hidden="true" className="absolute top-3.5 left-4 text-muted" />
              <Input
                placeholder="Vault, section or action"
                className="h-11 w-full bg-transparent pr-4 pl-11 text-14 outline-none placeholder:text-muted"
              />
            </TextField>
            {/* The focus stays in the field; who scrolls by keys must still get here. */}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by Tab */}
            <section aria-label="Found commands" tabIndex={0} className="min-h-0 overflow-y-auto outline-none">
              <Menu
                aria-label="Commands"
                onAction={(id) => run(String(id))}
                renderEmptyState={() => (
                  <p className="px-4 py-8 text-center text-13 text-muted">Nothing is called that</p>
                )}
                className="p-2 outline-none"
              >
                {groups.map((group) => (
                  <MenuSection key={group} id={group} className="pb-2">
                    <Header className="px-2 py-1 label-caps">{group}</Header>
                    {found
                      .filter((command) => command.group === group)
                      .map(({ id, name, detail }) => (
                        <MenuItem
                          key={id}
                          id={id}
                          textValue={name}
                          className="flex min-h-9 cursor-pointer items-baseline gap-3 rounded px-2 py-1.5 text-13 outline-none data-[focused]:bg-raised"
                        >
                          <span className="font-medium whitespace-nowrap">{name}</span>
                          {detail === undefined ? null : <span className="truncate text-12 text-muted">{detail}</span>}
                        </MenuItem>
                      ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
