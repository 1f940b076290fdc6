import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { isAsking, noteUnsaved, whatIsUnsaved } from './leaving.ts';

type Props = { isDirty: boolean; what: string };
/** `what` would be lost by going on. */
type Asked = { what: string; goOn: () => void };

const indexOf = (state: unknown): number | undefined => {
  const { idx } = (state ?? {}) as { idx?: unknown };
  return typeof idx === 'number' ? idx : undefined;
};

/** Where a click would lead within this site and this tab; undefined for any other click. */
function targetOf(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0) return undefined;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute('download')) return undefined;
  if (!['', '_self'].includes(link.target) || link.origin !== window.location.origin) return undefined;
  const isAnchor =
    link.pathname === window.location.pathname && link.search === window.location.search && link.hash !== '';
  return isAnchor ? undefined : `${link.pathname}${link.search}${link.hash}`;
}

/**
 * Asks before what was typed is lost: on a link, on Back and Forward, when the tab is closed, and on what goes by leaving.ts (keys, the palette,
 * menus). Links and history are caught before the router sees them, since the router here has no blocker (see app/router.tsx).
 */
export function LeaveGuard({ isDirty, what }: Props) {
  const navigate = useNavigate();
  const { key } = useLocation();
  const [asked, setAsked] = useState<Asked>();
  /** The steps through the history that were confirmed are on their way. */
  const isSure = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: at another place of the history, which may keep the form, it is asked anew
  useEffect(() => {
    isSure.current = false;
    if (!isDirty) return;
    const ask = (goOn: () => void) => setAsked({ what: whatIsUnsaved(), goOn });
    const form = { what, ask };
    const forget = noteUnsaved(form);
    const here = indexOf(window.history.state);
    let isReturning = false;
    const onClick = (event: MouseEvent) => {
      const to = isAsking(form) ? targetOf(event) : undefined;
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      ask(() => void navigate(to));
    };
    const onPop = (event: PopStateEvent) => {
      const there = indexOf(event.state);
      if (!isAsking(form) || isSure.current || here === undefined || there === undefined) return;
      event.stopImmediatePropagation();
      if (isReturning) {
        isReturning = false;
        return;
      }
      isReturning = true;
      window.history.go(here - there);
      ask(() => {
        isSure.current = true;
        window.history.go(there - here);
      });
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('click', onClick, { capture: true });
    window.addEventListener('popstate', onPop, { capture: true });
    window.addEventListener('beforeunload', onUnload);
    return () => {
      forget();
      window.removeEventListener('click', onClick, { capture: true });
      window.removeEventListener('popstate', onPop, { capture: true });
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [isDirty, what, key]);
  if (asked === undefined) return null;
  const stay = () => setAsked(undefined);
  const leave = () => {
    stay();
    asked.goOn();
  };
  return (
    <Dialog title="Leave without saving?" isOpen onClose={stay}>
      <div className="flex flex-col gap-4 text-13">
        <p>{`What you changed in ${asked.what} is not saved, and is lost if you leave.`}</p>
        <span className="flex flex-wrap justify-end gap-2">
          <Button look="primary" onPress={stay}>
            Stay
          </Button>
          <Button look="danger" onPress={leave}>
            Leave and lose it
          </Button>
        </span>
      </div>
    </Dialog>
  );
}
