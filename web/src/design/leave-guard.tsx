import { useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

type Props = { isDirty: boolean; what: string };
type Left = { to: string } | { steps: number };

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
 * Asks before what was typed is lost: on a link, on Back and Forward, and when the tab is closed. Links and history are
 * caught before the router sees them, since the router here has no blocker (see app/router.tsx).
 */
export function LeaveGuard({ isDirty, what }: Props) {
  const navigate = useNavigate();
  const [left, setLeft] = useState<Left>();
  const isSure = useRef(false);
  useEffect(() => {
    if (!isDirty) return;
    const here = indexOf(window.history.state);
    let isReturning = false;
    const onClick = (event: MouseEvent) => {
      const to = isSure.current ? undefined : targetOf(event);
      if (to === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      setLeft({ to });
    };
    const onPop = (event: PopStateEvent) => {
      const there = indexOf(event.state);
      if (isSure.current || here === undefined || there === undefined) return;
      event.stopImmediatePropagation();
      if (isReturning) {
        isReturning = false;
        return;
      }
      isReturning = true;
      window.history.go(here - there);
      setLeft({ steps: there - here });
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('click', onClick, { capture: true });
    window.addEventListener('popstate', onPop, { capture: true });
    window.addEventListener('beforeunload', onUnload);
    return () => {
      window.removeEventListener('click', onClick, { capture: true });
      window.removeEventListener('popstate', onPop, { capture: true });
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [isDirty]);
  if (left === undefined) return null;
  const leave = () => {
    isSure.current = true;
    setLeft(undefined);
    if ('to' in left) navigate(left.to);
    else window.history.go(left.steps);
  };
  return (
    <Dialog title="Leave without saving?" isOpen onClose={() => setLeft(undefined)}>
      <div className="flex flex-col gap-4 text-13">
        <p>{`What you changed in ${what} is not saved, and is lost if you leave.`}</p>
        <span className="flex flex-wrap justify-end gap-2">
          <Button look="primary" onPress={() => setLeft(undefined)}>
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
