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
import { KeysOfItem } from '../design/keys-of-item.tsx';
import { formatCount } from '../format/figures.ts';
import { openOverlay } from '../navigation/overlay.ts';
import { type Command, findCommands } from './commands.ts';
import { LOG_OUT } from './general-commands.ts';
import { noteCommand, recentCommands } from './recent.ts';
import { useCommands } from './use-commands.ts';

const close = () => openOverlay('none');

/** Finds pages, vaults, addresses, transactions, alerts and actions by typing; arrows choose, Enter does it. */
export default function Palette() {
  const [text, setText] = useState('');
  const [recent] = useState(recentCommands);
  const { commands, reading, failed } = useCommands(text);
  const found = findCommands(commands, text, recent);
  const refused = found.flatMap((group) => group.commands).filter((command) => command.refused !== undefined);
  const run = (id: string) => {
    close();
    // What ends the session is never the first that Enter would do.
    if (id !== LOG_OUT) noteCommand(id);
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
            <TextField aria-label="Find pages, vaults and actions" autoFocus className="relative border-b">
              <Search size={16} aria-hidden="true" className="absolute top-3.5 left-4 text-muted" />
              <Input
                placeholder="Page, vault, address, alert or action"
                className="h-11 w-full bg-transparent pr-4 pl-11 text-14 outline-none placeholder:text-muted"
              />
            </TextField>
            {/* The focus stays in the field; who scrolls by keys must still get here. */}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by Tab */}
            <section aria-label="Found commands" tabIndex={0} className="min-h-0 overflow-y-auto outline-none">
              <Menu
                aria-label="Commands"
                onAction={(id) => run(String(id))}
                disabledKeys={refused.map(({ id }) => id)}
                renderEmptyState={() => (
                  <p className="px-4 py-8 text-center text-13 text-muted">
                    {reading.length + failed.length === 0
                      ? 'Nothing is called that'
                      : 'Nothing that is known so far is called that'}
                  </p>
                )}
                className="p-2 outline-none"
              >
                {found.map(({ group, commands: some, more }) => (
                  <MenuSection key={group} id={group} className="pb-2">
                    <Header className="px-2 py-1 label-caps">
                      {more === 0 ? group : `${group} (${formatCount(more)} more by typing)`}
                    </Header>
                    {some.map((command) => (
                      <CommandItem key={command.id} command={command} />
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
            <p role="status" className="px-4 text-12 text-muted not-empty:border-t not-empty:py-2">
              {unreadWords(reading, failed)}
            </p>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Which lists are missing among the commands; empty where none is. */
const unreadWords = (reading: readonly string[], failed: readonly string[]): string =>
  [
    ...(reading.length === 0 ? [] : [`Still reading ${reading.join(', ')}.`]),
    ...(failed.length === 0 ? [] : [`Could not be read: ${failed.join(', ')}.`]),
  ].join(' ');

const CommandItem = ({ command: { id, name, detail, refused, keys } }: { command: Command }) => (
  <MenuItem
    id={id}
    textValue={name}
    className="flex min-h-9 cursor-pointer items-baseline gap-3 rounded px-2 py-1.5 text-13 outline-none data-[disabled]:cursor-not-allowed data-[disabled]:text-muted data-[focused]:bg-raised"
  >
    <span className="flex min-w-0 items-baseline gap-3">
      <span className="font-medium whitespace-nowrap">{name}</span>{' '}
      <span className="min-w-0 truncate text-12 text-muted">{[detail, refused].filter(Boolean).join(' · ')}</span>
    </span>
    <KeysOfItem keys={keys} />
  </MenuItem>
);
