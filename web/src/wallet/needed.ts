import { useSyncExternalStore } from 'react';
import type { Services } from '../client/services.ts';

/** Apps, by what opens their wallets, in which something signs. */
const needing = new WeakSet<Services['wallets']>();
const listeners = new Set<() => void>();
const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
};

/** Said by what signs: from then on every page of the app follows the connected wallet. */
export function needWallets(wallets: Services['wallets']): void {
  needing.add(wallets);
  for (const listener of listeners) listener();
}

/** Whether anything that signs has been on a page of the app. */
export const useWalletsNeeded = (wallets: Services['wallets']): boolean =>
  useSyncExternalStore(listen, () => needing.has(wallets));
