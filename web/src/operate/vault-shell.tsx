import { Menu as MenuIcon } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Outlet, useLocation } from 'react-router';
import { ChatDock } from '../chat/chat-dock.tsx';
import { Button } from '../design/button.tsx';
import { useMedia } from '../design/use-media.ts';
import { Rail } from './rail.tsx';

// Loaded when it is first opened: the dialog below it is more code than the menu.
const VaultDrawer = lazy(() => import('./vault-drawer.tsx'));

/** The layout of the pages of a vault: its menu on the left, a drawer on small screens, and the chat. */
export function VaultShell() {
  const [strip, setStrip] = useState<HTMLElement | null>(null);
  const isWide = useMedia('(min-width: 1100px)');
  return (
    <div className="flex flex-1">
      <aside className="hidden w-60 shrink-0 border-r bg-surface min-[1100px]:block">
        <div className="sticky top-0 p-4">
          <Rail />
        </div>
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        {/* On a narrow screen the button of the chat would lie over figures wherever it floats. */}
        <Drawer>{isWide ? null : <div ref={setStrip} className="-my-2 -mr-3 print:hidden" />}</Drawer>
        <Outlet />
        {/* Its place below the page is kept, so that it lies over nothing once one is at the end. */}
        {isWide ? (
          <div ref={setStrip} className="pointer-events-none sticky bottom-0 z-20 mt-auto empty:hidden print:hidden" />
        ) : null}
      </div>
      <ChatDock strip={strip} />
    </div>
  );
}

function Drawer({ children }: { children: ReactNode }) {
  const { pathname } = useLocation();
  // On another page it is closed, also where that page was opened after a question only.
  const [openedOn, setOpenedOn] = useState<string>();
  if (openedOn !== undefined && openedOn !== pathname) setOpenedOn(undefined);
  const isOpen = openedOn === pathname;
  const [wasOpened, setWasOpened] = useState(false);
  if (isOpen && !wasOpened) setWasOpened(true);
  return (
    <div className="flex items-center justify-between border-b bg-surface px-4 py-2 sm:px-6 min-[1100px]:hidden">
      <Button look="quiet" onPress={() => setOpenedOn(pathname)} className="-ml-3">
        <MenuIcon size={16} aria-hidden="true" />
        Vault menu
      </Button>
      {children}
      {wasOpened ? (
        <Suspense fallback={null}>
          <VaultDrawer isOpen={isOpen} onClose={() => setOpenedOn(undefined)} />
        </Suspense>
      ) : null}
    </div>
  );
}
