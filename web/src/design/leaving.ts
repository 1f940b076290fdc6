import { type NavigateOptions, resolvePath, type To, useLocation, useNavigate } from 'react-router';

/** A form on the page that has what is not saved. */
export type Unsaved = {
  /** "this strategy" */
  what: string;
  /** Asks whether it may be lost, and goes on once that was answered. */
  ask: (goOn: () => void) => void;
};

const unsaved: Unsaved[] = [];

/** Notes a form until the returned function is called. */
export function noteUnsaved(form: Unsaved): () => void {
  unsaved.push(form);
  return () => void unsaved.splice(unsaved.indexOf(form), 1);
}

/** One form asks for all on the page, so that nobody is asked twice. */
export const isAsking = (form: Unsaved): boolean => unsaved[0] === form;
export const whatIsUnsaved = (): string => [...new Set(unsaved.map(({ what }) => what))].join(' and ');

/** For what takes forms off the page, such as another vault in a list: does it at once, or asks first where something would be lost. */
export function askBefore(goOn: () => void) {
  const [form] = unsaved;
  if (form === undefined) goOn();
  else form.ask(goOn);
}

/** `useNavigate` for what is outside of a form: keys, the palette, menus. A link needs none of it, see leave-guard.tsx. */
export function useGuardedNavigate() {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  return (to: To, options?: NavigateOptions) => {
    const go = () => void navigate(to, options);
    const there = resolvePath(to, pathname);
    // An anchor of the page that is open takes nothing away.
    if (there.pathname === pathname && there.search === search) go();
    else askBefore(go);
  };
}
