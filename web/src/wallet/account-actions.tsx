import { ChevronDown } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { AccountShort } from './account-short.tsx';

// Loaded when somebody is about to open it: menus are more code than a page of Operate has left.
const popover = () => import('./account-popover.tsx');
const AccountPopover = lazy(popover);

/** The signed-in wallet, and the way to what it can do about its session. */
export default function AccountActions({ address }: { address: string }) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const open = () => {
    setWasOpened(true);
    setIsOpen(true);
  };
  const prepare = () => void popover();
  return (
    <>
      <Button
        ref={button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onPress={open}
        onHoverStart={prepare}
        onFocus={prepare}
        onKeyDown={(event) => {
          // React Aria keeps a key from everybody else unless it is asked not to, and the page has shortcuts.
          if (event.key === 'ArrowDown') open();
          else event.continuePropagation();
        }}
        className="inline-flex h-9 items-center gap-2 whitespace-nowrap rounded-control border bg-raised px-1.5 font-mono text-12 hover:border-line-strong sm:px-3 sm:text-13"
      >
        <span className="sr-only">{`Account ${address}`}</span>
        <span aria-hidden="true">
          <AccountShort address={address} />
        </span>
        <ChevronDown size={14} aria-hidden="true" className="hidden text-muted sm:block" />
      </Button>
      {wasOpened ? (
        <Suspense fallback={null}>
          <AccountPopover of={button} isOpen={isOpen} onOpenChange={setIsOpen} />
        </Suspense>
      ) : null}
    </>
  );
}
