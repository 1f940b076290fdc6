import { Ellipsis } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import type { DeskRow } from './rows.ts';

// Loaded when somebody is about to open it: menus are more code than the first page has left.
const menu = () => import('./row-actions-menu.tsx');
const RowActionsMenu = lazy(menu);

/** What is done to a vault on most days, without a way through its pages; nothing for who only reads it. */
export function RowActions({ row }: { row: DeskRow }) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  if (row.vault.my_role === 'view_only') return null;
  const open = () => {
    setWasOpened(true);
    setIsOpen(true);
  };
  const prepare = () => void menu();
  return (
    <>
      <Button
        ref={button}
        aria-label={`Actions on ${row.vault.name}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={open}
        onHoverStart={prepare}
        onFocus={prepare}
        onKeyDown={(event) => {
          // React Aria keeps a key from everybody else unless it is asked not to, and the page has shortcuts.
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            open();
          } else event.continuePropagation();
        }}
        className="relative z-[1] grid size-8 place-items-center rounded-control text-muted hover:bg-raised hover:text-text"
      >
        <Ellipsis size={16} aria-hidden="true" />
      </Button>
      {wasOpened ? (
        <Suspense fallback={null}>
          <RowActionsMenu row={row} of={button} isOpen={isOpen} onOpenChange={setIsOpen} />
        </Suspense>
      ) : null}
    </>
  );
}
