import { useSyncExternalStore } from 'react';

/** Key of the message about an ended session: signing in takes it away. */
export const SESSION_TOAST = 'session';

let open = false;
const listeners = new Set<() => void>();
const set = (next: boolean) => {
  open = next;
  for (const listener of listeners) listener();
};

/** Opens the sign-in dialog over whatever page is shown, which stays as it is. */
export const openSignIn = () => set(true);
export const closeSignIn = () => set(false);

export const useSignInOpen = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => open,
  );
