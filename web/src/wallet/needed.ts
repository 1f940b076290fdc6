import { useSyncExternalStore } from 'react';

let needed = false;
const listeners = new Set<() => void>();

/** Said by what signs: from then on every page follows the connected wallet. */
export function needWallets(): void {
  needed = true;
  for (const listener of listeners) listener();
}

/** Whether anything that signs has been on a page. */
export const useWalletsNeeded = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    () => needed,
  );
