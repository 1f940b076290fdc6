import { useSyncExternalStore } from 'react';

/** Which of the two is over the page. */
export type Overlay = 'palette' | 'help' | 'none';

let overlay: Overlay = 'none';
const listeners = new Set<() => void>();

export function openOverlay(next: Overlay) {
  overlay = next;
  for (const listener of listeners) listener();
}

export const useOverlay = (): Overlay =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => overlay,
  );
